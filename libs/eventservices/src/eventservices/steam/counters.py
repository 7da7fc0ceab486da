"""Counters: what nodes, and the medium that they share, did and did not do."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Self


@dataclass(slots=True)
class Counters:
    """Counts what became of the events of one node, or of many.

    Attributes:
        transmitted: Events put on the air.
        received: Events passed to callbacks, once for each node.
        out_of_range: Not received: farther than the smaller radio range.
        outside_proximity: Not received: outside the event's proximity.
        filtered_content: Received, but no subscription's content filter accepted it.
        suppressed: Accepted, but its identity had been received before.
        no_position: Not received: the receiver's position at the event's time is not known.
        unplaced: Not published: the producer's position at the event's time is not known.
        unsent: Not published: the connection is away or its outgoing buffer is full; or it ended
            in the moment before it was to write, which only the connection counts.
        callback_errors: Exceptions of callbacks, which were delayed.
        malformed: Payloads set aside; counted by the air, as none of its nodes is meant.
        unclaimed: Messages for nobody any more, such as those that cross a leave, or that a
            stranger had the broker keep.
        refused: Subscriptions that the broker refused.
        uncovered: Looks of moving receivers that could not cover their surroundings.
        late: Looks of a moving receiver that were active so late that it may have left its
            margin, and missed events: machine or broker are too slow for the settings.
        reconnected: Connections that were lost and made again.
        takeovers: Connections that the broker ended, and whose next it accepted at once: most
            likely another client has the same identifier.
    """

    transmitted: int = 0
    received: int = 0
    out_of_range: int = 0
    outside_proximity: int = 0
    filtered_content: int = 0
    suppressed: int = 0
    no_position: int = 0
    unplaced: int = 0
    unsent: int = 0
    callback_errors: int = 0
    malformed: int = 0
    unclaimed: int = 0
    refused: int = 0
    uncovered: int = 0
    late: int = 0
    reconnected: int = 0
    takeovers: int = 0

    @property
    def offered(self) -> int:
        """Events of others that the broker brought and that were judged, received or not."""
        unheard = self.out_of_range + self.outside_proximity + self.no_position
        return self.received + self.suppressed + self.filtered_content + unheard

    @classmethod
    def total(cls, parts: Iterable[Self]) -> Self:
        """Return the sum of several counters."""
        total = cls()
        for part in parts:
            for field in fields(cls):
                setattr(total, field.name, getattr(total, field.name) + getattr(part, field.name))
        return total
