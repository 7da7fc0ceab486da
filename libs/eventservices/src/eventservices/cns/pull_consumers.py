"""Proxies that pull from suppliers: Any events, structured events, and batches of these."""

import asyncio
import inspect
import logging
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from eventservices.cns.calls import pulled_operation
from eventservices.cns.errors import (
    ConnectionAlreadyActiveError,
    ConnectionAlreadyInactiveError,
    DisconnectedError,
    ImplLimitError,
    ProxyNotConnectedError,
)
from eventservices.cns.event import AnyEvent, Event, StructuredEvent
from eventservices.cns.options import ProxyType
from eventservices.cns.qos.properties import QoS
from eventservices.cns.supplier import ProxyConsumer
from eventservices.ending import ended
from eventservices.errors import EventServiceError, MalformedError
from eventservices.lasting import lasting

log = logging.getLogger(__name__)

BURST = 64
"""Most events pulled before the event loop turns to others."""


class PullConsumer(ProxyConsumer):
    """What the proxies that pull from suppliers have in common.

    The supplier's operation is called again and again, and every `ChannelOptions.poll_s` while it
    has nothing; it may be a coroutine. One that raises `DisconnectedError` is disconnected; what
    else it raises is logged and counted. If it has `disconnect_pull_supplier()`, that is called
    when the channel goes first.

    Attributes:
        failed: Times that the supplier raised, or returned what is not an event.
        refused: Events that could not be published.
        suspended: Whether no event is pulled until `resume_connection`.
    """

    _farewell = "disconnect_pull_supplier"

    failed = 0
    refused = 0
    suspended = False
    _resumed: asyncio.Event
    _polling: asyncio.Task[None] | None = None

    def suspend_connection(self) -> None:
        """Pull no more events from the supplier from now on.

        Raises:
            ConnectionAlreadyInactiveError: It is suspended already.
            ProxyNotConnectedError: No supplier is connected.
        """
        self._check_connected()
        if self.suspended:
            raise ConnectionAlreadyInactiveError(f"proxy {self.my_id} is suspended already")
        self.suspended = True
        self._resumed.clear()

    def resume_connection(self) -> None:
        """Pull events from the supplier again.

        Raises:
            ConnectionAlreadyActiveError: The connection is not suspended.
            ProxyNotConnectedError: No supplier is connected.
        """
        self._check_connected()
        if not self.suspended:
            raise ConnectionAlreadyActiveError(f"proxy {self.my_id} is not suspended")
        self.suspended = False
        self._resumed.set()

    def _begin(self, supplier: object, name: str, origin: str | None, epoch: int | None) -> None:
        try_pull = pulled_operation(supplier, name)
        self._connect(supplier, origin, epoch)
        self._resumed = asyncio.Event()
        self._resumed.set()
        task_name = f"cns-poll-{self.my_admin.my_id}.{self.my_id}"
        polling = lasting(lambda: self._poll(try_pull))
        self._polling = asyncio.create_task(polling, name=task_name)

    async def _disconnect(self) -> None:
        polling, self._polling = self._polling, None
        if polling is not asyncio.current_task():
            await ended(polling)
        await super()._disconnect()

    async def _poll(self, try_pull: Callable[..., Any]) -> None:
        while True:
            for _ in range(BURST):
                await self._resumed.wait()
                try:
                    more = not self._core.full and await self._pull_once(try_pull)
                except DisconnectedError:
                    await self._disconnect()
                    return
                if not more:
                    await asyncio.sleep(self._core.options.poll_s)
                    break
            await asyncio.sleep(0)

    async def _pull_once(self, try_pull: Callable[..., Any]) -> bool:
        try:
            result = try_pull(*self._arguments())
            if inspect.isawaitable(result):
                result = await result
            given, has_event = result
            events = self._events(given) if has_event else ()
        except DisconnectedError:
            raise
        except Exception:  # a client may raise, or return, anything
            self.failed += 1
            log.exception("client_failed")
            return False
        for event in events:
            await self._give(event)
        return bool(has_event)

    async def _give(self, event: Event) -> None:
        while True:
            try:
                await self._publish(event, None, None)
            except (ImplLimitError, ConnectionError) as error:
                if isinstance(error, DisconnectedError):
                    raise
                log.info("pulled_event_waits", extra={"reason": str(error)})
                await asyncio.sleep(self._core.options.poll_s)  # it was pulled, and is not lost
            except EventServiceError as error:
                self.refused += 1
                log.warning("pulled_event_refused", extra={"reason": str(error)})
                return
            else:
                return

    def _arguments(self) -> tuple[object, ...]:
        return ()

    @abstractmethod
    def _events(self, given: Any) -> Sequence[Event]:
        """Return the events in what the supplier returned."""

    def _check_connected(self) -> None:
        if not self.connected:
            raise ProxyNotConnectedError(f"no supplier is connected to proxy {self.my_id}")


