"""Replays a CAN log on a bus, and records what is on a bus in a log."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from eventservices.canlog.frame import Kind, LogFrame
from eventservices.cosmic.frame import FRAME_BYTES, Frame
from eventservices.errors import EventServiceError

if TYPE_CHECKING:
    from types import TracebackType

    from eventservices.canlog.writer import LogWriter
    from eventservices.cosmic.bus import Bus
    from eventservices.cosmic.node import Node

LEAST_SLEEP_S: Final = 0.001
"""Shorter waits are left out, and made up for by the next."""


@dataclass(slots=True)
class Replayed:
    """What became of a log's frames.

    Attributes:
        sent: Data frames passed to the bus.
        remote: Remote frames; they carry no event.
        errors: Error frames; they are of the bus that was recorded, and never data.
        too_long: CAN FD frames of more than 8 bytes.
        refused: Frames that the bus did not accept.
        backwards: Frames whose time lay before that of the frame before; they keep their place.
    """

    sent: int = 0
    remote: int = 0
    errors: int = 0
    too_long: int = 0
    refused: int = 0
    backwards: int = 0


async def replay(
    frames: Iterable[LogFrame],
    node: "Node",
    bus: "Bus",
    *,
    speed: float = 1.0,
    now_s: Callable[[], float] | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Replayed:
    """Put a log's data frames on a bus, in the log's order and at its pace.

    The pace is measured from the start, so that errors do not add up. A time that goes backwards
    makes no wait.

    Args:
        frames: Of the log.
        node: Sends them; it does not receive them.
        bus: The node's.
        speed: How much faster than the log; 0 for as fast as the bus accepts them.
        now_s: A clock that never goes back; the event loop's where None.
        sleep: Waits so many seconds.

    Returns:
        What became of the frames.
    """
    done = Replayed()
    clock = now_s or asyncio.get_running_loop().time
    begun_s, first_us, last_us = clock(), None, None
    for frame in frames:
        if frame.time_us is not None:
            first_us = frame.time_us if first_us is None else first_us
            done.backwards += last_us is not None and frame.time_us < last_us
            last_us = frame.time_us
            if speed:
                wait_s = begun_s + (frame.time_us - first_us) / 1e6 / speed - clock()
                if wait_s >= LEAST_SLEEP_S:
                    await sleep(wait_s)
        _send(frame, node, done)
        await bus.drain()  # the log has the order on the bus: its frames do not compete again
    return done


def _send(frame: LogFrame, node: "Node", done: Replayed) -> None:
    if frame.kind is Kind.REMOTE:
        done.remote += 1
    elif frame.kind is Kind.ERROR:
        done.errors += 1
    elif len(frame.data) > FRAME_BYTES:
        done.too_long += 1
    else:
        try:
            node.send_frame(Frame(frame.can_id, frame.data, frame.extended))
        except EventServiceError:
            done.refused += 1
        else:
            done.sent += 1


class Recorder:
    """Writes every data frame of a bus into a log, until it is closed.

    Args:
        bus: The bus.
        writer: Of the log; it is not closed here.
        channel: What the log calls the bus.
        most: Frames after which no more are written; 0 for no end.
    """

    def __init__(
        self, bus: "Bus", writer: "LogWriter", channel: str = "can0", most: int = 0
    ) -> None:
        self.recorded = 0
        self.skipped = 0
        self._bus = bus
        self._writer = writer
        self._channel = channel
        self._most = most
        bus.monitors.append(self._take)

    def close(self) -> None:
        """Record no more; harmless where that was done."""
        if self._take in self._bus.monitors:
            self._bus.monitors.remove(self._take)

    def __enter__(self) -> Self:
        """Return the recorder."""
        return self

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: BaseException | None,
        trace: "TracebackType | None",
    ) -> None:
        """Record no more."""
        self.close()

    def _take(self, frame: Frame) -> None:
        if self._most and self.recorded >= self._most:
            self.skipped += 1
            return
        fd = len(frame.data) > FRAME_BYTES
        self._writer.write(
            LogFrame(frame.time_us, self._channel, frame.can_id, frame.extended, frame.data, fd=fd)
        )
        self.recorded += 1
