"""Receivers: the part of a node, or of an observer, that listens from a place that may move."""

from typing import TYPE_CHECKING

from eventservices.steam.coverage import Channel, Coverage
from eventservices.steam.fanout import Listener
from eventservices.steam.link import Acknowledged
from eventservices.steam.location import Location
from eventservices.steam.topics import Kind

if TYPE_CHECKING:
    from eventservices.steam.air import Air, Carrier


class Receiver:
    """Listens where a location service says that it is.

    It costs nothing until something is listened for, and joins the air's rounds only then, if it
    moves at all.

    Args:
        air: The medium.
        carrier: Connection that brings the messages.
        location: Tells where the receiver is.
        range_m: Its radio range; metres.
    """

    def __init__(self, air: "Air", carrier: "Carrier", location: Location, range_m: float) -> None:
        self._air = air
        self._location = location
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
            RefusedError: More topics are wanted than the settings allow.
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
        """Ask where the receiver is and cover its surroundings.

        Returns:
            The broker's replies for the cells that are new.
        """
        now_us = self._air.clock_us()
        position = self._location.position_at(now_us)
        if position is None:
            # A trace knows where its vehicle is about to appear.
            position = self._location.position_at(now_us + self._air.lead_us)
        return self.coverage.move(position, self._air.monotonic_s())

    def close(self) -> None:
        """Listen for nothing more; harmless where it does not."""
        self._air.receivers.pop(self, None)
        self.coverage.clear()
        self._channels.clear()
