"""The text of Vector's ASC logs.

Of our own, because a reader must get through whatever a logger wrote after the data bytes, and
one broken line must not end the log.
"""

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from eventservices.canlog.frame import MAX_EXTENDED_ID, MAX_STANDARD_ID, Kind, LogFrame

_DIRECTIONS = {"rx": "R", "tx": "T"}
_DECIMAL_DIGITS = frozenset("0123456789")
_HEX_DIGITS = _DECIMAL_DIGITS | frozenset("abcdefABCDEF")
_HEADERS = frozenset(
    ("date", "base", "no", "internal", "begin", "end", "previous", "version", "comment", "start")
)
_MONTHS = {
    name: number
    for names in (
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "jan feb mär apr mai jun jul aug sep okt nov dez",
    )
    for number, name in enumerate(names.split(), start=1)
} | {"mrz": 3}
_CLOCK = re.compile(r"(?P<h>\d{1,2}):(?P<m>\d{2}):(?P<s>\d{2})(?:[.,](?P<f>\d{1,9}))?", re.ASCII)
_HALF = re.compile(r"\b[ap]\.?m\b", re.IGNORECASE)
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FD_BYTES = (*range(9), 12, 16, 20, 24, 32, 48, 64)


REQUESTED = "txrq"
"""A request to transmit; the frame follows as `Tx` once it is on the bus."""


@dataclass(slots=True)
class AscParser:
    """Reads one log, a line at a time; what the header specifies applies to the lines after it.

    Times count from the start of the measurement, whose own time is in the header.

    Attributes:
        base: Base of identifiers and data, 16 or 10.
        relative: Whether each line's time counts from the line before.
        started_us: When the measurement began, microseconds since 1970; None where the header does
            not state it. Without a zone it is treated as UTC.
        has_zone: Whether the header states a zone.
    """

    base: int = 16
    relative: bool = False
    started_us: int | None = None
    has_zone: bool = False
    _last_us: int = field(default=0, repr=False)

    def parse_line(self, line: str) -> LogFrame | None:
        """Return the frame of a line; None for header, comment, status and other events.

        Raises:
            ValueError: The line begins like a frame and is broken; the message states why.
        """
        words = line.split()
        if len(words) >= 2 and words[0].lower() == "base":
            self._header([word.lower() for word in words])
            return None
        if len(words) >= 2 and words[0].lower() == "date" and self.started_us is None:
            self.started_us, self.has_zone = read_date(line[4:])
            return None
        time_us = _time_us(words[0]) if words else None
        if time_us is None:
            return None
        if len(words) < 3:
            raise ValueError("is cut off after its time")
        self._last_us = time_us + (self._last_us if self.relative else 0)
        frame = LogFrame(self._last_us, words[1], 0, extended=False)
        if words[1].isdigit():
            return self._classic(frame, words[2:])
        if words[1].upper() == "CANFD" and len(words) > 4:
            return self._fd(replace(frame, channel=words[2], fd=True), words[3:])
        return None

    def _header(self, words: list[str]) -> None:
        self.base = 10 if words[1] == "dec" else 16
        self.relative = "relative" in words

    def _classic(self, frame: LogFrame, words: list[str]) -> LogFrame | None:
        if words[0].lower() == "errorframe":
            return replace(frame, kind=Kind.ERROR)
        if words[1:2] and words[1].lower() == REQUESTED:
            return None
        if len(words) < 3 or words[1].lower() not in _DIRECTIONS:
            if set(words[0].rstrip("xX")) <= _HEX_DIGITS:
                raise ValueError("is cut off, or has no direction")
            return None
        frame = self._identified(frame, words[0], words[1])
        kind = words[2].lower()
        if kind == "r":
            asked = self._number(words[3], "length") if words[3:4] and words[3].isdecimal() else 0
            return replace(frame, kind=Kind.REMOTE, remote_length=min(asked, 8))
        if kind != "d" or len(words) < 4:
            raise ValueError("has neither data (`d`) with a length nor a remote frame (`r`)")
        length = min(self._number(words[3], "length code"), 8)
        return replace(frame, data=self._data(words[4:], length))

    def _fd(self, frame: LogFrame, words: list[str]) -> LogFrame:
        if words[1].lower() == "errorframe":
            return replace(frame, kind=Kind.ERROR)
        frame = self._identified(frame, words[1], words[0])
        named = len(words) > 2 and words[2] not in ("0", "1")
        rest = words[3:] if named else words[2:]
        if len(rest) < 4:
            raise ValueError("a CAN FD frame lacks its flags or lengths")
        code, length = self._number(rest[2], "length code", 16), self._number(rest[3], "length", 10)
        if length == 0 and code:
            return replace(frame, kind=Kind.REMOTE, remote_length=code)
        if length not in _FD_BYTES:
            raise ValueError(f"no CAN FD frame has {length} bytes")
        return replace(
            frame,
            data=self._data(rest[4:], length),
            bit_rate_switch=rest[0] == "1",
            error_state=rest[1] == "1",
        )

    def _identified(self, frame: LogFrame, identifier: str, direction: str) -> LogFrame:
        extended = identifier[-1:].lower() == "x"
        can_id = self._number(identifier.rstrip("xX"), "identifier")
        if can_id > (MAX_EXTENDED_ID if extended else MAX_STANDARD_ID):
            raise ValueError(f"identifier {identifier} is out of range")
        letter = _DIRECTIONS.get(direction.lower(), "")
        return replace(frame, can_id=can_id, extended=extended, direction=letter)

    def _data(self, words: list[str], length: int) -> bytes:
        if len(words) < length:
            raise ValueError(f"{len(words)} data bytes instead of {length}")
        try:
            return bytes(self._number(word, "byte") for word in words[:length])
        except ValueError:
            raise ValueError(f"data {' '.join(words[:length])!r} are not bytes") from None

    def _number(self, word: str, what: str, base: int = 0) -> int:
        base = base or self.base
        if not word or not set(word) <= (_HEX_DIGITS if base == 16 else _DECIMAL_DIGITS):
            raise ValueError(f"{what} {word[:20]!r} is not a number")
        return int(word, base)


