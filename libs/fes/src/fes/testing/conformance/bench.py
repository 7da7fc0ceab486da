"""What the adapter suite needs from an event service."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import pytest
from eventservices.stamp import Stamp as NativeStamp

from fes.adapter.base import AnyAdapter
from fes.adapter.runtime import AdapterRuntime
from fes.eventlog.schema import Decision, Record
from fes.link.end import Message
from fes.link.messages import Desired, Done, Heard, HeardControl, Order, Taken
from fes.model import Event, Field, Type, binary
from fes.model.attributes import RELIABILITY
from fes.testing.eventually import eventually


class NativeEvent(NamedTuple):
    """What a native client received: the content, as an event of the model, and the stamp."""

    event: Event
    stamp: NativeStamp | None


class AdapterBench(ABC):
    """Makes adapters and native clients for one event service.

    Attributes:
        exemptions: What the event service cannot be tested for (`unreadable`, `restart`), and why.
        refused: Names that the event service keeps to itself, so that no event bears them.
        keeps_all: Whether the event service keeps whatever is published there, so that each event
            comes from there with Reliability 1.
    """

    exemptions: ClassVar[dict[str, str]] = {}
    refused: ClassVar[tuple[str, ...]] = ()
    keeps_all: ClassVar[bool] = False

    @abstractmethod
    async def adapter(self, name: str) -> AnyAdapter:
        """Return an adapter of its own, not connected, within reach of the native client."""

    @abstractmethod
    async def publish_natively(self, event: Event, time_us: int) -> NativeStamp:
        """Publish an event as the native client."""

    @abstractmethod
    async def listen_natively(self, subject: str) -> list[NativeEvent]:
        """Subscribe as the native client; return the list to which its events are appended."""

    @abstractmethod
    async def publish_garbage(self) -> None:
        """Publish something unreadable where adapters receive."""

    @abstractmethod
    async def restart_broker(self) -> None:
        """Kill the broker and start it again."""

    async def take_over(self, adapter: AnyAdapter) -> None:
        """Connect under the name of an adapter's connection, and disconnect again."""
        pytest.skip(f"no connection of kind {adapter.kind!r} has a name that another could use")

    def received(self, event: Event) -> Event:
        """Return what an event is that came from the event service."""
        if not self.keeps_all:
            return event
        kept = Field(RELIABILITY, Type.LONG, 1)
        return Event(event.subject, event.parameters, (*event.attributes, kept))

    def skip_if_exempt(self, what: str) -> None:
        """Skip a test that the event service is exempt from."""
        if what in self.exemptions:
            pytest.skip(self.exemptions[what])


@dataclass
class Captured:
    """The gateway's end of an adapter's link, and its event log."""

    runtime: AdapterRuntime
    heard: list[Heard] = field(default_factory=list)
    controls: list[HeardControl] = field(default_factory=list)
    done: list[Done] = field(default_factory=list)
    log: list[Record] = field(default_factory=list)

    def send(self, message: Message) -> bool:
        """Accept a message of the adapter."""
        match message:
            case Heard():
                if not (message.token and self._knows(message)):
                    self.heard.append(message)
                if message.token:
                    answer = Taken(message.token)
                    asyncio.get_running_loop().call_soon(self.runtime.receive, answer)
            case HeardControl():
                self.controls.append(message)
            case Done():
                self.done.append(message)
        return True

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""

    @property
    def counters(self) -> dict[str, int]:
        """Return no counters."""
        return {}

    def write(self, record: Record) -> None:
        """Accept a record of the event log."""
        self.log.append(record)

    def _knows(self, message: Heard) -> bool:
        """Return whether an event that its service keeps came before: it may come again."""
        return message.stamp.identity in {known.stamp.identity for known in self.heard}

    def events(self) -> list[Event]:
        """Return the events received, decoded."""
        return [binary.decode(message.body) for message in self.heard]

    def logged(self, decision: Decision) -> list[Record]:
        """Return the records of a decision."""
        return [record for record in self.log if record.decision == decision]

    async def order(self, *orders: Order) -> None:
        """Send orders and wait until the adapter answered those that it answers."""
        answered = [order for order in orders if hasattr(order, "number")]
        before = len(self.done)
        for order in orders:
            self.runtime.receive(order)
        await eventually(lambda: len(self.done) >= before + len(answered), what="orders done")
        failed = [done for done in self.done[before:] if done.error]
        assert not failed, failed


@asynccontextmanager
async def captured(adapter: AnyAdapter) -> AsyncIterator[Captured]:
    """Run an adapter whose gateway is a list, and answers for what the event service keeps."""
    log: list[Record] = []
    taking = _Log(log)
    runtime = AdapterRuntime(adapter, taking)
    capture = Captured(runtime, log=log)
    runtime.attach(capture)
    runtime.receive(Desired(0, (), ()))  # as a gateway does first: what matches nothing is answered
    async with runtime:
        await eventually(lambda: runtime.ready, 15.0, f"{adapter.id} ready")
        yield capture


class _Log:
    def __init__(self, records: list[Record]) -> None:
        self._records = records

    def wants(self, identity: str) -> bool:
        del identity
        return True

    def write(self, record: Record) -> None:
        self._records.append(record)
