"""Subscriptions that the gateway orders: native themselves, or through one that covers them."""

from collections.abc import Callable
from contextlib import suppress

from fes.adapter.base import AnyAdapter
from fes.adapter.context import Subscription
from fes.adapter.inbound.receiver import Inbound
from fes.adapter.outbound.native_subscriptions import Lost, Natives
from fes.errors import FesError
from fes.eventlog import Decision
from fes.filter import Filter
from fes.link.messages import Done, Subscribe, Unsubscribe

Fail = Callable[[Subscribe | Unsubscribe, FesError], None]
"""Accepts an order that could not be performed, and why."""


class Subscribing:
    """Makes and withdraws subscriptions.

    Args:
        adapter: Subscribes natively.
        inbound: Is notified which subscriptions are active.
        send: Sends to the gateway.
        log: Appends a decision to the event log.
        fail: Accepts orders that fail.

    Attributes:
        held: Active subscriptions, by number.
        natives: The native subscriptions.
    """

    def __init__(
        self,
        adapter: AnyAdapter,
        inbound: Inbound,
        send: Callable[[Done], bool],
        log: Callable[..., None],
        fail: Fail,
    ) -> None:
        self.held: dict[int, Subscription] = {}
        self.natives = Natives(adapter)
        self._widened: dict[int, tuple[str, ...]] = {}
        self._inbound = inbound
        self._send = send
        self._log = log
        self._fail = fail

    def withdrawals(self) -> tuple[Unsubscribe, ...]:
        """Return the orders that withdraw all, in an order that makes no other subscription."""
        held = ((number, each.filter) for number, each in self.held.items())
        numbers = self.natives.covered_last(held)
        return tuple(Unsubscribe(number, self._inbound.desired) for number in numbers)

    def forget(self) -> None:
        """Forget all subscriptions: the native connection is closed."""
        for number in self.held:
            self._inbound.unsubscribe(number)
        self.held.clear()
        self._widened.clear()
        self.natives.forget()

    async def subscribe(self, order: Subscribe) -> None:
        """Make a subscription; report a failure to the gateway."""
        held = self.held.get(order.number)
        if held is not None and held.filter.text == order.filter:
            self._send(Done(order.number, widened=self._widened[order.number]))
            return
        try:
            filter_ = Filter.of(order.filter)
            widened, lost = await self.natives.add(order.number, filter_)
        except FesError as error:
            self._fail(order, error)
            return
        if held is not None:
            await self._replace(held, filter_)
        subscription = self.held[order.number] = Subscription(order.number, filter_)
        self._widened[order.number] = widened
        self._inbound.subscribe(subscription)
        self._inbound.desired = order.version
        self._log(Decision.SUBSCRIBED, what=order.filter)
        for text in widened if self.natives.stands_alone(filter_) else ():
            self._log(Decision.DEGRADED, what=text)
        self._tell_lost(lost)
        self._send(Done(order.number, widened=widened))

    async def unsubscribe(self, order: Unsubscribe) -> None:
        """Withdraw a subscription, and report a failure; idempotent."""
        subscription = self.held.get(order.number)
        if subscription is None:
            return
        self._inbound.unsubscribe(order.number)
        self._inbound.desired = order.version
        try:
            lost = await self.natives.remove(order.number, subscription.filter)
        except FesError as error:
            self._fail(order, error)
            return
        self._forget(order.number)
        self._tell_lost(lost)
        self._send(Done(order.number, withdrawn=True))

    async def settle(self) -> None:
        """Withdraw native subscriptions that could not be withdrawn when they were covered."""
        if self.natives.settled:
            return
        with suppress(FesError):  # continued after the next successful round trip
            self._tell_lost(await self.natives.settle())

    async def _replace(self, held: Subscription, filter_: Filter) -> None:
        """Withdraw a subscription whose number has another filter now, active already."""
        if held.filter != filter_:
            with suppress(FesError):  # `settle` withdraws it later
                self._tell_lost(await self.natives.remove(held.number, held.filter))
        self._forget(held.number)

    def _forget(self, number: int) -> None:
        text = self.held.pop(number).filter.text
        del self._widened[number]
        # A gateway that restarted assigns new numbers to what is active.
        if all(each.filter.text != text for each in self.held.values()):
            self._log(Decision.UNSUBSCRIBED, what=text)

    def _tell_lost(self, lost: list[Lost]) -> None:
        """Report covered subscriptions that the event service does not accept by themselves."""
        for numbers, error in lost:
            for number in numbers:
                text = self.held[number].filter.text
                self._inbound.unsubscribe(number)
                self._forget(number)
                self._fail(Subscribe(number, text, self._inbound.desired), error)
