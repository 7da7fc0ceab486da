"""What the core has its binding do, after the rows are stored."""

from dataclasses import dataclass, field
from typing import Final

from eventservices.bus.errors import BusError
from eventservices.bus.wire.messages import Event, Message

ALL: Final = "*"
"""Means every bus but the own."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Answers a client's call: a number, or the exception."""

    client: str
    call: int
    number: int = 0
    error: BusError | None = None


@dataclass(frozen=True, slots=True)
class Send:
    """Sends a message to a bus, maybe to the own, or to `ALL`."""

    bus: str
    message: Message


@dataclass(frozen=True, slots=True)
class Deliver:
    """Delivers an event to a sink; `BusCore.delivered` confirms it by its serial number."""

    client: str
    sink: int
    serial: int
    event: Event


@dataclass(frozen=True, slots=True)
class Ended:
    """Reports to a client that one of its sinks receives no more of a bus, and why."""

    client: str
    sink: int
    bus: str
    reason: str


@dataclass(frozen=True, slots=True)
class Lookup:
    """Queries the naming service; `BusCore.found` accepts the answer."""

    name: str


@dataclass(frozen=True, slots=True)
class AddName:
    """Has the naming service add this bus to an event's sources; `BusCore.added` confirms it."""

    name: str


@dataclass(frozen=True, slots=True)
class RemoveName:
    """Has the naming service remove this bus from an event's sources."""

    name: str


@dataclass(frozen=True, slots=True)
class Decide:
    """Queries the policy service; `BusCore.decided` accepts the answer."""

    name: str
    bus: str
    sink: int
    version: int
    user: str
    device: str


Output = Reply | Send | Deliver | Ended | Lookup | AddName | RemoveName | Decide


@dataclass(slots=True)
class Effects:
    """Rows to store, then outputs to perform.

    Attributes:
        rows: Key and value; None deletes.
        outputs: In order.
    """

    rows: dict[str, bytes | None] = field(default_factory=dict)
    outputs: list[Output] = field(default_factory=list)

    def add(self, output: Output) -> None:
        """Add an output."""
        self.outputs.append(output)

    def send(self, bus: str, message: Message) -> None:
        """Add a message to a bus."""
        self.outputs.append(Send(bus, message))
