"""The ground truth of a run: one JSON line for each frame that was put on a bus, or could not be.

A file whose last line is younger than the run's clock belongs to this run: can-sim was started
again, and goes on after that line. Any other file is begun again.
"""

import json
from pathlib import Path
from typing import Self

from eventservices.stamp import Stamp

from can_sim.errors import InputError
from can_sim.runfolder import Planned

FLUSH_US = 500_000
_LOOK_BACK_BYTES = 8192


class GroundTruth:
    """Writes the file; flushed at least once a second while the run goes on.

    Args:
        path: The file; its folder is made if absent.
        wall_start_us: When this run's clock began, microseconds since 1970 UTC.

    Attributes:
        last: Time and vehicle of the last line, where this run wrote to the file before.

    Raises:
        InputError: The file cannot be written.
    """

    def __init__(self, path: Path, wall_start_us: int) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.last, keep = _last_line(path, wall_start_us)
            self._stream = path.open("r+b" if keep else "wb")
        except OSError as error:
            raise InputError(error.strerror or str(error), str(path)) from error
        self._stream.seek(keep)
        self._stream.truncate()
        self._flushed_us = 0

    def write(
        self, row: Planned, rate: int, wall_us: int, stamp: Stamp | None, reason: str = ""
    ) -> None:
        """Append a line.

        Args:
            row: What was told.
            rate: The speed in the frame, km/h.
            wall_us: When, microseconds since 1970 UTC.
            stamp: The event's stamp; None where the frame was not sent.
            reason: Why it was not.
        """
        line: dict[str, object] = {
            "v": 1,
            "wall_us": wall_us,
            "time_us": row.time_us,
            "vehicle": row.vehicle,
            "licence": row.licence,
            "lat": row.lat,
            "lon": row.lon,
            "speed_kmh": row.speed_kmh,
            "rate": rate,
            "id": _identity(stamp),
        }
        if stamp is None:
            line |= {"sent": False, "reason": reason}
        self._stream.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        if wall_us - self._flushed_us >= FLUSH_US:
            self.flush()
            self._flushed_us = wall_us

    def flush(self) -> None:
        """Hand what was written to the operating system."""
        self._stream.flush()

    def close(self) -> None:
        """Flush and close; harmless where closed."""
        self._stream.close()

    def __enter__(self) -> Self:
        """Return the file, open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()


def _identity(stamp: Stamp | None) -> str:
    return "/".join(str(part) for part in stamp.identity) if stamp else ""


def _last_line(path: Path, wall_start_us: int) -> tuple[tuple[int, str] | None, int]:
    """Return the last whole line's time and vehicle, and the bytes up to its end."""
    if not path.exists():
        return None, 0
    size = path.stat().st_size
    with path.open("rb") as stream:
        stream.seek(max(0, size - _LOOK_BACK_BYTES))
        tail = stream.read()
    whole, end, _ = tail.rpartition(b"\n")
    try:
        line = json.loads(whole.rpartition(b"\n")[2])
        if line["wall_us"] < wall_start_us:
            return None, 0
        return (int(line["time_us"]), str(line["vehicle"])), size - len(tail) + len(whole + end)
    except (ValueError, KeyError, TypeError):
        return None, 0
