"""The frames of a CAN log, whatever its format; what is odd in it goes to a tally."""

from collections.abc import Iterator
from pathlib import Path

from eventservices.canlog.frame import LogFrame
from eventservices.canlog.reader import kind_of
from eventservices.canlog.reader import read_frames as frames_of
from eventservices.errors import MalformedError

from can_sim.errors import InputError
from can_sim.opening import open_bytes
from can_sim.tally import Tally


def read_frames(path: Path, tally: Tally) -> Iterator[LogFrame]:
    """Yield the frames of a log in the log's order, error and remote frames among them.

    The suffix tells the format: `.asc`, `.blf`, `.trc`, anything else is candump's text; `.gz`
    after it is read through gzip.

    Args:
        path: The log.
        tally: Counts `broken_line`, with its number, and `nul_bytes` (lines that hold any) and
            `short_fraction` (read as a decimal; the C tools read microseconds).

    Raises:
        InputError: The log cannot be read, or a line is broken and `tally` strict.
    """
    with open_bytes(path) as stream:
        try:
            yield from frames_of(stream, kind_of(path.name), _Watch(path, tally))
        except MalformedError as error:
            raise InputError(str(error), str(path)) from error


class _Watch:
    """Tells a tally what is odd in one log."""

    def __init__(self, path: Path, tally: Tally) -> None:
        self._path = path
        self._tally = tally

    def broken(self, line: int, reason: str) -> None:
        """Count a broken line, or end the reading."""
        self._tally.bad("broken_line", InputError(reason, str(self._path), line))

    def noticed(self, what: str, line: int) -> None:
        """Count a line that was read all the same."""
        if what == "short_fraction" and not self._tally.skipped[what]:
            place = f"{self._path}:{line}"
            self._tally.note(f"{place}: a short fraction is read as a decimal: .24 is 0.24 s")
        self._tally.skip(what)
