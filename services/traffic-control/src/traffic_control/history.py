"""History of an earlier traffic-control of the same run: active limits, and logged offenders."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec

from traffic_control.command import Command
from traffic_control.errors import UNREADABLE
from traffic_control.offender import Offender

log = logging.getLogger(__name__)

T = TypeVar("T")

_commands = msgspec.json.Decoder(Command)
_offenders = msgspec.json.Decoder(Offender)


@dataclass(slots=True)
class Left:
    """The limits that were left at one monitor.

    Attributes:
        held: Limits requested and not withdrawn, km/h, with when each was requested last.
    """

    held: dict[float, int] = field(default_factory=dict)

    @property
    def wanted(self) -> float:
        """The limit that was requested last, km/h."""
        return max(self.held, key=lambda limit: self.held[limit])


def read_history(path: Path, since_us: int) -> dict[str, Left]:
    """Return the limits that were not withdrawn, by monitor.

    Args:
        path: The file; lines that are not commands are skipped.
        since_us: Limits sent before are no longer active.
    """
    newest: dict[tuple[str, float], Command] = {}
    for command in _lines(path, _commands):
        key = (command.monitor, command.limit)
        if key not in newest or newest[key].sent_us <= command.sent_us:
            newest[key] = command
    left: dict[str, Left] = {}
    for (monitor, limit), command in newest.items():
        if command.action != "unsubscribe" and command.sent_us >= since_us:
            left.setdefault(monitor, Left()).held[limit] = command.sent_us
    return left


def read_offenders(path: Path, since_us: int) -> Iterator[Offender]:
    """Yield the offenders that were logged in this run, oldest first.

    Args:
        path: The file; lines that are not offenders are skipped.
        since_us: When the run began; what was logged before belongs to another.
    """
    return (one for one in _lines(path, _offenders) if one.wall_us >= since_us)


def _lines(path: Path, decoder: msgspec.json.Decoder[T]) -> Iterator[T]:
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                try:
                    yield decoder.decode(line)
                except UNREADABLE as error:
                    told = {"file": path.name, "line": number, "reason": str(error)[:200]}
                    log.warning("line_passed_over", extra=told)
    except FileNotFoundError:
        return
