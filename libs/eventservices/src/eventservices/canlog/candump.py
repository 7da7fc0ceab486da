"""The text of `candump`: its log form (`-l`) and its screen form, a line at a time.

Source:
    linux-can utilities, `lib.c` (log form: `(seconds) channel id#data`), as used in the field.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from eventservices.canlog.frame import ERROR_FLAG, MAX_EXTENDED_ID, MAX_STANDARD_ID, Kind, LogFrame

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FD_LENGTHS = frozenset((*range(9), 12, 16, 20, 24, 32, 48, 64))

_TIME = (
    r"\((?:(?P<date>\d{4}-\d{2}-\d{2})[ T](?P<clock>\d{2}:\d{2}:\d{2})|(?P<s>\d{1,12}))"
    r"(?:\.(?P<fraction>\d{1,9}))?\)"
)
_LOG = re.compile(
    rf"{_TIME}\s+(?P<channel>\S+)\s+(?P<id>[^\s#]+)(?P<sep>##?)(?P<body>\S*)"
    r"(?:\s+(?P<direction>[RT]))?"
)
_SCREEN = re.compile(
    rf"(?:{_TIME}\s+)?(?P<channel>\S+)\s+(?:(?P<direction>[RT])X\s+(?P<brs>\S+)\s+(?P<esi>\S+)\s+)?"
    r"(?P<id>[0-9A-Fa-f]{3}|[0-9A-Fa-f]{8})\s+"
    r"(?:\[(?P<length>\d{1,2})\]|\{(?P<dlc>[9A-Fa-f])\})\s*(?P<tail>.*)"
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_RELATIVE = re.compile(r"\s*\((\d{1,9})\.(\d{6})\)[^#]*\[")
_DATED = re.compile(r"\s*\(\d{4}-")
DECREASING_SHARE = 0.1
"""From which share of earlier times on these are differences; clocks step back less often."""
EQUAL_SHARE = 0.5
_SHORT_FRACTION = re.compile(r"\s*\(\d+\.\d{1,5}\)")
_DATA = re.compile(
    r"(?P<hex>[0-9A-Fa-f]*|[0-9A-Fa-f]{2}(?:\.[0-9A-Fa-f]{2})+)(?:_(?P<dlc>[9A-Fa-f]))?"
)
_REMOTE = re.compile(r"R(?P<length>[0-8])?(?:_[9A-Fa-f])?")
_FD = re.compile(r"(?P<flags>[0-9A-Fa-f])(?P<hex>[0-9A-Fa-f]*)")


def parse_line(line: str) -> LogFrame | None:
    """Return the frame of a line; None for a blank line or a comment.

    A fraction of fewer than six digits is read as a decimal (`.24` is 0.24 s). Digits beyond the
    microsecond are cut off. A date and time (`-tA`) is local time without a zone, read as UTC.

    Raises:
        ValueError: The line reports no frame; the message states why.
    """
    text = line.strip()
    if "\x1b" in text:  # candump -c writes colours into files, too
        text = _COLOUR.sub("", text).strip()
    if not text or text.startswith("#"):
        return None
    found = _LOG.fullmatch(text)
    if found:
        return _log_frame(found)
    found = _SCREEN.fullmatch(text)
    if found:
        return _screen_frame(found)
    raise ValueError("is neither `(seconds) channel id#data` nor candump's screen form")


def has_short_fraction(line: str) -> bool:
    """Return whether a line's time has a fraction of fewer than six digits, which is ambiguous.

    Three digits on the screen form are as usual there, and no doubt.
    """
    return bool(_SHORT_FRACTION.match(line)) and "[" not in line


def has_date(line: str) -> bool:
    """Return whether a line's time is a date and time (`-tA`), which has no zone."""
    return bool(_DATED.match(line))


def is_relative(line: str) -> bool:
    """Return whether a line of the screen form has a time that does not count from 1970."""
    return bool(_RELATIVE.match(line))


def times_are_differences(lines: Iterable[str]) -> bool:
    """Return whether the lines' times count from the line before (`-td`).

    Both `-td` and `-tz` (from the first frame) write few digits; what reports them apart is that
    differences go up and down.
    """
    found = [_RELATIVE.match(line) for line in lines]
    times = [int(match[1]) * 1_000_000 + int(match[2]) for match in found if match]
    pairs = max(len(times) - 1, 1)
    down = sum(later < earlier for earlier, later in pairwise(times))
    same = sum(0 < later == earlier for earlier, later in pairwise(times))
    return down > DECREASING_SHARE * pairs or same > EQUAL_SHARE * pairs


