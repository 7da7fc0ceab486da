"""Whom a control event is for that an adapter received."""

from contextlib import suppress

from fes.adapter.replicas.membership import REQUEST, Place
from fes.control.codec import read_stamp
from fes.errors import ControlEventError
from fes.link.messages import HeardControl
from fes.model import Event, attributes

_CUSTODY = ("FES_Giver", "FES_Row")


def place_of(control: HeardControl, event: Event) -> Place:
    """Return whom a control event is for that is not a signal.

    Requests, and persistent events, are for the leader; other events for whom their origin's are.

    Args:
        control: What the adapter passes on.
        event: The control event.
    """
    if not control.publication:
        return REQUEST
    origin = "" if control.stamp is None else control.stamp.origin
    told = event.attribute("FES_EventStamp")
    if isinstance(told, str):
        with suppress(ControlEventError):  # the gateway refuses it, and says why
            origin = read_stamp(told).origin
    inner = event.parameter("Event")
    persistent = (
        isinstance(inner, Event) and bool(inner.attributes) and attributes.is_persistent(inner)
    )
    in_custody = any(event.attribute(name) is not None for name in _CUSTODY)
    return Place(persistent or in_custody, origin)
