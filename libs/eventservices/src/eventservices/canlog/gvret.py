"""The CSV of GVRET, as SavvyCAN writes it.

Source:
    SavvyCAN, `framefileio.cpp`: `Time Stamp,ID,Extended,Dir,Bus,LEN,D1,…`, times in microseconds,
    identifiers and data hexadecimal; older files have no `Dir`.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from eventservices.canlog.frame import MAX_EXTENDED_ID, MAX_STANDARD_ID, LogFrame

_FD_LENGTHS: Final = (*range(9), 12, 16, 20, 24, 32, 48, 64)
CLASSIC_BYTES: Final = 8
_NEEDED: Final = frozenset(("time stamp", "id", "extended", "len", "d1"))
_MICROSECONDS: Final = re.compile(r"\d{1,18}", re.ASCII)
_HEX: Final = re.compile(r"[0-9A-Fa-f]{1,8}")


def is_header(line: str) -> bool:
    """Return whether a line is the header of such a file."""
    return set(_names(line)) >= _NEEDED


@dataclass(slots=True)
class GvretParser:
    """Reads one log, a line at a time.

    Attributes:
        columns: Names of the columns in lower case, once the header was read.
    """

    columns: list[str] = field(default_factory=list)

    def parse_line(self, line: str) -> LogFrame | None:
        """Return the frame of a line; None for the header and blank lines.

        Raises:
            ValueError: The line reports no frame; the message states why.
        """
        if not line.strip():
            return None
        if is_header(line):
            self.columns = _names(line)
            return None
        if not self.columns:
            raise ValueError("is before the header")
        words = [word.strip() for word in line.strip().split(",")]
        cells = dict(zip(self.columns, words, strict=False))
        if not _MICROSECONDS.fullmatch(words[0]) or self.columns[0] != "time stamp":
            raise ValueError(f"{words[0][:20]!r} is not a time in microseconds")
        can_id, extended = _identified(cells.get("id", ""), cells.get("extended", "").lower())
        data = _octets(words[self.columns.index("d1") :], cells.get("len", ""))
        return LogFrame(
            int(words[0]),
            cells.get("bus", ""),
            can_id,
            extended,
            data,
            fd=len(data) > CLASSIC_BYTES,
            direction={"rx": "R", "tx": "T"}.get(cells.get("dir", "").lower(), ""),
        )


def _names(line: str) -> list[str]:
    return [name.strip().lower() for name in line.strip().split(",")]


def _identified(text: str, extended: str) -> tuple[int, bool]:
    if extended not in ("true", "false", "1", "0"):
        raise ValueError(f"extended {extended[:20]!r} is neither true nor false")
    if not _HEX.fullmatch(text):
        raise ValueError(f"identifier {text[:20]!r} is not hexadecimal")
    is_long = extended in ("true", "1")
    can_id = int(text, 16)
    if can_id > (MAX_EXTENDED_ID if is_long else MAX_STANDARD_ID):
        raise ValueError(f"identifier {text} is out of range")
    return can_id, is_long


def _octets(words: list[str], length: str) -> bytes:
    if not (length.isdecimal() and len(length) < 3 and int(length) in _FD_LENGTHS):
        raise ValueError(f"length {length[:20]!r} is not one of a frame")
    held = words[: int(length)]
    if len(held) < int(length) or not all(len(w) <= 2 and _HEX.fullmatch(w) for w in held):
        raise ValueError(f"data {' '.join(held)[:40]!r} are not {length} bytes")
    return bytes(int(word, 16) for word in held)
