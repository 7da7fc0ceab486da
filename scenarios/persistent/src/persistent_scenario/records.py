"""What the native clients write down: lines of JSON, one a fact."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, TypeVar

import msgspec

from persistent_scenario.kills import How

PLAN: Final = "plan.json"
PUBLISHED: Final = "published.jsonl"
RECEIVED: Final = "received.jsonl"
KILLED: Final = "killed.jsonl"
VERDICT: Final = "verdict.json"


class Plan(msgspec.Struct, frozen=True):
    """What a run is about.

    Attributes:
        events: Readings that someone requests.
        origins: Stations.
        rate: Readings a second; 0 for as fast as they are accepted.
        kills: How many times something is killed.
        seed: Of the values, and of what is killed when.
        first: Event service where stations publish.
        last: Event service where readers are.
    """

    events: int
    origins: int
    rate: float
    kills: int
    seed: int
    first: str
    last: str


class Tried(msgspec.Struct, frozen=True, tag="tried", tag_field="what"):
    """A station is about to publish a reading.

    Attributes:
        origin, number, value: The reading.
        identity: Its stamp's: origin, epoch and sequence.
        at_us: When, wall clock.
    """

    origin: str
    number: int
    value: int
    identity: str
    at_us: int


class Stored(msgspec.Struct, frozen=True, tag="stored", tag_field="what"):
    """The event service has acknowledged a reading: from now on it must not be lost."""

    identity: str
    at_us: int


class Received(msgspec.Struct, frozen=True, tag="received", tag_field="what"):
    """A reading that a client received; the fields as in `Tried`."""

    by: str
    origin: str
    number: int
    value: int
    identity: str
    at_us: int


class Suppressed(msgspec.Struct, frozen=True, tag="suppressed", tag_field="what"):
    """How many copies a client's native API had kept from it by the end."""

    by: str
    count: int


class Killed(msgspec.Struct, frozen=True, tag="killed", tag_field="what"):
    """Something became of parts at the same moment.

    Attributes:
        parts: The parts.
        at_us: Just after; of what halted, when it went on.
        how: What became of them.
    """

    parts: tuple[str, ...]
    at_us: int
    how: How = How.KILLED


Line = Tried | Stored | Received | Suppressed | Killed
Kind = TypeVar("Kind", Tried, Stored, Received, Suppressed, Killed)

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Line).decode


class Recorder:
    """Writes lines into a file; what was written outlives the process.

    Args:
        path: The file; made at once.
    """

    def __init__(self, path: Path) -> None:
        self._file: IO[bytes] = path.open("ab", buffering=0)

    def write(self, *lines: Line) -> None:
        """Write lines, whole."""
        self._file.write(b"".join(_encode(line) + b"\n" for line in lines))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read(path: Path) -> Iterator[Line]:
    """Yield the lines of a file; a last one that was not finished is left out.

    Raises:
        ValueError: A line is none of ours.
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.endswith(b"\n"):
                try:
                    yield _decode(line)
                except msgspec.MsgspecError as error:
                    raise ValueError(f"{path}:{number}: {error}") from error


class LineCount:
    """Counts the lines of a file that grows.

    Args:
        path: The file; may not be there yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._lines = 0

    def read(self) -> int:
        """Return how many whole lines there are by now."""
        with suppress(FileNotFoundError), self._path.open("rb") as file:
            file.seek(self._offset)
            while chunk := file.read(1 << 20):
                self._lines += chunk.count(b"\n")
                self._offset += len(chunk)
        return self._lines


def write_plan(folder: Path, plan: Plan) -> None:
    """Write down what a run is about."""
    fresh = folder / f".{PLAN}"
    fresh.write_bytes(msgspec.json.format(_encode(plan)) + b"\n")
    fresh.replace(folder / PLAN)


def read_plan(folder: Path) -> Plan:
    """Return what a run is about.

    Raises:
        ValueError: The file is not a plan.
        OSError: The file cannot be read.
    """
    try:
        return msgspec.json.decode((folder / PLAN).read_bytes(), type=Plan)
    except msgspec.MsgspecError as error:
        raise ValueError(f"{folder / PLAN}: {error}") from error
