"""Events as clients make them and notifications as they cross the air."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec

from eventservices.errors import MalformedError
from eventservices.stamp import Stamp
from eventservices.steam.geometry import Position
from eventservices.steam.proximity import Proximity
from eventservices.text import check_text

MAX_PARAMETERS = 1024
"""Most parameters, and most attributes, that an event may have."""

MAX_NAME = 255
"""Longest name of a subject, parameter or attribute, in characters."""

MAX_RANGE_M = 1e8
"""Largest radio range; metres, more than twice round the Earth."""

_INT64 = 2**63

Value = str | int | float | bool | bytes
"""STEAM knows strings, integers and doubles; booleans and octets are an extension of ours."""

Metres = Annotated[float, msgspec.Meta(ge=0.0, le=MAX_RANGE_M)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME)]


@dataclass(frozen=True, slots=True)
class Event:
    """What a producer publishes.

    Attributes:
        subject: Name of the event type; case sensitive.
        parameters: Content, in order; names to values.
        attributes: Non-functional properties beyond location, time and proximity, which the
            node adds.
        proximity: Area of this one event; the announced one where None.
    """

    subject: str
    parameters: Mapping[str, Value] = field(default_factory=dict)
    attributes: Mapping[str, Value] = field(default_factory=dict)
    proximity: Proximity | None = None


class Notification(msgspec.Struct, frozen=True, array_like=True):
    """An event on the air, and the argument of a subscriber's callback.

    Attributes:
        stamp: Identity and time of the event, on the trace's clock.
        node: Who sent it.
        position: Where the sender was at the event's time.
        range_m: The sender's radio range; metres.
        proximity: Area in which the event is valid.
        subject: Name of the event type.
        parameters: Content, in order.
        attributes: Further non-functional properties.
    """

    stamp: Stamp
    node: Name
    position: Position
    range_m: Metres
    proximity: Proximity
    subject: Name
    parameters: dict[str, Any]  # msgspec has no union of text and octets: `check_values` decides
    attributes: dict[str, Any] = {}

    @property
    def time_us(self) -> int:
        """The event's time on the trace's clock, microseconds since 1970 UTC."""
        return self.stamp.time_us


def check_values(values: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return `values` as they may go on the air.

    Args:
        values: Names to values.
        what: `parameter` or `attribute`, for the message.

    Raises:
        MalformedError: A name or value is not valid; the message names it.
    """
    if len(values) > MAX_PARAMETERS:
        raise MalformedError(f"{len(values)} {what}s are more than {MAX_PARAMETERS}")
    for name, value in values.items():
        kind = type(value)
        if kind not in _KINDS or (kind is int and not -_INT64 <= value < _INT64):
            raise MalformedError(f"{what} {name!r} has a value that STEAM has no type for")
        if not 0 < len(name) <= MAX_NAME:
            raise MalformedError(f"{what} must have a name of 1 .. {MAX_NAME} characters")
    return values if type(values) is dict else dict(values)


def check_name(name: str, what: str) -> str:
    """Return `name` if it may name a subject or node.

    Raises:
        MalformedError: It is empty, too long, or no Unicode text.
    """
    return check_text(name, what, MAX_NAME)


_KINDS = frozenset({str, int, float, bool, bytes})
