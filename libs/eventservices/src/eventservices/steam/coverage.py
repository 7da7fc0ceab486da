"""Coverage: the cells in which a receiver listens, wherever it goes."""

from collections.abc import Iterable
from dataclasses import dataclass

from eventservices.errors import EventServiceError
from eventservices.steam.cells import Cell, Grid
from eventservices.steam.fanout import Fanout, Listener
from eventservices.steam.geometry import Position
from eventservices.steam.link import Acknowledged
from eventservices.steam.topics import Kind, Topics


@dataclass(frozen=True, slots=True)
class Channel:
    """What a receiver listens for in each cell.

    Attributes:
        kind: What is carried.
        level: The encoded subject, or `topics.ANY`.
    """

    kind: Kind
    level: str


class Coverage:
    """Keeps a receiver subscribed to every cell that its disc touches.

    New cells are joined before old ones are left, and those late, so that nothing in transit is
    lost.

    Args:
        fanout: Carries the subscriptions.
        grid: Cuts the Earth into cells.
        topics: Names their topics.
        reach_m: Radius of the disc: radio range, and a margin where the receiver moves.
        leave_after_s: Wall time for which a cell is kept that is not needed any more.
    """

    def __init__(
        self, fanout: Fanout, grid: Grid, topics: Topics, *, reach_m: float, leave_after_s: float
    ) -> None:
        self._fanout = fanout
        self._grid = grid
        self._topics = topics
        self._reach_m = reach_m
        self._leave_after_s = leave_after_s
        self._channels: dict[Channel, Listener] = {}
        self._needed_s: dict[Cell, float] = {}
        self._centre: Position | None = None
        self._disc: set[Cell] = set()

    @property
    def cells(self) -> frozenset[Cell]:
        """Cells that are listened to now."""
        return frozenset(self._needed_s)

    def add(self, channel: Channel, listener: Listener) -> list[Acknowledged]:
        """Listen for a channel in every cell covered, and in those to come."""
        replies = self._join(channel, listener, self._needed_s)
        self._channels[channel] = listener
        return replies

    def remove(self, channel: Channel) -> None:
        """Listen for a channel no more."""
        listener = self._channels.pop(channel, None)
        if listener is not None:
            self._leave(channel, listener, self._needed_s)

    def move(self, position: Position | None, now_s: float) -> list[Acknowledged]:
        """Cover the surroundings of a position.

        Args:
            position: Where the receiver is; None where that is not known.
            now_s: Monotonic wall time; seconds.

        Returns:
            The broker's replies for the cells that are new.

        Raises:
            RefusedError: More topics are requested than the settings allow.
            MalformedError: The disc touches too many cells.
        """
        replies = []
        if position != self._centre:
            disc = self._grid.cover(position, self._reach_m) if position else set()
            replies = self._enter(disc - self._needed_s.keys(), now_s)
            self._centre, self._disc = position, disc  # so that what was refused is tried again
        self._needed_s.update(dict.fromkeys(self._disc, now_s))
        self._drop([c for c, seen in self._needed_s.items() if now_s - seen > self._leave_after_s])
        return replies

    def clear(self) -> None:
        """Leave every cell."""
        self._drop(list(self._needed_s))
        self._channels.clear()
        self._centre, self._disc = None, set()

    def _enter(self, cells: Iterable[Cell], now_s: float) -> list[Acknowledged]:
        fresh = list(cells)
        replies = []
        try:
            for channel, listener in self._channels.items():
                replies += self._join(channel, listener, fresh)
        except EventServiceError:
            for channel, listener in self._channels.items():
                self._leave(channel, listener, fresh)
            raise
        self._needed_s.update(dict.fromkeys(fresh, now_s))
        return replies

    def _drop(self, cells: list[Cell]) -> None:
        for channel, listener in self._channels.items():
            self._leave(channel, listener, cells)
        for cell in cells:
            del self._needed_s[cell]

    def _join(
        self, channel: Channel, listener: Listener, cells: Iterable[Cell]
    ) -> list[Acknowledged]:
        return self._fanout.join(channel.kind, self._names(channel, cells), listener)

    def _leave(self, channel: Channel, listener: Listener, cells: Iterable[Cell]) -> None:
        self._fanout.leave(self._names(channel, cells), listener)

    def _names(self, channel: Channel, cells: Iterable[Cell]) -> list[str]:
        return [self._topics.of(channel.kind, cell, channel.level) for cell in cells]
