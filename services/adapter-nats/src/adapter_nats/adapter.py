"""The adapter of plain NATS, whose clients know nothing of the federation."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from eventservices.counting import counts_of
from eventservices.natslink import LinkOptions, NatsLink
from eventservices.stamp import Stamp
from fes.adapter.base import Adapter
from fes.adapter.context import AdapterContext, Received, ReceivedControl, Subscription
from fes.adapter.native_form import NativeForm
from fes.adapter.plain.codec import Message
from fes.adapter.plain.persistent import is_persistent, persistent
from fes.control import CONTROL_SUBJECT
from fes.errors import UnavailableError
from fes.federation.capabilities import Capabilities
from fes.filter import Filter
from fes.mapping import Mapping as EventMapping
from fes.mapping import Native
from fes.mapping.topics.sources import topics_of
from fes.model import Event, is_reserved

from adapter_nats.codec import NatsMessage, read_head, write_head
from adapter_nats.consumer import ACK_WAIT_S
from adapter_nats.mapping import native_form
from adapter_nats.settings import Settings
from adapter_nats.stream import DUPLICATE_WINDOW_S, Stream
from adapter_nats.subscriptions import Subscriptions

PAYLOAD_BYTES: Final = 1024 * 1024
"""Largest payload that a NATS server accepts by default."""

OPEN_S: Final = 3.0
"""Longest time for connecting; the runtime tries again."""


class NatsAdapter(Adapter[Settings, NatsMessage]):
    """Connects a NATS system."""

    kind: ClassVar[str] = "nats"
    settings_type = Settings
    stamp_setting: ClassVar[str] = "stamped"
    one_may_stamp: ClassVar[bool] = True

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        self._stream: Stream | None = None
        self._codec = self.settings.codec(context)
        self._counts = dict.fromkeys(
            ("unstamped", "servers_own", "with_reply", "repeated_headers"), 0
        )

    @classmethod
    def capabilities_for(cls, settings: Settings) -> Capabilities:
        """Return what NATS can do; with `stamped` no event without a stamp is received.

        A message in a stream has an identity that follows from its number.
        """
        keeps = bool(settings.stream)
        return Capabilities(
            filters_at_source=True,
            stamps=settings.stamped or keeps,
            suppresses=False,
            persistent=keeps,
            pull=keeps,
            max_event_bytes=PAYLOAD_BYTES,
            redelivers_s=ACK_WAIT_S if keeps else 0.0,
            deduplicates_s=DUPLICATE_WINDOW_S if keeps else 0.0,
        )

    @classmethod
    def explain(
        cls, filter_: Filter, mapping: EventMapping, given: Mapping[str, Any]
    ) -> NativeForm:
        """Return the subjects of a filter."""
        return native_form(filter_, mapping, given)

    def _counted(self) -> dict[str, int]:
        link = {f"link_{name}": count for name, count in counts_of(self._link.counters).items()}
        own = {"subscriptions": len(self._subscriptions), **self._codec.counters()}
        if self._stream is not None:
            own |= self._stream.counters()
        return {**self._counts, **own, **link, "handler_errors": self._link.handler_errors}

    async def _open(self) -> None:
        # The server's monitoring shows the name; NATS does not require a unique one.
        options = LinkOptions(name=f"fes/{self.context.system}/{self.id}", open_timeout_s=OPEN_S)
        self._link = NatsLink(self._some_brokers(), options)
        self._closing.push_async_callback(self._link.close)
        self._subscriptions = Subscriptions(self._link, self._take, self.settings.queue)
        await self._link.open()
        if self.settings.stream:
            self._stream = Stream(
                self._link, self.settings.stream, self.id, self.event_service_id, self.receive
            )
            self._closing.push_async_callback(self._stream.close)
            await self._stream.open()
        if self.context.hears_control:
            await self._link.listen(CONTROL_SUBJECT, self._take_control)
            await self._link.flush()

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        message = self._codec.to_message(native, stamp)
        if self._stream is not None and is_persistent(native):
            headers = write_head(message, stamp)
            await self._stream.publish(message.topic, message.packed.payload, headers)
        else:
            await self._send(message, stamp)

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        await self._send(self._codec.to_control_message(event, stamp), stamp)

    async def _send(self, message: Message, stamp: Stamp) -> None:
        headers = write_head(message, stamp)
        await self._link.publish(message.topic, message.packed.payload, headers)

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        found = topics_of(subscription.filter.tree, self.context.mapping, self._codec.routes)
        chosen = self._subscriptions if self._stream is None else self._stream
        await chosen.want(subscription.number, found.patterns)
        return found.widened

    async def _unsubscribe(self, subscription: Subscription) -> None:
        chosen = self._subscriptions if self._stream is None else self._stream
        await chosen.forget(subscription.number)

    async def _probe(self) -> None:
        await self._link.probe()
        if self._stream is not None and self._stream.failure:
            raise UnavailableError(self._stream.failure)

    def _take(self, subject: str, payload: bytes, block: bytes, reply: str) -> None:
        self.receive(NatsMessage(subject, payload, block, reply))

    def _take_control(self, subject: str, payload: bytes, block: bytes, reply: str) -> None:
        self.receive(NatsMessage(subject, payload, block, reply, is_control=True))

    def _read(self, message: NatsMessage) -> Received | ReceivedControl | None:
        if is_reserved(message.subject) and not message.is_control:
            return None  # its own subscription brings it, where control events may enter
        head = read_head(message.headers)
        if message.is_control:
            return self._codec.to_control(head.headers, message.payload, head.stamp)
        self._counts["unstamped"] += head.stamp is None
        stamp = head.stamp or message.kept
        if self.settings.stamped and stamp is None:
            return None  # left to another gateway's adapter, which stamps it
        found = self._codec.to_native(message.subject, head.headers, message.payload, stamp)
        if found is None:
            self._counts["servers_own"] += 1
            return None
        self._counts["with_reply"] += bool(message.reply)
        self._counts["repeated_headers"] += head.repeated
        return found if message.kept is None else found._replace(native=persistent(found.native))

    def _raw(self, message: NatsMessage) -> bytes:
        return message.payload

    def _named(self, message: NatsMessage) -> str:
        return "control event" if message.is_control else message.subject[:100]
