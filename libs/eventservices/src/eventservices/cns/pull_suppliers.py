"""Proxies from which consumers pull: Any events, structured events, and batches of these.

An event counts as delivered, and a persistent one leaves its store, when it is returned.
"""

from abc import abstractmethod
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

from eventservices.cns.consumer import ProxySupplier
from eventservices.cns.errors import DisconnectedError
from eventservices.cns.event import Event, StructuredEvent, as_any, as_structured, structured_event
from eventservices.cns.moved import Moved
from eventservices.cns.options import ProxyType
from eventservices.cns.pull_outlet import PullOutlet
from eventservices.cns.queueing import Item
from eventservices.cns.value import Value
from eventservices.errors import MalformedError
from eventservices.stamp import Stamp

Form = TypeVar("Form")

EMPTY = structured_event(("", ""))
"""What `try_pull_structured_event` returns where there is no event."""


class HeldEvent(Generic[Form]):
    """An event that its consumer has, and has not finished.

    Args:
        event: The event.
        item: It in the queue.
        outlet: Where it came from.

    Attributes:
        event: The event.
    """

    def __init__(self, event: Form, item: Item, outlet: PullOutlet) -> None:
        self.event = event
        self._item = item
        self._outlet = outlet

    @property
    def stamp(self) -> Stamp | None:
        """Its stamp; None where it has none."""
        return self._item.stamp

    @property
    def moved(self) -> Moved | None:
        """How it came through connected channels; None where it was published here."""
        return self._item.moved

    @property
    def received_us(self) -> int:
        """When the channel received it, microseconds since 1970 UTC."""
        return self._item.received_us

    @property
    def persistent(self) -> bool:
        """Whether it stays in its store until it is finished."""
        return self._item.receipt is not None

    def done(self) -> None:
        """Finish it: its store forgets it; harmless when repeated."""
        self._item.done()

    def again(self) -> None:
        """Put it back, to be delivered once more."""
        if not self._outlet.closed:
            self._outlet.put(self._item, back=True)


class PullSupplier(ProxySupplier, Generic[Form]):
    """What the proxies from which consumers pull have in common.

    It may be iterated over: `async for event, stamp in proxy`. A consumer is any object, or None.
    If it has `disconnect_pull_consumer()`, that is called when the channel goes first.

    Attributes:
        last_stamp: Stamp of the event returned last; of the last in a batch.
    """

    _farewell = "disconnect_pull_consumer"
    _outlet: PullOutlet
    last_stamp: Stamp | None = None

    async def __aiter__(self) -> AsyncIterator[tuple[Form, Stamp | None]]:
        """Yield each event with its stamp, until the proxy is destroyed."""
        while True:
            try:
                [event] = await self._pulled(1)
            except DisconnectedError:
                return
            yield event, self.last_stamp

    async def hold(self, count: int = 1) -> list[HeldEvent[Form]]:
        """Return the next events, to be finished later, as soon as there is one.

        It is ours, beyond OMG's: a persistent event stays in its store until the consumer has
        finished it. There are at most 256 of these.

        Args:
            count: Most events.

        Raises:
            DisconnectedError: No consumer is connected, or the proxy was destroyed meanwhile.
        """
        self._check_connected()
        return self._held(await self._outlet.wait(count, held=True))

    def try_hold(self, count: int = 1) -> list[HeldEvent[Form]]:
        """Return the same, none where there is none now; errors as of `hold`."""
        self._check_connected()
        return self._held(self._outlet.hold(count))

    def _held(self, items: list[Item]) -> list[HeldEvent[Form]]:
        return [HeldEvent(self._in_form(item.event), item, self._outlet) for item in items]

    def _make_outlet(self) -> PullOutlet:
        return PullOutlet(self._core, self._terms)

    @abstractmethod
    def _in_form(self, event: Event) -> Form:
        """Return an event in the form that the consumer accepts."""

    async def _pulled(self, count: int) -> list[Form]:
        self._check_connected()
        return self._formed(await self._outlet.wait(count))

    def _pulled_now(self, count: int) -> list[Form]:
        self._check_connected()
        return self._formed(self._outlet.take(count))

    def _formed(self, items: list[Item]) -> list[Form]:
        if items:
            self.last_stamp = items[-1].stamp
        return [self._in_form(item.event) for item in items]

    def _check_connected(self) -> None:
        if not self.connected:
            raise DisconnectedError(f"no consumer is connected to proxy {self.my_id}")


