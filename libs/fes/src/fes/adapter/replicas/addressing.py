"""Addressing: for which replica a received control event is."""

from contextlib import suppress

from fes.adapter.replicas.membership import REQUEST, Place
from fes.control.codec import read_stamp
from fes.errors import ControlEventError
from fes.link.messages import HeardControl
from fes.model import Event, attributes

_CUSTODY = ("FES_Giver", "FES_Row")


def place_of(control: HeardControl, event: Event) -> Place:
    """Return the replica for which a control event is, other than a signal.

    Requests and persistent events are for the leader; other events are for the replica of their
    origin.

    Args:
        control: The message from the adapter.
        event: The control event.
    """
    if not control.publication:
        return REQUEST
    origin = "" if control.stamp is None else control.stamp.origin
    told = event.attribute("FES_EventStamp")
    if isinstance(told, str):
        with suppress(ControlEventError):  # the gateway refuses it, with the reason
            origin = read_stamp(told).origin
    inner = event.parameter("Event")
    persistent = (
        isinstance(inner, Event) and bool(inner.attributes) and attributes.is_persistent(inner)
    )
    in_custody = any(event.attribute(name) is not None for name in _CUSTODY)
    return Place(persistent or in_custody, origin)
