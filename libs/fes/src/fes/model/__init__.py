"""The event model: events, their types, stamps, standard attributes, limits and codecs."""

from fes.model.event import Event, Field, check_event, is_reserved
from fes.model.stamp import Identity, Stamp, check_stamp
from fes.model.types import Type, type_of

__all__ = [
    "Event",
    "Field",
    "Identity",
    "Stamp",
    "Type",
    "check_event",
    "check_stamp",
    "is_reserved",
    "type_of",
]