class ProxyPullSupplier(PullSupplier[Value]):
    """Lets a consumer pull Any events."""

    my_type = ProxyType.PULL_ANY

    async def connect_any_pull_consumer(
        self,
        consumer: object = None,
        *,
        announced: bool = True,
        durable: str = "",
        repetitions: bool = False,
    ) -> None:
        """Connect a consumer; when this returns, the server has its subscription.

        Args:
            consumer: See `PullSupplier`; None where it needs no calls.
            announced: Whether suppliers are notified of its subscriptions; an observer stays
                unseen.
            durable: As of `ProxyPushSupplier.connect_any_push_consumer`.
            repetitions: Likewise.

        Raises:
            AlreadyConnectedError: There is one.
            DisconnectedError: The proxy was destroyed.
            InterfaceError: An operation of the consumer is not a plain function.
            NotConnectedError: The broker did not confirm in time; nothing was changed.
            UnsupportedQoSError: There is a durable name, and the connection is best effort.
        """
        await self._connect(consumer, announced=announced, durable=durable, repetitions=repetitions)

    async def pull(self) -> Value:
        """Return the next event, as soon as there is one.

        Raises:
            DisconnectedError: No consumer is connected, or the proxy was destroyed meanwhile.
        """
        return (await self._pulled(1))[0]

    def try_pull(self) -> tuple[Value, bool]:
        """Return the next event and True; None and False where there is none now.

        Raises:
            DisconnectedError: No consumer is connected.
        """
        found = self._pulled_now(1)
        return (found[0], True) if found else (None, False)

    async def disconnect_pull_supplier(self) -> None:
        """End the proxy for good; harmless when repeated."""
        await self._end(forget=True, tell=False)

    def _in_form(self, event: Event) -> Value:
        return as_any(event)


class StructuredProxyPullSupplier(PullSupplier[StructuredEvent]):
    """Lets a consumer pull structured events."""

    my_type = ProxyType.PULL_STRUCTURED

    async def connect_structured_pull_consumer(
        self,
        consumer: object = None,
        *,
        announced: bool = True,
        durable: str = "",
        repetitions: bool = False,
    ) -> None:
        """Connect a consumer; arguments and errors as of `connect_any_pull_consumer`."""
        await self._connect(consumer, announced=announced, durable=durable, repetitions=repetitions)

    async def pull_structured_event(self) -> StructuredEvent:
        """Return the next event, as soon as there is one; errors as of `pull`."""
        return (await self._pulled(1))[0]

    async def hold_structured_event(self) -> HeldEvent[StructuredEvent]:
        """Return the next event, to be acknowledged later; errors as of `pull`.

        It is ours, beyond OMG's: a persistent event stays in its store until the consumer confirms
        that it is done with it. At most 256 may wait for that.
        """
        [held] = await self.hold(1)
        return held

    def try_pull_structured_event(self) -> tuple[StructuredEvent, bool]:
        """Return the next event and True; an empty one and False where there is none now.

        Raises:
            DisconnectedError: No consumer is connected.
        """
        found = self._pulled_now(1)
        return (found[0], True) if found else (EMPTY, False)

    async def disconnect_structured_pull_supplier(self) -> None:
        """End the proxy for good; harmless when repeated."""
        await self._end(forget=True, tell=False)

    def _in_form(self, event: Event) -> StructuredEvent:
        return as_structured(event)


class SequenceProxyPullSupplier(PullSupplier[StructuredEvent]):
    """Lets a consumer pull batches of events; `MaximumBatchSize` bounds each."""

    my_type = ProxyType.PULL_SEQUENCE

    async def connect_sequence_pull_consumer(
        self,
        consumer: object = None,
        *,
        announced: bool = True,
        durable: str = "",
        repetitions: bool = False,
    ) -> None:
        """Connect a consumer; arguments and errors as of `connect_any_pull_consumer`."""
        await self._connect(consumer, announced=announced, durable=durable, repetitions=repetitions)

    async def pull_structured_events(self, max_number: int) -> list[StructuredEvent]:
        """Return the next events, as soon as there is one.

        Args:
            max_number: Most events; at least 1. `MaximumBatchSize` bounds it too.

        Raises:
            DisconnectedError: No consumer is connected, or the proxy was destroyed meanwhile.
            MalformedError: `max_number` is not positive.
        """
        return await self._pulled(self._size(max_number))

    def try_pull_structured_events(self, max_number: int) -> tuple[list[StructuredEvent], bool]:
        """Return the next events and True; an empty list and False where there is none now.

        Raises:
            DisconnectedError: No consumer is connected.
            MalformedError: `max_number` is not positive.
        """
        found = self._pulled_now(self._size(max_number))
        return found, bool(found)

    async def disconnect_sequence_pull_supplier(self) -> None:
        """End the proxy for good; harmless when repeated."""
        await self._end(forget=True, tell=False)

    def _size(self, max_number: int) -> int:
        if max_number < 1:
            raise MalformedError(f"one pulls at least 1 event, not {max_number}")
        return min(max_number, self._terms.batch)

    def _in_form(self, event: Event) -> StructuredEvent:
        return as_structured(event)
