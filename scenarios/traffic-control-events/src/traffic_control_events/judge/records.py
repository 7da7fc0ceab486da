"""What clients wrote down, read back."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import unquote

from traffic_control_events.judge.errors import UnjudgedError
from traffic_control_events.story import CONTROL, INDEX

Line = dict[str, Any]
Read = TypeVar("Read")

DATA = frozenset({"license_no", "rate"})
PUBLICATION = 3
PIECES = tuple(f"Text{number:02}" for number in range(1, 17))
"""A control event's text on the air, in pieces."""


@dataclass(frozen=True, slots=True)
class Copy:
    """One copy of an event, as somebody published or received it.

    Attributes:
        id: Identity: origin/epoch/sequence.
        subject: Type of the event.
        data: Its content: licence and, of a speed, the rate.
        time_us: When this copy was published, on the drive's clock.
        way: Where it came from: the node on the air; in the city, the event services passed.
        meant_for: Of a control event: its distribution list.
    """

    id: str
    subject: str
    data: tuple[tuple[str, Any], ...]
    time_us: int
    way: str = ""
    meant_for: str = ""

    @property
    def rate_mph(self) -> float:
        """The speed that it contains; 0 where there is none."""
        return float(dict(self.data).get("rate", 0.0))

    @classmethod
    def of_said(cls, line: Line) -> Self:
        """Return what the vehicle published."""
        data = {name: value for name, value in line.items() if name in DATA}
        return cls(str(line["id"]), str(line["subject"]), _told(data), int(line["time_us"]))

    @classmethod
    def of_city(cls, line: Line) -> Self | None:
        """Return what a client of SIENA received; None for what is not an event."""
        if line["type"] != "notification" or line["attributes"][INDEX] == CONTROL:
            return None
        stamp, data = line["stamp"], dict(line["attributes"])
        subject, way = data.pop(INDEX), ",".join(stamp["via"])
        return cls(stamp["id"], subject, _told(data), int(stamp["time_us"]), way)

    @classmethod
    def of_air(cls, line: Line) -> Self | None:
        """Return what was on the air, alone or in a publication; None for anything else."""
        if line["seen"] != "event":
            return None
        node, time_us, data = str(line["node"]), int(line["time_us"]), line["parameters"]
        if line["subject"] != CONTROL:
            return cls(str(line["id"]), str(line["subject"]), _told(data), time_us, node)
        control = json.loads("".join(data.get(name, "") for name in PIECES))
        if control["parameters"]["Type"] != PUBLICATION:
            return None
        event = control["parameters"]["Event"]["event"]
        origin, epoch, sequence = control["attributes"]["FES_EventStamp"].split(";")[:3]
        return cls(
            f"{unquote(origin)}/{epoch}/{sequence}",
            str(event["subject"]),
            _told(event["parameters"]),
            time_us,
            node,
            str(control["parameters"]["DistList"]),
        )


def read_lines(path: Path, read: Callable[[Line], Read | None]) -> list[Read]:
    """Return what is in a file of JSON lines.

    Args:
        path: The file.
        read: Makes something of a line; None for what is not of interest.

    Raises:
        UnjudgedError: The file is missing, or a line cannot be read; the message names it.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise UnjudgedError(f"{path}: {error.strerror}") from error
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            one = read(json.loads(line))
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise UnjudgedError(f"{path}:{number}: cannot be read: {error!r}") from error
        if one is not None:
            found.append(one)
    return found


def _told(data: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(data.items()))
