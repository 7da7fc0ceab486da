"""Whether a message reaches a place, and if not, why."""

from typing import Literal

from eventservices.steam.geometry import Position, within
from eventservices.steam.proximity import Proximity, contains

Unheard = Literal["no_position", "out_of_range", "outside_proximity"]
"""Why a message is not received; named as the counters are."""


def unheard(
    sender: Position,
    sender_range_m: float,
    area: Proximity | None,
    here: Position | None,
    range_m: float,
) -> Unheard | None:
    """Report why a message is not received at a place.

    It is received over one hop: where sender and receiver are at most the smaller of both radio
    ranges apart and the receiver is inside the message's area. Borders belong to both.

    Args:
        sender: Where the sender was at the message's time.
        sender_range_m: The sender's radio range; metres.
        area: Proximity of the message; None where it has none.
        here: Where the receiver was at that time; None where that is not known.
        range_m: The receiver's radio range; metres.

    Returns:
        The first reason in the order of the type; None where the message is received.
    """
    if here is None:
        return "no_position"
    if not within(sender, here, min(range_m, sender_range_m)):
        return "out_of_range"
    if area is not None and not contains(area, sender, here):
        return "outside_proximity"
    return None
