"""An event service in memory, with an adapter: the same as any other, but without a broker."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import msgspec
from eventservices.stamp import Stamp, Stamper
from eventservices.suppress import Suppressor

from fes.adapter.base import Adapter
from fes.adapter.context import Received, ReceivedControl, Subscription
from fes.control import CONTROL_SUBJECT
from fes.errors import AdapterError, UnavailableError
from fes.federation.capabilities import Capabilities
from fes.mapping import Native
from fes.model import Event


class MemoryEvent(NamedTuple):
    """A native event: its content and its stamp."""

    event: Event
    stamp: Stamp | None


Listener = Callable[[MemoryEvent], None]


@dataclass(slots=True)
class MemoryBus:
    """One event service in memory.

    Attributes:
        name: Event service identifier.
        announced: Subjects that are announced now, each with a count.
        subscribed: Filters that are active now, each with a count.
        up: Whether it works.
    """

    name: str
    announced: dict[str, int] = field(default_factory=dict)
    subscribed: dict[str, int] = field(default_factory=dict)
    up: bool = True
    published: int = 0
    _listeners: list[Listener] = field(default_factory=list)

    def publish(self, event: Event, stamp: Stamp | None) -> None:
        """Deliver an event to every listener in a later turn of the loop.

        Raises:
            UnavailableError: The event service is down.
        """
        if not self.up:
            raise UnavailableError(f"event service {self.name} is down")
        self.published += 1
        loop = asyncio.get_running_loop()
        for listener in tuple(self._listeners):
            loop.call_soon(listener, MemoryEvent(event, stamp))

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Pass every event to a function; return a function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def count(self, table: dict[str, int], key: str, change: int) -> None:
        """Change a count; remove one that reaches 0."""
        table[key] = table.get(key, 0) + change
        if table[key] <= 0:
            del table[key]


class MemoryClient:
    """A native client: stamps what it publishes, and suppresses what it received before.

    Args:
        bus: The event service.
        name: Of the publisher.
        keep: Most events kept in `received`; the oldest is dropped first.
    """

    def __init__(self, bus: MemoryBus, name: str, keep: int = 10_000) -> None:
        self.bus = bus
        self.received: deque[MemoryEvent] = deque(maxlen=keep)
        self.suppressor = Suppressor()
        self._stamper = Stamper(name, bus.name)
        self._stop = bus.listen(self._take)

    def publish(self, event: Event, time_us: int | None = None) -> Stamp:
        """Publish an event; return its stamp."""
        stamp = self._stamper.next(time_us)
        self.bus.publish(event, stamp)
        return stamp

    def events(self, subject: str | None = None) -> list[Event]:
        """Return the received events, without control events unless their subject is requested."""
        return [
            item.event
            for item in self.received
            if (item.event.subject == subject if subject else item.event.subject != CONTROL_SUBJECT)
        ]

    def close(self) -> None:
        """Stop receiving."""
        self._stop()

    def _take(self, item: MemoryEvent) -> None:
        if item.stamp is None or not self.suppressor.repeated(item.stamp):
            self.received.append(item)


class Buses:
    """The event services in memory of one test, by name."""

    def __init__(self) -> None:
        self._buses: dict[str, MemoryBus] = {}

    def __getitem__(self, name: str) -> MemoryBus:
        """Return an event service, created at the first use."""
        return self._buses.setdefault(name, MemoryBus(name))

    def clear(self) -> None:
        """Remove all event services."""
        self._buses.clear()


buses = Buses()
"""Event services of this process; their names are unique in a test."""


class MemorySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of an event service in memory.

    Attributes:
        bus: Name of the event service, where it differs from the identifier.
    """

    bus: str = ""


class MemoryAdapter(Adapter[MemorySettings, MemoryEvent]):
    """Connects an event service in memory."""

    kind: ClassVar[str] = "memory"
    settings_type = MemorySettings

    @classmethod
    def capabilities_for(cls, settings: MemorySettings) -> Capabilities:
        """Return what an event service in memory can do."""
        del settings
        return Capabilities(needs_announcement=True)

    async def _open(self) -> None:
        self.bus = buses[self.settings.bus or self.context.service]
        if not self.bus.up:
            raise UnavailableError(f"event service {self.bus.name} is down")
        self._suppressor = Suppressor()
        self._subscriptions = 0
        self._closing.callback(self.bus.listen(self._take))

    async def _announce(self, native: Native) -> None:
        self.bus.count(self.bus.announced, str(native.subject), 1)

    async def _unannounce(self, native: Native) -> None:
        self.bus.count(self.bus.announced, str(native.subject), -1)

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        if native.subject is None:
            raise AdapterError("an event in memory has a subject")
        if native.subject not in self.bus.announced:
            raise AdapterError(f"{native.subject!r} is not announced")
        self.bus.publish(Event(native.subject, native.parameters, native.attributes), stamp)

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        self.bus.publish(event, stamp)

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        self.bus.count(self.bus.subscribed, subscription.filter.text, 1)
        self._subscriptions += 1
        return ("everything is received: events in memory are not filtered at their source",)

    async def _unsubscribe(self, subscription: Subscription) -> None:
        self.bus.count(self.bus.subscribed, subscription.filter.text, -1)
        self._subscriptions -= 1

    async def _probe(self) -> None:
        if not self.bus.up:
            raise UnavailableError(f"event service {self.bus.name} is down")

    def _take(self, item: MemoryEvent) -> None:
        if self._subscriptions or item.event.subject == CONTROL_SUBJECT:
            self.receive(item)

    def _read(self, message: MemoryEvent) -> Received | ReceivedControl | None:
        event, stamp = message
        if event.subject == CONTROL_SUBJECT:
            return ReceivedControl(event, stamp)
        if stamp is not None and self._suppressor.repeated(stamp):
            return None
        native = Native(event.subject, event.parameters, event.attributes, None, None, False)
        return Received(native, stamp)

    def _raw(self, message: MemoryEvent) -> bytes:
        return repr(message.event).encode()
