"""Topics in the alphabet of Kafka, and back; a subscription as Kafka has it.

Kafka accepts letters, digits, `.`, `_` and `-`. Any other character is written as `_x`, its code
point and `-`; what reads like such an escape already gets more of the first sign. An escape ends
with another sign than it begins with, so that none is read across the end of another:

    living room   living_x20-room
    a_x20-b       a__x20-b

Source:
    Apache Kafka, `org.apache.kafka.common.internals.Topic`.
"""

import re
from typing import Final

from fes.errors import MappingError
from fes.mapping.topics.levels import KAFKA

LONGEST: Final = 249

_OUT: Final = re.compile(r"(_*)([^A-Za-z0-9._-])|(_+)(x([0-9A-F]{2,6})-)")
_BACK: Final = re.compile(r"(_+)(x([0-9A-F]{2,6})-)")
_LEGAL: Final = re.compile(r"[A-Za-z0-9._-]")


def write(topic: str) -> str:
    """Return a topic as Kafka accepts it.

    Raises:
        MappingError: It is longer than `LONGEST`, or `.` or `..`.
    """
    name = _OUT.sub(_written, topic)
    if len(name) > LONGEST or name in ("", ".", ".."):
        raise MappingError(f"{name[:60]!r} is not a Kafka topic of 1 to {LONGEST} characters")
    return name


def read(name: str) -> str:
    """Return the topic whose form in Kafka is `name`."""
    return _BACK.sub(_read, name)


def subscription(pattern: str) -> str:
    """Return a subscription as Kafka has it: a name, or a regular expression that begins with ^."""
    levels = pattern.split(KAFKA.separator)
    if KAFKA.one not in levels and KAFKA.rest not in levels:
        return write(pattern)
    parts = [
        "[^.]*" if level == KAFKA.one else ".*" if level == KAFKA.rest else _quoted(level)
        for level in levels
    ]
    return "^" + r"\.".join(parts) + "$"


def _quoted(level: str) -> str:
    return _OUT.sub(_written, level)  # letters, digits, _ and - match themselves


def _written(found: re.Match[str]) -> str:
    signs, char, more, text, code = found.groups()
    if char is not None:
        return f"{signs}{signs}_x{ord(char):02X}-"
    return f"{more}{more}{text}" if _is_code(code) else found[0]


def _read(found: re.Match[str]) -> str:
    signs, text, code = found.groups()
    if not _is_code(code):
        return found[0]
    half = "_" * (len(signs) // 2)
    return half + (chr(int(code, 16)) if len(signs) % 2 else text)


def _is_code(code: str) -> bool:
    number = int(code, 16)
    if number > 0x10FFFF or f"{number:02X}" != code:
        return False
    return not _LEGAL.fullmatch(chr(number))
