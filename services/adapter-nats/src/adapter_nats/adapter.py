"""The adapter of plain NATS: core NATS, whose clients know nothing of the federation."""

from dataclasses import asdict
from typing import ClassVar, Final

import msgspec
from eventservices.errors import EventServiceError
from eventservices.natslink import LinkOptions, NatsLink
from eventservices.stamp import Stamp
from fes.adapter.base import Adapter, AdapterContext, Subscription
from fes.adapter.capabilities import Capabilities
from fes.adapter.plain import PAYLOAD_FACTOR, Message, PlainCodec
from fes.control import CONTROL_SUBJECT
from fes.errors import AdapterError, FesError, UnavailableError
from fes.mapping import Native
from fes.mapping.topics.sources import topics_of
from fes.model import Event, is_reserved

from adapter_nats import settings
from adapter_nats.codec import Head, read_head, write_head
from adapter_nats.errors import as_adapter_error, native_errors
from adapter_nats.subscriptions import Subscriptions

PAYLOAD_BYTES: Final = 1024 * 1024
"""What a NATS server takes, unless it is configured otherwise."""

OPEN_S: Final = 3.0
"""Longest that connecting takes; the runtime tries again."""


class NatsAdapter(Adapter):
    """Connects a NATS system.

    Args:
        context: Where it stands.

    Raises:
        AdapterError: A setting is not good.
    """

    kind: ClassVar[str] = "nats"
    settings_type: ClassVar[type[msgspec.Struct]] = settings.Settings
    stamp_setting: ClassVar[str] = "stamped"
    one_may_stamp: ClassVar[bool] = True
    capabilities: ClassVar[Capabilities] = Capabilities(
        filters_at_source=True, stamps=False, suppresses=False, max_event_bytes=PAYLOAD_BYTES
    )

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        given = settings.read(context.settings)
        self._stamped_only = given.stamped
        self._codec = PlainCodec(
            given.names(),
            given.texts(),
            given.payload,
            given.value,
            context.mapping,
            PAYLOAD_FACTOR * context.limits.event_bytes,
        )
        self._link: NatsLink | None = None
        self._subscriptions: Subscriptions | None = None
        self._counters = dict.fromkeys(
            ("unstamped", "servers_own", "with_reply", "repeated_headers"), 0
        )

    @property
    def counters(self) -> dict[str, int]:
        """Counters of what was heard, and of the connection."""
        if self._link is None or self._subscriptions is None:
            return {}
        link = {f"link_{name}": count for name, count in asdict(self._link.counters).items()}
        own = {"subscriptions": len(self._subscriptions), "nulls": self._codec.nulls}
        return {**self._counters, **own, **link, "handler_errors": self._link.handler_errors}

    async def _open(self) -> None:
        if not self.context.brokers:
            raise AdapterError(f"event service {self.context.service}: no broker is named")
        # The name is shown by the server's monitoring; NATS asks for no unique one.
        options = LinkOptions(name=f"fes/{self.context.system}/{self.id}", open_timeout_s=OPEN_S)
        with native_errors():
            self._link = NatsLink(self.context.brokers, options)
            self._subscriptions = Subscriptions(self._link, self._take)
        try:
            with native_errors():
                await self._link.open()
                if self.context.hears_control:
                    await self._link.listen(CONTROL_SUBJECT, self._take_control)
                    await self._link.flush()
        except BaseException:
            await self._close()
            raise

    async def _close(self) -> None:
        link, self._link = self._link, None
        self._subscriptions = None
        if link is not None:
            await link.close()

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        await self._send(self._codec.to_message(native, stamp), stamp)

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        await self._send(self._codec.to_control_message(event, stamp), stamp)

    async def _send(self, message: Message, stamp: Stamp) -> None:
        link = self._connected()[0]
        headers = write_head(message, stamp)
        try:
            await link.publish(message.topic, message.packed.payload, headers)
        except EventServiceError as error:
            raise as_adapter_error(error) from error

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        _, subscriptions = self._connected()
        found = topics_of(subscription.filter.tree, self.context.mapping, self._codec.routes)
        with native_errors():
            await subscriptions.want(subscription.number, found.patterns)
        return found.widened

    async def _unsubscribe(self, subscription: Subscription) -> None:
        _, subscriptions = self._connected()
        with native_errors():
            await subscriptions.forget(subscription.number)

    async def _probe(self) -> None:
        link, _ = self._connected()
        with native_errors():
            await link.probe()

    def _take(self, subject: str, payload: bytes, block: bytes, reply: str) -> None:
        if is_reserved(subject):
            return  # a control event, which is taken by its own subscription
        try:
            head = read_head(block)
            if self._left_to_others(head):
                return
            heard = self._codec.to_native(subject, head.headers, payload, head.stamp)
        except FesError as error:
            self.sink.set_aside(f"{subject[:100]}: {error}", payload)
            return
        if heard is None:
            self._counters["servers_own"] += 1
            return
        self._counters["with_reply"] += bool(reply)
        self._counters["repeated_headers"] += head.repeated
        self.sink.heard(heard.native, heard.stamp)

    def _take_control(self, subject: str, payload: bytes, block: bytes, reply: str) -> None:
        del subject, reply
        try:
            head = read_head(block)
            event, stamp = self._codec.to_control(head.headers, payload, head.stamp)
        except FesError as error:
            self.sink.set_aside(f"control event: {error}", payload)
            return
        self.sink.heard_control(event, stamp)

    def _left_to_others(self, head: Head) -> bool:
        """Tell whether a message is left to another gateway's adapter, which stamps it."""
        left = self._stamped_only and head.stamp is None
        self._counters["unstamped"] += head.stamp is None
        return left

    def _connected(self) -> tuple[NatsLink, Subscriptions]:
        if self._link is None or self._subscriptions is None:
            raise UnavailableError(f"event service {self.context.service} is not connected")
        return self._link, self._subscriptions
