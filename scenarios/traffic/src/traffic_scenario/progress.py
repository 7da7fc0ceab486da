"""How far a run is, from the files that it writes."""

import time
from collections.abc import Callable
from pathlib import Path

from traffic_scenario.runfolder import GROUND_TRUTH, OFFENDERS

LINES = 12
"""About how many lines a run prints."""
SHORTEST_S = 2.0


class Progress:
    """Prints now and then how many frames were sent and how many offenders were reported.

    Args:
        folder: The run folder.
        frames: How many frames there will be.
        lasts_s: Duration of the play of the trace; wall clock.
        say: Prints a line.
        clock_s: A clock that only grows, seconds.
    """

    def __init__(
        self,
        folder: Path,
        frames: int,
        lasts_s: float,
        say: Callable[[str], None],
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sent = LineCount(folder / GROUND_TRUTH)
        self._reported = LineCount(folder / OFFENDERS)
        self._frames = frames
        self._every_s = max(SHORTEST_S, lasts_s / LINES)
        self._say = say
        self._clock_s = clock_s
        self._last_s = clock_s()

    def look(self) -> None:
        """Print a line if it is time, and something is new."""
        if self._clock_s() - self._last_s < self._every_s:
            return
        self._last_s = self._clock_s()
        grown = self._sent.read() + self._reported.read()
        if grown:
            self._say(
                f"{self._sent.lines} of {self._frames} frames sent,"
                f" {self._reported.lines} offenders reported"
            )


class LineCount:
    """Counts the lines of a file that grows.

    Args:
        path: The file; may not be there yet.
    """

    def __init__(self, path: Path) -> None:
        self.lines = 0
        self._path = path
        self._offset = 0

    def read(self) -> int:
        """Count what is new; return how many lines that are."""
        before = self.lines
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                while chunk := file.read(1 << 20):
                    self.lines += chunk.count(b"\n")
                    self._offset += len(chunk)
        except FileNotFoundError:
            return 0
        return self.lines - before
