"""Topics in the alphabet of Kafka, and back; subscriptions in the form of Kafka.

Kafka accepts letters, digits, `.`, `_` and `-`. Any other character is written as its code
(`fes.mapping.topics.codes`).

Source:
    Apache Kafka, `org.apache.kafka.common.internals.Topic`.
"""

from typing import Final

from fes.errors import MappingError
from fes.mapping.topics.codes import Codes
from fes.mapping.topics.levels import KAFKA

LONGEST: Final = 249

_CODES: Final = Codes("A-Za-z0-9._-", "-")


def write(topic: str) -> str:
    """Return the Kafka form of a topic.

    Raises:
        MappingError: It is longer than `LONGEST`, or `.` or `..`.
    """
    name = _CODES.write(topic)
    if len(name) > LONGEST or name in ("", ".", ".."):
        raise MappingError(f"{name[:60]!r} is not a Kafka topic of 1 to {LONGEST} characters")
    return name


def read(name: str) -> str:
    """Return the topic whose form in Kafka is `name`."""
    return _CODES.read(name)


def subscription(pattern: str) -> str:
    """Return a subscription for Kafka: a name, or a regular expression that begins with ^."""
    levels = pattern.split(KAFKA.separator)
    if KAFKA.one not in levels and KAFKA.rest not in levels:
        return write(pattern)
    parts = [
        "[^.]*" if level == KAFKA.one else ".*" if level == KAFKA.rest else _quoted(level)
        for level in levels
    ]
    return "^" + r"\.".join(parts) + "$"


def _quoted(level: str) -> str:
    return _CODES.write(level)  # letters, digits, _ and - match themselves
