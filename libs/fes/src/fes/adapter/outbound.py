"""What the gateway orders, on its way to the event service."""

from collections.abc import Callable

from eventservices.stamp import Stamper

from fes.adapter.base import Adapter, Subscription
from fes.adapter.inbound import Inbound
from fes.adapter.stamps import to_native
from fes.errors import FesError, FilterError
from fes.eventlog import Decision
from fes.filter import Filter
from fes.link.body import read_body
from fes.link.end import Message
from fes.link.messages import (
    Announce,
    Desired,
    Done,
    Order,
    Publish,
    PublishControl,
    Subscribe,
    Unannounce,
    Unsubscribe,
)
from fes.model import Event, attributes, binary


class Outbound:
    """Performs the gateway's orders, one after the other.

    Args:
        adapter: The adapter.
        inbound: Learns which subscriptions hold.
        send: Sends to the gateway.
        log: Appends a decision to the event log.
        stamper: Stamps control events.
    """

    def __init__(
        self,
        adapter: Adapter,
        inbound: Inbound,
        send: Callable[[Message], bool],
        log: Callable[..., None],
        stamper: Stamper,
    ) -> None:
        self.counters = dict.fromkeys(
            ("published", "control_published", "expired", "publish_failed", "request_failed"), 0
        )
        self.subscriptions: dict[int, Subscription] = {}
        self.announcements: dict[int, bytes] = {}
        self._failed: dict[int, Subscribe | Announce] = {}
        self._adapter = adapter
        self._inbound = inbound
        self._send = send
        self._log = log
        self._stamper = stamper

    async def perform(self, order: Order) -> None:
        """Perform one order; what fails is counted, logged and told to the gateway."""
        match order:
            case Publish():
                await self._publish(order)
            case PublishControl():
                await self._publish_control(order)
            case Subscribe():
                await self._subscribe(order)
            case Unsubscribe():
                await self._unsubscribe(order.number, order.version)
            case Announce():
                await self._announce(order)
            case Unannounce():
                await self._unannounce(order.number)
            case Desired():
                await self._reconcile(order)

    def failed(self) -> tuple[Subscribe | Announce, ...]:
        """Return what failed because the event service was away, to be tried again."""
        return tuple(self._failed.values())

    async def withdraw(self) -> None:
        """Withdraw every native subscription and announcement."""
        for number in list(self.subscriptions):
            await self._unsubscribe(number, self._inbound.desired)
        for number in list(self.announcements):
            await self._unannounce(number)

    async def _publish(self, order: Publish) -> None:
        subject = ""
        try:
            event = read_body(order.body)
            subject = event.subject
            if order.expires_us:
                if order.expires_us <= self._adapter.context.clock_us():
                    self.counters["expired"] += 1
                    self._log(
                        Decision.DROPPED, stamp=order.stamp, subject=subject, reason="expired"
                    )
                    return
                event = _with_time_left(event, order)
            stamp = to_native(order.stamp, order.via)
            for native in self._adapter.context.mapping.to_native(event):
                await self._adapter.publish(native, stamp)
        except FesError as error:
            self.counters["publish_failed"] += 1
            self._log(Decision.DROPPED, stamp=order.stamp, subject=subject, reason=str(error))
            return
        self.counters["published"] += 1
        self._log(Decision.PUBLISHED, stamp=order.stamp, subject=subject, path=order.via)

    async def _publish_control(self, order: PublishControl) -> None:
        try:
            event = binary.decode(order.body)
            await self._adapter.publish_control(event, self._stamper.next())
            self.counters["control_published"] += 1
        except FesError as error:
            self.counters["publish_failed"] += 1
            self._log(Decision.DROPPED, reason=f"control event: {error}")

    async def _subscribe(self, order: Subscribe) -> None:
        try:
            subscription = Subscription(order.number, Filter.of(order.filter))
            widened = await self._adapter.subscribe(subscription)
        except FilterError as error:
            self._fail(order, error)
            return
        except FesError as error:
            self._fail(order, error)
            return
        self._failed.pop(order.number, None)
        self.subscriptions[order.number] = subscription
        self._inbound.subscribe(subscription)
        self._inbound.desired = order.version
        self._log(Decision.SUBSCRIBED, what=order.filter)
        for text in widened:
            self._log(Decision.DEGRADED, what=text)
        self._send(Done(order.number, widened=widened))

    async def _unsubscribe(self, number: int, version: int) -> None:
        self._failed.pop(number, None)
        subscription = self.subscriptions.pop(number, None)
        if subscription is None:
            return
        self._inbound.unsubscribe(number)
        self._inbound.desired = version
        try:
            await self._adapter.unsubscribe(subscription)
        except FesError as error:
            self.counters["request_failed"] += 1
            self._send(Done(number, withdrawn=True, error=str(error)))
            return
        self._log(Decision.UNSUBSCRIBED, what=subscription.filter.text)
        self._send(Done(number, withdrawn=True))

    async def _announce(self, order: Announce) -> None:
        if self.announcements.get(order.number) == order.body:
            self._send(Done(order.number))
            return
        try:
            event = binary.decode(order.body)
            for native in self._adapter.context.mapping.to_native(event):
                await self._adapter.announce(native)
        except FesError as error:
            self._fail(order, error)
            return
        self._failed.pop(order.number, None)
        self.announcements[order.number] = order.body
        self._log(Decision.ANNOUNCED, subject=event.subject)
        self._send(Done(order.number))

    async def _unannounce(self, number: int) -> None:
        self._failed.pop(number, None)
        body = self.announcements.pop(number, None)
        if body is None:
            return
        event = binary.decode(body)
        try:
            for native in self._adapter.context.mapping.to_native(event):
                await self._adapter.unannounce(native)
        except FesError as error:
            self.counters["request_failed"] += 1
            self._send(Done(number, withdrawn=True, error=str(error)))
            return
        self._log(Decision.UNANNOUNCED, subject=event.subject)
        self._send(Done(number, withdrawn=True))

    async def _reconcile(self, desired: Desired) -> None:
        wanted = {order.number: order for order in desired.subscriptions}
        announced = {order.number: order for order in desired.announcements}
        for order in desired.subscriptions:
            held = self.subscriptions.get(order.number)
            if held is None or held.filter.text != order.filter:
                await self._unsubscribe(order.number, desired.version)
                await self._subscribe(order)
        for announcement in desired.announcements:
            if self.announcements.get(announcement.number) != announcement.body:
                await self._unannounce(announcement.number)
                await self._announce(announcement)
        for number in [number for number in self.subscriptions if number not in wanted]:
            await self._unsubscribe(number, desired.version)
        for number in [number for number in self.announcements if number not in announced]:
            await self._unannounce(number)
        self._inbound.desired = desired.version

    def _fail(self, order: Subscribe | Announce, error: FesError) -> None:
        self.counters["request_failed"] += 1
        if error.retryable:
            self._failed[order.number] = order
        self._send(Done(order.number, error=str(error)))


def _with_time_left(event: Event, order: Publish) -> Event:
    """Return an event whose `Timeout`, if it has one, is what is left of it."""
    if event.attribute(attributes.TIMEOUT) is None:
        return event
    left_s = (order.expires_us - order.stamp.time_us) / 1e6
    return event.with_attributes({attributes.TIMEOUT: left_s})
