"""Typed sources and sinks: an event is an object of its declared class, checked at both ends.

Source:
    Smart-building thesis, sections 5.3 and 5.4, appendix B.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import msgspec

from eventservices.bus.api.client import BusClient
from eventservices.bus.api.event_type import EventType
from eventservices.bus.errors import BusError, TypeMismatchError
from eventservices.bus.filters import Filter
from eventservices.bus.wire.messages import Event

log = logging.getLogger(__name__)

T = TypeVar("T", bound=msgspec.Struct)
Notify = Callable[..., Awaitable[int]]


class TypedSource(Generic[T]):
    """A source of one type of events.

    Args:
        client: At the bus.
        type_: The event's.
    """

    def __init__(self, client: BusClient, type_: EventType[T]) -> None:
        self._client = client
        self._type = type_
        self._stop: Callable[[], Awaitable[None]] | None = None
        self._notify: Notify | None = None

    async def start(self) -> None:
        """Advertise; see `BusClient.advertise`."""
        source = await self._client.advertise(self._type.name)
        self._stop, self._notify = source.unadvertise, source.notify

    async def notify(self, event: T, *, persistent: bool = False) -> int:
        """Send an event.

        Raises:
            TypeMismatchError: It is not of the declared class; nothing was sent.
            BusError: The source is not started, or the bus did not accept the event.
        """
        if self._notify is None:
            raise BusError(f"source of {self._type.name} is not started")
        return await self._notify(self._type.values(event), persistent=persistent)

    async def stop(self) -> None:
        """Unadvertise; nothing happens where it is not started."""
        stop, self._stop, self._notify = self._stop, None, None
        if stop is not None:
            await stop()


class TypedSink(Generic[T]):
    """A sink of one type of events, with several listeners.

    Args:
        client: At the bus.
        type_: The event's.
        filter_: Applied at the sources; None for all.

    Attributes:
        mistyped: Events that were not of the declared class; none reached a listener.
    """

    def __init__(
        self, client: BusClient, type_: EventType[T], filter_: Filter | None = None
    ) -> None:
        self.mistyped = 0
        self._client = client
        self._type = type_
        self._filter = filter_
        self._listeners: list[Callable[[T], None]] = []
        self._stop: Callable[[], Awaitable[None]] | None = None

    async def start(self) -> None:
        """Subscribe; see `BusClient.subscribe`."""
        sink = await self._client.subscribe(self._type.name, self._dispatch, self._filter)
        self._stop = sink.unsubscribe

    def add_listener(self, listener: Callable[[T], None]) -> None:
        """Add a listener."""
        self._listeners.append(listener)

    def remove_listener(self, listener: Callable[[T], None]) -> None:
        """Remove a listener; nothing happens where it was not added."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    async def stop(self) -> None:
        """Unsubscribe; nothing happens where it is not started."""
        stop, self._stop = self._stop, None
        if stop is not None:
            await stop()

    def _dispatch(self, event: Event) -> None:
        try:
            read = self._type.read(event.values)
        except TypeMismatchError as error:
            self.mistyped += 1
            log.warning("event_mistyped", extra={"event": event.name, "reason": str(error)})
            return
        for listener in list(self._listeners):
            listener(read)
