"""Playing a trace: every frame at its moment, told to the ground truth."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from serving.clocks import wall_us

from can_sim.bus import Bus
from can_sim.errors import BusError
from can_sim.groundtruth import GroundTruth
from can_sim.pace import Pacer
from can_sim.payload import speed_frame
from can_sim.schedule import Due

LATE_LIMIT_US = 5_000_000
"""A live frame later than this is not sent: a bus does not report what was long ago."""
FRAMES_IN_A_ROW = 16
"""Frames after which the event loop gets its turn, however busy it is here."""


@dataclass(slots=True)
class Played:
    """What became of the frames.

    Attributes:
        frames: Frames that were due.
        sent: Frames put on a bus.
        saturated: Frames whose speed did not fit the byte.
        skipped: Frames not sent, by reason: `late`, `stalled`, or the bus's own.
        latest_us: Latest that a frame was sent, microseconds.
    """

    frames: int = 0
    sent: int = 0
    saturated: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    latest_us: int = 0


class Player:
    """Puts what is due on the buses.

    Args:
        bus: Takes the frames.
        truth: Is told of each.
        stopping: Ends the play when set.
        on_frame: Called after every frame, to show progress.
        pacer: Waits for the moments.
        now_us: The wall clock.
    """

    def __init__(
        self,
        bus: Bus,
        truth: GroundTruth,
        stopping: asyncio.Event,
        *,
        on_frame: Callable[[Played], None] = lambda _played: None,
        pacer: Pacer | None = None,
        now_us: Callable[[], int] = wall_us,
    ) -> None:
        self.played = Played()
        self._bus = bus
        self._truth = truth
        self._stopping = stopping
        self._on_frame = on_frame
        self._pacer = pacer or Pacer(stopping, truth.flush)
        self._now_us = now_us

    async def play(self, schedule: Iterable[Due]) -> Played:
        """Play to the end, or until told to stop."""
        for due in schedule:
            late_us = 0 if due.wall_us is None else await self._pacer.until(due.wall_us)
            if self._stopping.is_set():
                break
            await self._tell(due, late_us)
            self._on_frame(self.played)
            if self.played.frames % FRAMES_IN_A_ROW == 0:
                await asyncio.sleep(0)
        return self.played

    async def _tell(self, due: Due, late_us: int) -> None:
        row, played = due.row, self.played
        frame = speed_frame(row.licence, row.speed_kmh)
        played.frames += 1
        played.saturated += frame.saturated
        try:
            if due.live and late_us > LATE_LIMIT_US:
                raise BusError("late")  # noqa: TRY301 - counted like any frame that was not sent
            wall_us = self._now_us()
            stamp = await self._bus.put(row.vehicle, frame.data, row.time_us)
        except BusError as error:
            played.skipped[error.reason] += 1
            self._truth.write(row, frame.rate, self._now_us(), None, error.reason)
        else:
            played.sent += 1
            played.latest_us = max(played.latest_us, late_us)
            self._truth.write(row, frame.rate, wall_us, stamp)
