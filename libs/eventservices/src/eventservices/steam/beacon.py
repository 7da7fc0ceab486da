"""Beacons: control messages that show an observer what nodes announce and subscribe to.

They go out when something changes, again every period, and once more as a farewell.
"""

from typing import Annotated

import msgspec

from eventservices.steam.content import MAX_TERMS, Term
from eventservices.steam.event import Metres, Name
from eventservices.steam.geometry import Position
from eventservices.steam.proximity import Proximity

MAX_LABEL = 255
"""Longest label of a sender, in characters."""

Seconds = Annotated[float, msgspec.Meta(gt=0.0, le=86_400.0)]
Label = Annotated[str, msgspec.Meta(max_length=MAX_LABEL)]
Terms = Annotated[tuple[Term, ...], msgspec.Meta(max_length=MAX_TERMS)]


class Sender(msgspec.Struct, frozen=True, array_like=True):
    """Who sent a beacon.

    Attributes:
        node: Name of the node.
        label: What kind of application is behind it; free text.
        range_m: Its radio range; metres.
    """

    node: Name
    label: Label
    range_m: Metres


class Announcement(msgspec.Struct, frozen=True, array_like=True):
    """States that a node publishes events of a subject.

    Attributes:
        sender: Who announces.
        subject: Name of the event type.
        position: Where the node is now.
        time_us: Now, on the trace's clock.
        period_s: Wall time to the next beacon.
        present: False in a farewell.
        proximity: Area in which its events are valid.
    """

    sender: Sender
    subject: Name
    position: Position
    time_us: int
    period_s: Seconds
    present: bool
    proximity: Proximity


class Membership(msgspec.Struct, frozen=True, array_like=True):
    """States that a node has joined the proximity group of a subject, or has left it.

    Attributes:
        sender: Who subscribed.
        subject: Name of the event type.
        position: Where the node is now.
        time_us: Now, on the trace's clock.
        period_s: Wall time to the next beacon.
        present: False where the node leaves.
        number: Distinguishes the node's subscriptions, from 1.
        content: Terms of the content filter; none accepts everything.
    """

    sender: Sender
    subject: Name
    position: Position
    time_us: int
    period_s: Seconds
    present: bool
    number: int
    content: Terms