class ProxyPullConsumer(PullConsumer):
    """Pulls Any events: the supplier's `try_pull()` returns (value, whether there is one)."""

    my_type = ProxyType.PULL_ANY

    async def connect_any_pull_supplier(
        self, supplier: object, *, origin: str | None = None, epoch: int | None = None
    ) -> None:
        """Connect a supplier, and begin to pull.

        Args:
            supplier: See the class.
            origin: Name in its stamps, unique in the event service; by default a fresh one.
            epoch: Of its stamps; by default the wall clock in microseconds.

        Raises:
            AlreadyConnectedError: There is one.
            DisconnectedError: The proxy was destroyed.
            InterfaceError: The supplier lacks `try_pull`.
            MalformedError: `origin` or `epoch` cannot be part of a stamp.
        """
        self._begin(supplier, "try_pull", origin, epoch)

    async def disconnect_pull_consumer(self) -> None:
        """Withdraw the offers and end the proxy; harmless when repeated."""
        await self._disconnect()

    def _events(self, given: Any) -> Sequence[Event]:
        return (AnyEvent(given),)


class StructuredProxyPullConsumer(PullConsumer):
    """Pulls structured events: the supplier's `try_pull_structured_event()` is called.

    It returns (event, whether there is one).
    """

    my_type = ProxyType.PULL_STRUCTURED

    async def connect_structured_pull_supplier(
        self, supplier: object, *, origin: str | None = None, epoch: int | None = None
    ) -> None:
        """Connect a supplier; arguments and errors as of `connect_any_pull_supplier`."""
        self._begin(supplier, "try_pull_structured_event", origin, epoch)

    async def disconnect_structured_pull_consumer(self) -> None:
        """Withdraw the offers and end the proxy; harmless when repeated."""
        await self._disconnect()

    def _events(self, given: Any) -> Sequence[Event]:
        return (_checked(given),)


class SequenceProxyPullConsumer(PullConsumer):
    """Pulls batches of events: the supplier's `try_pull_structured_events(max)` is called.

    It returns (list of at most `max` events, whether there is any); `max` is `MaximumBatchSize`.
    """

    my_type = ProxyType.PULL_SEQUENCE

    async def connect_sequence_pull_supplier(
        self, supplier: object, *, origin: str | None = None, epoch: int | None = None
    ) -> None:
        """Connect a supplier; arguments and errors as of `connect_any_pull_supplier`."""
        self._begin(supplier, "try_pull_structured_events", origin, epoch)

    async def disconnect_sequence_pull_consumer(self) -> None:
        """Withdraw the offers and end the proxy; harmless when repeated."""
        await self._disconnect()

    def _arguments(self) -> tuple[object, ...]:
        return (self._qos[QoS.MAXIMUM_BATCH_SIZE],)

    def _events(self, given: Any) -> Sequence[Event]:
        return [_checked(event) for event in given]


def _checked(given: Any) -> StructuredEvent:
    if not isinstance(given, StructuredEvent):
        kind = type(given).__name__
        raise MalformedError(f"a pull supplier returned {kind}, not a structured event")
    return given
