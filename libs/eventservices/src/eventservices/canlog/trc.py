"""The text of PEAK's TRC logs, versions 1.0 to 2.1.

Of our own, because one broken line must not end the log.

Source:
    PEAK-System, "PEAK CAN TRC File Format", for the columns of each version.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from eventservices.canlog.frame import MAX_EXTENDED_ID, MAX_STANDARD_ID, Kind, LogFrame

DAY_US: Final = 86_400_000_000
_DAYS_TO_1970: Final = 25_569
"""Days from 1899-12-30, from which a start time counts."""
MAX_DAYS: Final = 200_000
_COLUMNS: Final = {
    "1.0": "NOIlD",
    "1.1": "NOTIlD",
    "1.2": "NOBTIlD",
    "1.3": "NOBTIRlD",
    "2.0": "NOTIdlD",
    "2.1": "NOTBIdRlD",
}
_OFFSET = re.compile(r"\d{1,15}(?:\.\d{1,9})?", re.ASCII)
_HEX = re.compile(r"[0-9A-Fa-f]{1,8}")
_DATA_TYPES: Final = frozenset(("DT", "FD", "FB", "FE", "BI", "RR", "RX", "TX"))
_ERROR_TYPES: Final = frozenset(("ER", "ERROR"))
_STATUS_TYPES: Final = frozenset(("ST", "EC", "EV", "WARNG", "WARNING", "EVENT"))
_FD_LENGTHS: Final = (*range(9), 12, 16, 20, 24, 32, 48, 64)
CLASSIC_BYTES: Final = 8


@dataclass(slots=True)
class TrcParser:
    """Reads one log, a line at a time; what the header specifies applies to the lines after it.

    Attributes:
        version: Of the format; 1.0 where the header reports none.
        start_us: When the log began, microseconds since 1970; 0 where the header does not state it.
        columns: Letters of the columns, as `$COLUMNS` has them.
    """

    version: str = "1.0"
    start_us: int = 0
    columns: str = field(default=_COLUMNS["1.0"])

    def parse_line(self, line: str) -> LogFrame | str | None:
        """Return the frame of a line, a reason where it is of another kind, None for a comment.

        Raises:
            ValueError: The line reports no frame; the message states why.
        """
        text = line.strip()
        if not text:
            return None
        if text.startswith(";"):
            self._header(text)
            return None
        words = text.split(maxsplit=len(self.columns) - 1)
        cells = dict(zip(self.columns, words, strict=False))
        if not cells.get("N", "0").removesuffix(")").isdecimal():  # a header may leave it out
            raise ValueError("does not begin with the number of a message")
        kind = cells.get("T", "").upper()
        if kind in _STATUS_TYPES or (self.version == "1.0" and cells.get("I") == "FFFFFFFF"):
            return "status_line"
        if _OFFSET.fullmatch(cells.get("O", "")) is None:
            raise ValueError(f"{cells.get('O', '')[:20]!r} is not a time in milliseconds")
        if kind in _ERROR_TYPES:
            return LogFrame(self._time_us(cells), cells.get("B", "1"), 0, False, kind=Kind.ERROR)
        if "T" in cells and kind not in _DATA_TYPES:
            raise ValueError(f"the type {kind[:20]!r} is not known")
        return self._frame(cells, kind)

    def _header(self, text: str) -> None:
        name, _, value = text.partition("=")
        value = value.strip()
        if name == ";$FILEVERSION":
            if value not in _COLUMNS:
                raise ValueError(f"version {value[:20]} is not known")
            self.version, self.columns = value, _COLUMNS[value]
        elif name == ";$STARTTIME":
            self.start_us = _days_us(value)
        elif name == ";$COLUMNS":
            letters = value.replace(",", "").replace(" ", "")
            if not letters or len(set(letters)) != len(letters) or not letters.isalpha():
                raise ValueError(f"columns {value[:40]!r} are not known")
            self.columns = letters.replace("L", "l")

    def _time_us(self, cells: dict[str, str]) -> int:
        whole, _, fraction = cells["O"].partition(".")
        return self.start_us + int(whole) * 1000 + int(fraction.ljust(3, "0")[:3])

    def _frame(self, cells: dict[str, str], kind: str) -> LogFrame:
        identifier, length = cells.get("I", ""), cells.get("l", "")
        if not _HEX.fullmatch(identifier):
            raise ValueError(f"identifier {identifier[:20]!r} is not hexadecimal")
        if not (length.isdecimal() and len(length) <= 2):
            raise ValueError(f"length {length[:20]!r} is not a number")
        can_id = int(identifier, 16)
        # Some tools leave out the zeros before an identifier of 29 bits.
        extended = len(identifier) > len("FFFF") or can_id > MAX_STANDARD_ID
        if can_id > MAX_EXTENDED_ID:
            raise ValueError(f"identifier {identifier} is out of range")
        fd = kind in ("FD", "FB", "FE", "BI")
        data = cells.get("D", "").split()
        remote = kind == "RR" or bool(data and data[0] == "RTR")
        return LogFrame(
            self._time_us(cells),
            cells.get("B", "1"),
            can_id,
            extended,
            b"" if remote else _octets(data, int(length), fd=fd),
            Kind.REMOTE if remote else Kind.DATA,
            min(int(length), CLASSIC_BYTES) if remote else 0,
            fd,
            kind in ("FB", "FE"),
            kind in ("FE", "BI"),
            direction={"rx": "R", "tx": "T"}.get((cells.get("d") or kind).lower(), ""),
        )


def _octets(words: list[str], length: int, *, fd: bool) -> bytes:
    if fd and length not in _FD_LENGTHS:
        raise ValueError(f"no CAN FD frame has {length} bytes")
    length = length if fd else min(length, CLASSIC_BYTES)
    if len(words) < length:
        raise ValueError(f"{len(words)} data bytes instead of {length}")
    try:
        found = bytes(int(word, 16) for word in words[:length] if len(word) == 2)
    except ValueError:
        found = b""
    if len(found) != length:
        raise ValueError(f"data {' '.join(words[:length])[:40]!r} are not bytes")
    return found


def _days_us(text: str) -> int:
    whole, _, fraction = text.partition(".")
    if not (whole.isdecimal() and len(whole) <= 6 and (fraction or "0").isdecimal()):
        raise ValueError(f"start time {text[:40]!r} is not a number of days")
    days = int(whole)
    if days > MAX_DAYS:
        raise ValueError(f"start time {text[:40]!r} is out of range")
    digits = fraction[:18] or "0"
    return (days - _DAYS_TO_1970) * DAY_US + int(digits) * DAY_US // int(
        "1".ljust(len(digits) + 1, "0")
    )