def other_line(line: str) -> str:
    """Return what a line is that reports no frame: `other_event`, or nothing for a header.

    Raises:
        ValueError: It is neither.
    """
    words = line.split()
    if not words or line.lstrip().startswith(("//", "#", ";")):
        return ""
    if _time_us(words[0]) is not None:
        return "other_event"
    if words[0].lower() in _HEADERS:
        return ""
    raise ValueError("is neither of the header nor begins with a time")


def read_date(text: str) -> tuple[int | None, bool]:
    """Return the moment of a header's date, and whether it states a zone.

    Read are English and German names of months, a clock of 12 or 24 hours, and ISO dates.

    Returns:
        Microseconds since 1970, of UTC where there is no zone; None where it is not such date.
    """
    clock = _CLOCK.search(text)
    if clock is None:
        return None, False
    rest = f"{text[: clock.start()]} {text[clock.end() :]}"
    day = _day_of(rest)
    if day is None:
        return None, False
    hour = int(clock["h"])
    half = (_HALF.search(rest) or [""])[0].lower().replace(".", "")
    if half and hour <= 12:
        hour = hour % 12 + 12 * (half == "pm")
    try:
        moment = datetime(*day, hour, int(clock["m"]), int(clock["s"]), tzinfo=UTC)
    except ValueError:
        return None, False
    fraction_us = int((clock["f"] or "").ljust(6, "0")[:6])
    zone = any(word in ("GMT", "UTC", "Z") for word in rest.upper().split())
    return (moment - _EPOCH) // timedelta(microseconds=1) + fraction_us, zone


def _day_of(text: str) -> tuple[int, int, int] | None:
    iso = _ISO.search(text)
    if iso:
        return int(iso[1]), int(iso[2]), int(iso[3])
    words = [word.strip(",.") for word in text.split()]
    months = [_MONTHS[word[:3].lower()] for word in words if word[:3].lower() in _MONTHS]
    days = [int(word) for word in words if word.isdecimal() and len(word) <= 2]
    years = [int(word) for word in words if word.isdecimal() and len(word) == 4]
    return (years[0], months[0], days[0]) if months and days and years else None


def _time_us(word: str) -> int | None:
    whole, dot, fraction = word.partition(".")
    if not dot or not (whole.isdecimal() and fraction.isdecimal()) or len(whole) > 12:
        return None
    return int(whole) * 1_000_000 + int(fraction.ljust(6, "0")[:6])
