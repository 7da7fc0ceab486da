"""Proxies that push to consumers: Any events, structured events, and batches of these."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from eventservices.cns.calls import Outcome, hand_over, operation
from eventservices.cns.codec import encode
from eventservices.cns.consumer import ProxySupplier
from eventservices.cns.errors import (
    ConnectionAlreadyActiveError,
    ConnectionAlreadyInactiveError,
    ProxyNotConnectedError,
)
from eventservices.cns.event import Event, as_any, as_structured
from eventservices.cns.moved import Moved
from eventservices.cns.options import ProxyType
from eventservices.cns.push_outlet import PushOutlet
from eventservices.cns.queueing import Item
from eventservices.stamp import Stamp


class PushSupplier(ProxySupplier):
    """What the proxies that push to consumers have in common.

    Events are delivered by plain calls from the event loop, which must not block. A consumer
    that raises `DisconnectedError` is disconnected. If it has `disconnect_push_consumer()`, that is
    called when the channel goes first.
    """

    _batches: ClassVar[bool] = False
    _form: Callable[[Event], object]
    _outlet: PushOutlet
    _push: Callable[..., None] | None = None

    @property
    def suspended(self) -> bool:
        """Whether events wait until `resume_connection`."""
        return self._outlet.suspended

    def suspend_connection(self) -> None:
        """Let events wait from now on.

        Raises:
            ConnectionAlreadyInactiveError: They do already.
            ProxyNotConnectedError: No consumer is connected.
        """
        self._check_connected()
        if self._outlet.suspended:
            raise ConnectionAlreadyInactiveError(f"proxy {self.my_id} is suspended already")
        self._outlet.suspend()

    def resume_connection(self) -> None:
        """Push again, first what has waited.

        Raises:
            ConnectionAlreadyActiveError: The connection is not suspended.
            ProxyNotConnectedError: No consumer is connected.
        """
        self._check_connected()
        if not self._outlet.suspended:
            raise ConnectionAlreadyActiveError(f"proxy {self.my_id} is not suspended")
        self._outlet.resume()

    def _make_outlet(self) -> PushOutlet:
        return PushOutlet(
            self._core,
            self._terms,
            self._deliver,
            self._gone,
            self._given_up,
            batches=self._batches,
        )

    async def _connect_to(
        self, consumer: object, name: str, *, announced: bool, durable: str, repetitions: bool
    ) -> None:
        push = operation(consumer, name)
        if not self.connected:
            self._push = push
        await self._connect(consumer, announced=announced, durable=durable, repetitions=repetitions)

    def _take(self, event: Event, stamp: Stamp | None, moved: Moved | None) -> None:
        outlet, push = self._outlet, self._push
        if not outlet.idle or push is None:
            super()._take(event, stamp, moved)
            return
        outlet.delivered += 1
        outcome = hand_over(push, self._form(event), stamp)
        if outcome is not Outcome.TAKEN:
            outlet.failed += outcome is Outcome.FAILED
            if outcome is Outcome.GONE:
                self._gone()

    def _deliver(self, items: Sequence[Item]) -> Outcome:
        if self._push is None:
            return Outcome.FAILED
        return hand_over(self._push, self._form(items[0].event), items[0].stamp)

    def _gone(self) -> None:
        if self.connected:
            super()._gone()

    def _given_up(self, item: Item) -> None:
        payload = encode(item.event)
        reason = f"a consumer failed on it {self._core.options.attempts} times"
        self._core.dispatcher.put_aside(payload, b"", reason)

    def _check_connected(self) -> None:
        if not self.connected:
            raise ProxyNotConnectedError(f"no consumer is connected to proxy {self.my_id}")


class ProxyPushSupplier(PushSupplier):
    """Pushes Any events to a consumer: its operation `push(value, stamp)` is called."""

    my_type = ProxyType.PUSH_ANY
    _form = staticmethod(as_any)

    async def connect_any_push_consumer(
        self,
        consumer: object,
        *,
        announced: bool = True,
        durable: str = "",
        repetitions: bool = False,
    ) -> None:
        """Connect a consumer; when this returns, the server has its subscription.

        Args:
            consumer: See the class. `stamp` is None for events that were published without one.
            announced: Whether suppliers are notified of its subscriptions; an observer stays
                unseen.
            repetitions: Whether it receives an event again that comes by a second route, or goes
                round; else each identity once.
            durable: Name under which persistent events wait for this consumer while it is away,
                for as long as nobody disconnects it; one client at a time. It needs
                `ConnectionReliability` `Persistent`. Without a name they wait while the proxy is.

        Raises:
            AlreadyConnectedError: There is one.
            DisconnectedError: The proxy was destroyed.
            InterfaceError: The consumer lacks `push`, or one of its operations is a coroutine.
            NotConnectedError: The broker did not confirm in time; nothing was changed.
            UnsupportedQoSError: There is a durable name, and the connection is best effort.
        """
        await self._connect_to(
            consumer, "push", announced=announced, durable=durable, repetitions=repetitions
        )

    async def disconnect_push_supplier(self) -> None:
        """End the proxy for good; harmless when repeated."""
        await self._end(forget=True, tell=False)


class StructuredProxyPushSupplier(PushSupplier):
    """Pushes structured events to a consumer: `push_structured_event(event, stamp)` is called."""

    my_type = ProxyType.PUSH_STRUCTURED
    _form = staticmethod(as_structured)

    async def connect_structured_push_consumer(
        self,
        consumer: object,
        *,
        announced: bool = True,
        durable: str = "",
        repetitions: bool = False,
    ) -> None:
        """Connect a consumer; arguments and errors as of `connect_any_push_consumer`."""
        name = "push_structured_event"
        await self._connect_to(
            consumer, name, announced=announced, durable=durable, repetitions=repetitions
        )

    async def disconnect_structured_push_supplier(self) -> None:
        """End the proxy for good; harmless when repeated."""
        await self._end(forget=True, tell=False)


class SequenceProxyPushSupplier(PushSupplier):
    """Pushes batches of events to a consumer: `push_structured_events(events, stamps)` is called.

    A batch is delivered when `MaximumBatchSize` events wait, or when the first of those that
    wait has waited for `PacingInterval`; with an interval of 0 only when it is full.
    """

    my_type = ProxyType.PUSH_SEQUENCE
    _form = staticmethod(as_structured)
    _batches = True

    async def connect_sequence_push_consumer(
        self,
        consumer: object,
        *,
        announced: bool = True,
        durable: str = "",
        repetitions: bool = False,
    ) -> None:
        """Connect a consumer; arguments and errors as of `connect_any_push_consumer`."""
        name = "push_structured_events"
        await self._connect_to(
            consumer, name, announced=announced, durable=durable, repetitions=repetitions
        )

    async def disconnect_sequence_push_supplier(self) -> None:
        """End the proxy for good; harmless when repeated."""
        await self._end(forget=True, tell=False)

    def _deliver(self, items: Sequence[Item]) -> Outcome:
        if self._push is None:
            return Outcome.FAILED
        events = [self._form(item.event) for item in items]
        return hand_over(self._push, events, [item.stamp for item in items])
