"""A source and a sink, as an application has them.

Source:
    Smart-building thesis, sections 5.3 and 5.4.
"""

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from eventservices.bus.filters import Filter
from eventservices.bus.wire import calls
from eventservices.bus.wire.messages import Event
from eventservices.stamp import Stamp
from eventservices.suppress import Suppressor

log = logging.getLogger(__name__)

Listener = Callable[[Event], Awaitable[None] | None]
OnEnded = Callable[[str, str], None]
"""Accepts a bus, and why it sends a sink nothing more."""


class Caller(Protocol):
    """The client that a source or a sink belongs to."""

    counters: dict[str, int]

    async def call(self, request: calls.Request) -> int:
        """Make a call and return its number."""

    def forget_source(self, source: "Source") -> None:
        """Declare a source no more after a restart of the bus."""

    def forget_sink(self, sink: "Sink") -> None:
        """Deliver no more events to a sink."""


class Source:
    """A source of events, advertised at the bus."""

    def __init__(self, client: Caller, name: str) -> None:
        self.name = name
        self.id = 0
        self._client = client

    async def notify(
        self,
        values: Mapping[str, Any],
        *,
        attributes: Mapping[str, Any] | None = None,
        persistent: bool = False,
        stamp: Stamp | None = None,
    ) -> int:
        """Send an event.

        Args:
            values: Its parameters.
            attributes: Its attributes.
            persistent: Whether it outlives restarts of buses; stored when this returns.
            stamp: Its identity where it has one already; the bus's where None.

        Returns:
            Its number, among those of the name and the bus.

        Raises:
            NotifyError: The bus did not accept it.
            NotConnectedError: The bus did not answer.
        """
        request = calls.Notify(self.id, dict(values), dict(attributes or {}), persistent, stamp)
        return await self._client.call(request)

    async def unadvertise(self) -> None:
        """End the source.

        Raises:
            UnadvertiseError: The bus does not know it.
            NotConnectedError: The bus did not answer.
        """
        self._client.forget_source(self)
        await self._client.call(calls.Unadvertise(self.name, self.id))


class Sink:
    """A sink of events, with its listeners."""

    def __init__(self, client: Caller, request: calls.Subscribe) -> None:
        self.id = 0
        self.request = request
        self.listeners: list[Listener] = []
        self.on_ended: OnEnded | None = None
        self._client = client
        self._seen = Suppressor()

    @property
    def suppressed(self) -> int:
        """Events that came again, and did not reach the listeners."""
        return self._seen.suppressed

    async def dispatch(self, event: Event) -> None:
        """Deliver an event to the listeners, in the order in which they were added."""
        if self._seen.repeated(event.stamp):
            return
        for listener in list(self.listeners):
            try:
                waiting = listener(event)
                if inspect.isawaitable(waiting):
                    await waiting
            except Exception:
                self._client.counters["listener_errors"] += 1
                log.exception("listener_failed", extra={"event": event.name})

    async def refilter(self, filter_: Filter) -> None:
        """Apply another filter from now on.

        Raises:
            SubscriptionError: It is not valid.
            NotConnectedError: The bus did not answer.
        """
        await self._client.call(calls.Refilter(self.id, filter_))
        old = self.request
        self.request = calls.Subscribe(old.name, filter_, old.user, old.device, old.durable)

    async def unsubscribe(self) -> None:
        """End the sink.

        Raises:
            UnsubscribeError: The bus does not know it.
            NotConnectedError: The bus did not answer.
        """
        self._client.forget_sink(self)
        await self._client.call(calls.Unsubscribe(self.id))
