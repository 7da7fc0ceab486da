"""The event bus without input and output: calls and messages in, effects out."""

from eventservices.bus.core.bus_core import BusCore
from eventservices.bus.core.effects import (
    ALL,
    AddName,
    Decide,
    Deliver,
    Effects,
    Ended,
    Lookup,
    Output,
    RemoveName,
    Reply,
    Send,
)
from eventservices.bus.core.state import BusSettings, Decision

__all__ = [
    "ALL",
    "AddName",
    "BusCore",
    "BusSettings",
    "Decide",
    "Decision",
    "Deliver",
    "Effects",
    "Ended",
    "Lookup",
    "Output",
    "RemoveName",
    "Reply",
    "Send",
]