def format_frame(frame: LogFrame, *, direction: bool = False) -> str:
    """Return a frame as a line of candump's log form, without the line's end.

    Args:
        frame: With a time.
        direction: Whether to add the letter of its direction, which some readers do not know.
    """
    seconds, fraction = divmod(frame.time_us or 0, 1_000_000)
    if frame.kind is Kind.ERROR:
        identifier = f"{frame.can_id | ERROR_FLAG:08X}"
    else:
        identifier = f"{frame.can_id:08X}" if frame.extended else f"{frame.can_id:03X}"
    letter = f" {frame.direction}" if direction and frame.direction else ""
    return f"({seconds:010d}.{fraction:06d}) {frame.channel} {identifier}{_body(frame)}{letter}"


def _body(frame: LogFrame) -> str:
    data = frame.data.hex().upper()
    if frame.kind is Kind.REMOTE:
        return f"#R{frame.remote_length or ''}"
    if frame.fd:
        return f"##{frame.bit_rate_switch + 2 * frame.error_state:X}{data}"
    return f"#{data}" + (f"_{frame.raw_dlc:X}" if frame.raw_dlc else "")


def _log_frame(found: re.Match[str]) -> LogFrame:
    frame = _identified(found)
    body = found["body"]
    if frame.kind is Kind.ERROR:
        return replace(frame, data=_classic(frame, body).data)
    if found["sep"] == "##":
        return _fd(frame, body)
    remote = _REMOTE.fullmatch(body)
    if remote:
        return replace(frame, kind=Kind.REMOTE, remote_length=int(remote["length"] or 0))
    return _classic(frame, body)


def _identified(found: re.Match[str]) -> LogFrame:
    text = found["id"]
    if not re.fullmatch(r"[0-9A-Fa-f]{3}|[0-9A-Fa-f]{8}", text):
        raise ValueError(f"identifier {text[:20]!r} has neither 3 nor 8 hexadecimal digits")
    can_id, extended = int(text, 16), len(text) == 8
    error = extended and bool(can_id & ERROR_FLAG)
    can_id &= ~ERROR_FLAG if error else -1
    if can_id > (MAX_EXTENDED_ID if extended else MAX_STANDARD_ID):
        raise ValueError(f"identifier {text} is out of range")
    kind = Kind.ERROR if error else Kind.DATA
    direction = found["direction"] or ""
    return LogFrame(
        _time_us(found), found["channel"], can_id, extended, b"", kind, direction=direction
    )


def _time_us(found: re.Match[str]) -> int | None:
    fraction_us = int((found["fraction"] or "").ljust(6, "0")[:6])
    if found["date"] is not None:
        moment = datetime.fromisoformat(f"{found['date']}T{found['clock']}+00:00")
        return (moment - _EPOCH) // timedelta(microseconds=1) + fraction_us
    if found["s"] is None:
        return None
    return int(found["s"]) * 1_000_000 + fraction_us


def _classic(frame: LogFrame, body: str) -> LogFrame:
    found = _DATA.fullmatch(body)
    if not found:
        raise ValueError(f"data {body[:40]!r} is not hexadecimal")
    data = _bytes(found["hex"].replace(".", ""))
    if len(data) > 8:
        raise ValueError(f"{len(data)} bytes are too many for a classic frame")
    if found["dlc"] and len(data) != 8:
        raise ValueError(f"raw length code _{found['dlc']} needs 8 bytes, not {len(data)}")
    return replace(frame, data=data, raw_dlc=int(found["dlc"] or "0", 16))


def _fd(frame: LogFrame, body: str) -> LogFrame:
    found = _FD.fullmatch(body)
    if not found:
        raise ValueError(f"CAN FD flags and data {body[:40]!r} are not hexadecimal")
    flags, data = int(found["flags"], 16), _bytes(found["hex"])
    if len(data) not in FD_LENGTHS:
        raise ValueError(f"no CAN FD frame has {len(data)} bytes")
    return replace(
        frame, data=data, fd=True, bit_rate_switch=bool(flags & 1), error_state=bool(flags & 2)
    )


def _screen_frame(found: re.Match[str]) -> LogFrame:
    frame = _identified(found)
    tail = found["tail"]
    if found["dlc"]:  # a length code above 8, shown by `-8`
        frame = replace(frame, raw_dlc=int(found["dlc"], 16))
    length = 8 if found["dlc"] else int(found["length"])
    if tail.lower().startswith("remote request"):
        return replace(frame, kind=Kind.REMOTE, remote_length=length)
    data = _bytes("".join(_pairs(tail, length)))
    fd = len(found["length"] or "") == 2
    if len(data) != length or length not in FD_LENGTHS or (length > 8 and not fd):
        raise ValueError(f"[{length}] does not fit the {len(data)} data bytes")
    switch, state = found["brs"] == "B", found["esi"] == "E"
    return replace(frame, data=data, fd=fd, bit_rate_switch=switch, error_state=state)


def _pairs(tail: str, length: int) -> list[str]:
    words = tail.split()[:length]
    return [word for word in words if re.fullmatch(r"[0-9A-Fa-f]{2}", word)]


def _bytes(text: str) -> bytes:
    if len(text) % 2:
        raise ValueError("odd number of hexadecimal digits")
    return bytes.fromhex(text)
