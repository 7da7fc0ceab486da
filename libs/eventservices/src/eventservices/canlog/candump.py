"""The text of `candump`: its log form (`-l`) and its screen form, a line at a time.

Source:
    linux-can utilities, `lib.c` (log form: `(seconds) channel id#data`), as used in the field.
"""

import re
from dataclasses import replace

from eventservices.canlog.frame import ERROR_FLAG, MAX_EXTENDED_ID, MAX_STANDARD_ID, Kind, LogFrame

FD_LENGTHS = frozenset((*range(9), 12, 16, 20, 24, 32, 48, 64))

_TIME = r"\((?P<s>\d{1,12})(?:\.(?P<fraction>\d{1,9}))?\)"
_LOG = re.compile(
    rf"{_TIME}\s+(?P<channel>\S+)\s+(?P<id>[^\s#]+)(?P<sep>##?)(?P<body>\S*)"
    r"(?:\s+(?P<direction>[RT]))?"
)
_SCREEN = re.compile(
    rf"(?:{_TIME}\s+)?(?P<channel>\S+)\s+(?:(?P<direction>[RT])X\s+\S+\s+\S+\s+)?"
    r"(?P<id>[0-9A-Fa-f]{3}|[0-9A-Fa-f]{8})\s+\[(?P<length>\d{1,2})\]\s*(?P<tail>.*)"
)
_SHORT_FRACTION = re.compile(r"\s*\(\d+\.\d{1,5}\)")
_DATA = re.compile(
    r"(?P<hex>[0-9A-Fa-f]*|[0-9A-Fa-f]{2}(?:\.[0-9A-Fa-f]{2})+)(?:_(?P<dlc>[9A-Fa-f]))?"
)
_REMOTE = re.compile(r"R(?P<length>[0-8])?(?:_[9A-Fa-f])?")
_FD = re.compile(r"(?P<flags>[0-9A-Fa-f])(?P<hex>[0-9A-Fa-f]*)")


def parse_line(line: str) -> LogFrame | None:
    """Return the frame that a line tells; None for a blank line or a comment.

    A fraction of fewer than six digits is read as a decimal (`.24` is 0.24 s). Digits beyond the
    microsecond are cut off.

    Raises:
        ValueError: The line tells no frame; the message says why.
    """
    text = line.strip()
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
    """Tell whether a line's time has a fraction of fewer than six digits, read in two ways.

    Three digits on the screen form are as usual there, and no doubt.
    """
    return bool(_SHORT_FRACTION.match(line)) and "[" not in line


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
    if found["s"] is None:
        return None
    return int(found["s"]) * 1_000_000 + int((found["fraction"] or "").ljust(6, "0")[:6])


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
    length, tail = int(found["length"]), found["tail"]
    if tail.lower().startswith("remote request"):
        return replace(frame, kind=Kind.REMOTE, remote_length=length)
    data = _bytes("".join(_pairs(tail, length)))
    fd = len(found["length"]) == 2
    if len(data) != length or length not in FD_LENGTHS or (length > 8 and not fd):
        raise ValueError(f"[{length}] does not fit the {len(data)} data bytes")
    return replace(frame, data=data, fd=fd)


def _pairs(tail: str, length: int) -> list[str]:
    words = tail.split()[:length]
    return [word for word in words if re.fullmatch(r"[0-9A-Fa-f]{2}", word)]


def _bytes(text: str) -> bytes:
    if len(text) % 2:
        raise ValueError("odd number of hexadecimal digits")
    return bytes.fromhex(text)
