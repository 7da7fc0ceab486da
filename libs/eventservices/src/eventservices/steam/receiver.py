"""Receivers: the part of a node, or of an observer, that listens from a place that may move."""

from collections.abc import Sequence

from eventservices.steam.counters import Counters
from eventservices.steam.coverage import Channel, Coverage
from eventservices.steam.fanout import Listener
from eventservices.steam.link import Acknowledged
from eventservices.steam.location import Location
from eventservices.steam.medium import Carrier, Medium
from eventservices.steam.topics import Kind


class Receiver:
    """Listens where a location service states that it is.

    It costs nothing until something is listened for, and joins the air's rounds only then, if it
    moves at all.

    Args:
        air: The medium.
        carrier: Connection that brings the messages.
        location: States where the receiver is.
        range_m: Its radio range; metres.
        counters: Those of whom it listens for.
    """

    def __init__(
        self,
        air: Medium,
        carrier: Carrier,
        location: Location,
        range_m: float,
        counters: Counters,
    ) -> None:
        self._air = air
        self._location = location
        self._counters = counters
        self._missing: set[Acknowledged] = set()
        self._asked_us = 0
        self._covered_us: int | None = None
        self._channels: set[Channel] = set()
        settings = air.settings
        self.coverage = Coverage(
            carrier.fanout,
            air.grid,
            air.topics,
            reach_m=range_m + (settings.margin_m if location.moves else 0.0),
            leave_after_s=settings.leave_after_s,
        )

    def listen(self, kind: Kind, level: str, listener: Listener) -> list[Acknowledged]:
        """Listen for a channel around the receiver, wherever it goes.

        Returns:
            The broker's replies for the cells of now.

        Raises:
            RefusedError: More topics are requested than the settings allow.
            MalformedError: The radio range touches too many cells.
        """
        channel = Channel(kind, level)
        replies = [] if self._channels else self.look()
        replies += self.coverage.add(channel, listener)
        self._channels.add(channel)
        if self._location.moves:
            self._air.receivers[self] = None
        return replies

    def ignore(self, kind: Kind, level: str) -> None:
        """Listen for a channel no more."""
        self.coverage.remove(Channel(kind, level))
        self._channels.discard(Channel(kind, level))
        if not self._channels:
            self.close()

    def look(self) -> list[Acknowledged]:
        """Query where the receiver is and cover its surroundings.

        Returns:
            The broker's replies for the cells that are new.
        """
        now_us = self._air.clock_us()
        position = self._location.position_at(now_us)
        if position is None:
            # A trace knows where its vehicle is about to appear.
            position = self._location.position_at(now_us + self._air.lead_us)
        replies = self.coverage.move(position, self._air.monotonic_s())
        self._expect(replies, now_us)
        return replies

    def close(self) -> None:
        """Listen for nothing more; harmless where it does not."""
        self._air.receivers.pop(self, None)
        self.coverage.clear()
        self._channels.clear()
        self._covered_us = None

    def _expect(self, replies: Sequence[Acknowledged], asked_us: int) -> None:
        self._asked_us = asked_us
        fresh = {reply for reply in replies if not reply.done()} - self._missing
        self._missing |= fresh
        for reply in fresh:
            reply.add_done_callback(self._arrived)
        if not self._missing:
            self._cover()

    def _arrived(self, reply: Acknowledged) -> None:
        self._missing.discard(reply)
        if not self._missing:
            self._cover()

    def _cover(self) -> None:
        """Note that all cells requested are active, and whether that was in time."""
        if not self._channels:
            return
        before_us, now_us = self._covered_us, self._air.clock_us()
        if self._location.moves and before_us is not None:
            self._counters.late += now_us - before_us > self._air.lead_us
        self._covered_us = self._asked_us
