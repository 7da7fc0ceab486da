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

_TOLD = {
    "short_fraction": "a short fraction is read as a decimal: .24 is 0.24 s",
    "differences": "times are differences from the line before (-td) and are added up",
    "date_without_zone": "the date has no zone and is taken for UTC",
}
"""What is noted once, beside its count."""


def read_frames(path: Path, tally: Tally) -> Iterator[LogFrame]:
    """Yield the frames of a log in the log's order, error and remote frames among them.

    The suffix tells the format: `.asc`, `.blf`, `.trc`, `.csv` (of GVRET), anything else is
    candump's text; `.gz` after it is read through gzip.

    Args:
        path: The log.
        tally: Counts `broken_line`, with its place, `missing` (what the log promises and does not
            have), `cut_off`, and what `eventservices.canlog.watch.Watch.noticed` is reported.

    Raises:
        InputError: The log cannot be read, or a line is broken and `tally` strict.
    """
    with open_bytes(path, tally) as stream:
        try:
            yield from frames_of(stream, kind_of(path.name), _Watch(path, tally))
        except MalformedError as error:
            raise InputError(str(error), str(path)) from error


class _Watch:
    """Reports to a tally what is odd in one log."""

    def __init__(self, path: Path, tally: Tally) -> None:
        self._path = path
        self._tally = tally

    def broken(self, line: int, reason: str) -> None:
        """Count a broken line, or end the reading."""
        self._tally.bad("broken_line", InputError(reason, str(self._path), line))

    def missing(self, count: int, reason: str) -> None:
        """Count what the log promises and does not have, or end the reading."""
        self._tally.bad("missing", InputError(f"holds {reason}", str(self._path)))
        self._tally.skip("missing", count - 1)

    def noticed(self, what: str, line: int) -> None:
        """Count a line that was read all the same, or need not be."""
        place = f"{self._path}:{line}" if line else str(self._path)
        if what in _TOLD and not self._tally.skipped[what]:
            place = f"{place}: {_TOLD[what]}"
            self._tally.note(place)
        self._tally.skip(what, place=place)
