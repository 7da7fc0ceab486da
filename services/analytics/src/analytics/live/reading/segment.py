"""Segments: what was read of the logs at one time, as one file that never changes.

Each line of a segment is an object: `k` its kind, `f` the file that it was read from, `o` where it
begins there, `n` its number there, counted from 1, and `v` its text. The last states how far the
reading came, and is of the kind `end`.
"""

import json
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from analytics.inputs.folder import COMMANDS, DELIVERIES, OUTAGES, TRUTH

SCHEMA: Final = "k string, f string, o bigint, n bigint, v string"
"""Columns of a segment."""

END: Final = "end"
EVENT_LOG: Final = "event_log"

KINDS: Final = {
    TRUTH: "truth",
    COMMANDS: "commands",
    DELIVERIES: "deliveries",
    OUTAGES: "outages",
}
"""Kinds of lines by the files that hold them; all others are event logs."""


class Position(msgspec.Struct, frozen=True):
    """How far a file was read: bytes, and lines."""

    offset: int = 0
    lines: int = 0


class End(msgspec.Struct, frozen=True):
    """How far the reading came.

    Attributes:
        number: Of the segment, counted from 1.
        now_us: When it was read, wall clock.
        lines: How many lines the segment holds.
        positions: How far each file was read; those that are gone are left out.
        files: Each file that was ever seen, and its path inside the run folder.
        heads: A checksum of the beginning of a file that must stay the same.
        unended: The last line of each file that lacks its end.
        lost: Files that were removed before they had been read.
        unread: Bytes of each file that could have been read and were not.
        behind: Files whose rest was not read: what comes next in them is as old as what was read.
        quiet: Nothing grows any more.
    """

    number: int
    now_us: int
    lines: int = 0
    positions: dict[str, Position] = {}
    files: dict[str, str] = {}
    heads: dict[str, int] = {}
    unended: dict[str, int] = {}
    lost: tuple[str, ...] = ()
    unread: dict[str, int] = {}
    behind: tuple[str, ...] = ()
    quiet: bool = False

    @property
    def waiting(self) -> int:
        """How many bytes could have been read and were not."""
        return sum(self.unread.values())


@dataclass(slots=True)
class Segment:
    """A segment as it is made."""

    lines: list[bytes] = field(default_factory=list)

    def add(self, file: str, kind: str, position: Position, line: bytes) -> None:
        """Add a line that begins at a position of a file."""
        told = {"k": kind, "f": file, "o": position.offset, "n": position.lines + 1}
        self.lines.append(_packed({**told, "v": _text(line)}))

    def ended(self, end: End) -> bytes:
        """Return the whole segment."""
        last = {"k": END, "f": "", "o": 0, "n": 0, "v": msgspec.json.encode(end).decode()}
        return b"".join([*self.lines, _packed(last)])


def read_end(text: str | bytes) -> End:
    """Return how far the reading came, from the text of the last line of a segment."""
    return msgspec.json.decode(text, type=End)


def end_of(segment: bytes) -> End:
    """Return how far the reading came, from a whole segment."""
    last = segment.rstrip(b"\n").rpartition(b"\n")[2]
    return read_end(json.loads(last)["v"])


def _text(line: bytes) -> str:
    """Return a line as text; what is not UTF-8 stays what no schema accepts."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return "\ufffd" + line.decode("utf-8", errors="replace")


def _packed(members: dict[str, Any]) -> bytes:
    return json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
