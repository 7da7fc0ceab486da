"""Performs at the event service what the gateway orders."""

import logging
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress

from eventservices.slices import shared_slice
from eventservices.stamp import Stamper
from msgspec import structs

from fes.adapter.base import AnyAdapter
from fes.adapter.context import Subscription
from fes.adapter.inbound.receiver import REASON, Inbound
from fes.adapter.outbound.ahead import Ahead
from fes.adapter.outbound.confirmations import Confirmations
from fes.adapter.outbound.degraded import Degrading
from fes.adapter.outbound.order_queue import ByNumber
from fes.adapter.outbound.subscriptions import Subscribing
from fes.adapter.stamps import to_native
from fes.errors import EventError, FesError
from fes.eventlog import Decision
from fes.link.body import read_body
from fes.link.messages import (
    Announce,
    Confirmed,
    Desired,
    Done,
    Order,
    Publish,
    PublishControl,
    Subscribe,
    Unannounce,
    Unsubscribe,
)
from fes.mapping import LeftOut, Native
from fes.model import Event, attributes, binary, is_reserved
from fes.scopes.sessions import session_of

SURPLUS = 10_000
"""Most native announcements that wait to be withdrawn; above it, the oldest are not withdrawn."""

_log = logging.getLogger(__name__)


class Outbound:
    """Performs the gateway's orders, one after the other.

    Args:
        adapter: The adapter.
        inbound: Is notified which subscriptions are active.
        send: Sends to the gateway.
        log: Appends a decision to the event log.
        stamper: Stamps control events.
    """

    def __init__(
        self,
        adapter: AnyAdapter,
        inbound: Inbound,
        send: Callable[[Done | Confirmed], bool],
        log: Callable[..., None],
        stamper: Stamper,
    ) -> None:
        self.counters = dict.fromkeys(
            (
                "published",
                "control_published",
                "expired",
                "publish_failed",
                "publish_left_out",
                "request_failed",
                "order_failed",
            ),
            0,
        )
        self.subscribing = Subscribing(adapter, inbound, send, log, self._fail_with)
        self.ahead = Ahead(adapter, self.subscribing.held)
        self.confirmations = Confirmations(send)
        self.degrading = Degrading(adapter.capabilities.honours)
        self.announcements: dict[int, bytes] = {}
        self._surplus: deque[Native] = deque(maxlen=SURPLUS)
        self._failed: dict[int, ByNumber] = {}
        self._busy: Order | None = None
        self._reconciled = False
        self._adapter = adapter
        self._inbound = inbound
        self._send = send
        self._log = log
        self._stamper = stamper

    @property
    def subscriptions(self) -> dict[int, Subscription]:
        """Active subscriptions, by number."""
        return self.subscribing.held

    async def perform(self, order: Order) -> None:
        """Perform one order; a failure is counted, logged and reported to the gateway."""
        self._busy = order
        try:
            await self._perform(order)
        finally:
            self._busy = None
            self._inbound.acknowledgements.settled = self._reconciled and not self._failed

    def holds(self, number: int) -> bool:
        """Return whether a number is active natively, is being made, or is to be tried again."""
        made = number in self.subscriptions or number in self.announcements
        if made or number in self._failed or isinstance(self._busy, Desired):
            return True
        return getattr(self._busy, "number", None) == number

    def failed(self) -> tuple[ByNumber, ...]:
        """Return the orders that failed since the event service was away, to be tried again."""
        return tuple(self._failed.values())

    def withdrawals(self) -> tuple[Unsubscribe | Unannounce, ...]:
        """Return the orders that withdraw every native subscription and announcement."""
        announced = (Unannounce(number) for number in self.announcements)
        return (*self.subscribing.withdrawals(), *announced)

    def forget(self) -> None:
        """Forget what was subscribed and announced: the native connection is closed."""
        self.announcements.clear()
        self._surplus.clear()
        self._failed.clear()
        self.subscribing.forget()
        self.ahead.forget()
        self._reconciled = False

    async def settle(self) -> None:
        """Withdraw natively what could not be withdrawn when it was covered or replaced."""
        await self.subscribing.settle()
        await self._settle_announcements()

    async def _perform(self, order: Order) -> None:
        own = shared_slice()
        await own.turn()
        try:
            await self._dispatch(order)
        except Exception as error:  # noqa: BLE001 - those behind it are to be performed
            _log.exception("order_failed", extra={"adapter": self._adapter.id})
            self.counters["order_failed"] += 1
            reason = f"order failed: {error!r}"[:REASON]
            self._log(Decision.DROPPED, stamp=getattr(order, "stamp", None), reason=reason)
            if isinstance(order, ByNumber):
                self._fail(order, reason, retryable=True)
            elif isinstance(order, Publish):
                self.confirmations.failed(order, reason, retryable=True)
        finally:
            own.end()

    async def _dispatch(self, order: Order) -> None:
        match order:
            case Publish():
                await self._publish(order)
            case PublishControl():
                await self._publish_control(order)
            case Subscribe():
                self._failed.pop(order.number, None)
                await self.subscribing.subscribe(order)
            case Unsubscribe():
                self._failed.pop(order.number, None)
                await self.subscribing.unsubscribe(order)
            case Announce():
                await self._announce(order)
            case Unannounce():
                await self._unannounce(order)
            case Desired():
                await self._reconcile(order)

    async def _publish(self, order: Publish) -> None:
        if not self.confirmations.is_turn(order):
            return
        subject = ""
        try:
            event = read_body(order.body)
            subject = event.subject
            if is_reserved(subject):
                raise EventError(f"subject {subject[:60]!r} is reserved")
            if order.expires_us:
                if order.expires_us <= self._adapter.context.clock_us():
                    self.counters["expired"] += 1
                    self._log(
                        Decision.DROPPED, stamp=order.stamp, subject=subject, reason="expired"
                    )
                    self.confirmations.failed(order, "expired", retryable=False)
                    return
                event = _with_time_left(event, order)
            made = self._adapter.context.mapping.natives_of(event)
            self._leave_out(order, made.left_out)
            stamp = to_native(order.stamp, order.via)
            for part in made.parts:
                origin = part.origin(stamp.origin)
                await self._adapter.publish(part.native, structs.replace(stamp, origin=origin))
        except FesError as error:
            self.counters["publish_failed"] += 1
            self._log(Decision.DROPPED, stamp=order.stamp, subject=subject, reason=str(error))
            self.confirmations.failed(order, str(error)[:REASON], retryable=error.retryable)
            return
        if not made.parts and made.left_out:
            self.confirmations.failed(order, made.left_out[0].reason[:REASON], retryable=False)
            return
        self.confirmations.published(order)
        self.counters["published"] += 1
        if event.attributes:
            self.degrading.count(event)
        self._log(
            Decision.PUBLISHED,
            stamp=order.stamp,
            subject=subject,
            path=order.via,
            session=session_of(event) if event.attributes else "",
        )

    def _leave_out(self, order: Publish, left_out: tuple[LeftOut, ...]) -> None:
        for gone in left_out:
            self.counters["publish_left_out"] += 1
            self._log(
                Decision.LEFT_OUT,
                stamp=order.stamp,
                subject=gone.subject,
                reason=gone.reason[:REASON],
            )

    async def _publish_control(self, order: PublishControl) -> None:
        if order.expires_us and order.expires_us <= self._adapter.context.clock_us():
            self.counters["expired"] += 1
            self._log(Decision.DROPPED, reason="control event: expired")
            return
        try:
            event = binary.decode(order.body)
            await self._adapter.publish_control(event, self._stamper.next())
            self.counters["control_published"] += 1
        except FesError as error:
            self.counters["publish_failed"] += 1
            self._log(Decision.DROPPED, reason=f"control event: {error}")

    def _announced(self, event: Event) -> tuple[Native, ...]:
        made = self._adapter.context.mapping.natives_of(event, ranges=False)
        return tuple(part.native for part in made.parts)

    async def _announce(self, order: Announce) -> None:
        held = self.announcements.get(order.number)
        if held == order.body:
            self._send(Done(order.number))
            return
        made: list[Native] = []
        try:
            event = binary.decode(order.body)
            for native in self._announced(event):
                await self._adapter.announce(native)
                made.append(native)
        except FesError as error:
            await self._take_back(made)
            self._fail(order, str(error), retryable=error.retryable)
            return
        self._failed.pop(order.number, None)
        self.announcements[order.number] = order.body
        self._log(Decision.ANNOUNCED, subject=event.subject)
        if held is not None:  # rule T4: what replaces it is active already
            replaced = binary.decode(held)
            await self._take_back(self._announced(replaced))
            self._log(Decision.UNANNOUNCED, subject=replaced.subject)
        self._send(Done(order.number))

    async def _take_back(self, natives: Iterable[Native]) -> None:
        """Withdraw announcements.

        Those that cannot be withdrawn now follow with the next round trip.
        """
        self._surplus.extend(natives)
        await self._settle_announcements()

    async def _settle_announcements(self) -> None:
        with suppress(FesError):
            while self._surplus:
                await self._adapter.unannounce(self._surplus[0])
                self._surplus.popleft()

    async def _unannounce(self, order: Unannounce) -> None:
        self._failed.pop(order.number, None)
        body = self.announcements.get(order.number)
        if body is None:
            return
        event = binary.decode(body)
        try:
            for native in self._announced(event):
                await self._adapter.unannounce(native)
        except FesError as error:
            self._fail(order, str(error), retryable=error.retryable)
            return
        del self.announcements[order.number]
        self._log(Decision.UNANNOUNCED, subject=event.subject)
        self._send(Done(order.number, withdrawn=True))

    async def _reconcile(self, desired: Desired) -> None:
        wanted = {order.number for order in desired.subscriptions}
        wanted.update(order.number for order in desired.announcements)
        surplus = [order for order in self.withdrawals() if order.number not in wanted]
        self._failed.clear()
        orders: list[Order] = [*desired.subscriptions, *desired.announcements, *surplus]
        natives = self.subscribing.natives
        natives.keeps = True  # numbers may be of other filters: new ones are made first
        try:
            for order in orders:
                await self._perform(order)
        finally:
            natives.keeps = False
        await self.settle()
        self._reconciled = True
        self._inbound.desired = desired.version

    def _fail_with(self, order: ByNumber, error: FesError) -> None:
        self._fail(order, str(error), retryable=error.retryable)

    def _fail(self, order: ByNumber, error: str, *, retryable: bool) -> None:
        self.counters["request_failed"] += 1
        if retryable:
            self._failed[order.number] = order
        withdrawn = isinstance(order, Unsubscribe | Unannounce)
        self._send(Done(order.number, withdrawn=withdrawn, error=error))


def _with_time_left(event: Event, order: Publish) -> Event:
    """Return an event whose `Timeout`, if it has one, is reduced to what is left of it."""
    if event.attribute(attributes.TIMEOUT) is None:
        return event
    left_s = (order.expires_us - order.stamp.time_us) / 1e6
    return event.with_attributes({attributes.TIMEOUT: left_s})
