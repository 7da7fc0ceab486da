"""The adapter of plain Kafka, whose clients know nothing of the federation."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

from eventservices.ending import ended
from eventservices.errors import NotConnectedError
from eventservices.kafka.addresses import check_files
from eventservices.kafka.consumer import KafkaConsumer
from eventservices.kafka.offsets import Offsets
from eventservices.kafka.producer import KafkaProducer
from eventservices.kafka.record import Record
from eventservices.stamp import Stamp
from fes.adapter.base import Adapter
from fes.adapter.context import AdapterContext, Received, ReceivedControl, Subscription
from fes.adapter.inbound.ordered import OrderedDelivery
from fes.adapter.native_form import NativeForm
from fes.adapter.plain.persistent import is_persistent, persistent
from fes.adapter.plain.sizes import check_size
from fes.control import CONTROL_SUBJECT
from fes.errors import UnavailableError
from fes.federation.capabilities import Capabilities
from fes.filter import Filter
from fes.mapping import Mapping as EventMapping
from fes.mapping import Native
from fes.mapping.topics import kafka as names
from fes.mapping.topics.sources import Topics, topics_of
from fes.model import Event, is_reserved

from adapter_kafka.codec import key_of, read_head, without_key, write_head
from adapter_kafka.mapping import native_form
from adapter_kafka.published import Published
from adapter_kafka.settings import Settings

if TYPE_CHECKING:
    from eventservices.kafka.interests import Interest

MOST: Final = 4096
"""Most records that the gateway has not answered; above it, or `MOST_BYTES`, none is fetched."""

REDELIVERS_S: Final = 10.0
"""After how long, at the latest, the group delivers a record to another member: its session."""

PAYLOAD_BYTES: Final = 1_000_000
"""Largest record that a broker accepts by default."""

_COUNTED: Final = ("unstamped", "own", "repeated_headers", "committed", "published_before")


class KafkaAdapter(Adapter[Settings, Record]):
    """Connects a Kafka cluster, as a member of a consumer group."""

    kind: ClassVar[str] = "kafka"
    settings_type = Settings
    stamp_setting: ClassVar[str] = "stamped"
    one_may_stamp: ClassVar[bool] = True
    prepares: ClassVar[bool] = True

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        self._codec = self.settings.codec(context)
        self._counts = dict.fromkeys(_COUNTED, 0)

    @classmethod
    def capabilities_for(cls, settings: Settings) -> Capabilities:
        """Return what Kafka can do: a record has an identity that follows from its offset."""
        del settings
        return Capabilities(
            filters_at_source=True,
            stamps=True,
            suppresses=False,
            persistent=True,
            pull=True,
            max_event_bytes=PAYLOAD_BYTES,
            redelivers_s=REDELIVERS_S,
        )

    @classmethod
    def explain(
        cls, filter_: Filter, mapping: EventMapping, given: Mapping[str, Any]
    ) -> NativeForm:
        """Return the topics of a filter."""
        form = native_form(filter_, mapping, given)
        return replace(form, lines=tuple(map(names.subscription, form.lines)))

    def _counted(self) -> dict[str, int]:
        return {
            **self._counts,
            "subscriptions": len(self._consumer.interests.topics),
            "missing_topics": self._consumer.interests.missing,
            "refused_subscriptions": self._consumer.interests.refused,
            **self._delivery.counters(),
            "rebalanced": self._consumer.rebalanced,
            "commits_repeated": self._consumer.commits.failed,
            **self._codec.counters(),
            "unacknowledged": self._producer.unacknowledged,
        }

    async def _open(self) -> None:
        name = f"fes.{self.context.system}.{self.id}"
        self._numbers: dict[int, Record] = {}
        self._next = 0
        self._offsets: dict[tuple[str, int], Offsets] = {}
        self._interests: dict[int, Interest] = {}
        self._prepared: dict[str, Interest] = {}
        self._delivery = OrderedDelivery(self.receive, self._done, MOST)
        brokers = self._some_brokers()
        await check_files(brokers)
        self._producer = KafkaProducer(brokers, name, self.settings.max_bytes)
        self._closing.push_async_callback(self._producer.close)
        await self._producer.open()
        self._published = Published(brokers, self.id)
        group = self.settings.group or name
        self._consumer = KafkaConsumer(brokers, name, group, self.settings.start, self._take)
        self._consumer.open()
        self._closing.push_async_callback(self._consumer.close)
        delivering = asyncio.create_task(self._delivery.run(), name="kafka deliver")
        self._closing.push_async_callback(ended, delivering)
        if self.context.hears_control:
            await self._producer.ensure(CONTROL_SUBJECT)
            await self._consumer.listen(CONTROL_SUBJECT, self._take_control)

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        own = replace(native, attributes=without_key(native.attributes))
        message = self._codec.to_message(own, stamp)
        route = None if message.route is None else self.settings.routes[message.route]
        value = message.packed.payload
        check_size(len(value), self.settings.max_bytes)
        topic, waits = names.write(message.topic), is_persistent(native)
        if waits and await self._published.has(topic, stamp):
            self._counts["published_before"] += 1
            return
        key = key_of(native, route.key if route else "")
        try:
            headers = write_head(message, stamp, self.id)
            await self._producer.publish(topic, key, value, headers, waits=waits)
        except NotConnectedError:
            self._published.forget(topic)
            raise

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        message = self._codec.to_control_message(event, stamp)
        headers = write_head(message, stamp, self.id)
        payload = message.packed.payload
        await self._producer.publish(CONTROL_SUBJECT, None, payload, headers, waits=True)

    def _prepare(self, filter_: Filter) -> None:
        text = filter_.canonical
        if text not in self._prepared:
            self._prepared[text] = self._consumer.begin(self._topics(filter_).patterns)

    def _end_prepared(self) -> None:
        prepared, self._prepared = self._prepared, {}
        for each in prepared.values():
            self._consumer.unsubscribe(each)

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        found = self._topics(subscription.filter)
        begun = self._prepared.pop(subscription.filter.canonical, None)
        interest = begun or self._consumer.begin(found.patterns)
        self._interests[subscription.number] = await self._consumer.active(interest)
        return found.widened

    async def _unsubscribe(self, subscription: Subscription) -> None:
        interest = self._interests.pop(subscription.number, None)
        if interest is not None:
            self._consumer.unsubscribe(interest)

    def _topics(self, filter_: Filter) -> Topics:
        found = topics_of(filter_.tree, self.context.mapping, self._codec.routes)
        return replace(found, patterns=tuple(map(names.subscription, found.patterns)))

    async def _probe(self) -> None:
        await self._producer.probe()
        if self._consumer.failure:
            raise UnavailableError(self._consumer.failure)

    def _take(self, records: list[Record]) -> None:
        for record in records:
            self._next += 1
            self._numbers[self._next] = record
            place = (record.topic, record.partition)
            self._offsets.setdefault(place, Offsets()).delivered(record.offset)
            self._delivery.put(self._next, record, record.size)
        if not self._delivery.has_room:
            self._consumer.has_room.clear()

    def _take_control(self, records: list[Record]) -> None:
        for record in records:
            self.receive(record)

    def _done(self, number: int) -> None:
        record = self._numbers.pop(number)
        position = self._offsets[record.topic, record.partition].done(record.offset)
        self._consumer.commits.put(record.topic, record.partition, position)
        self._counts["committed"] += 1
        if self._delivery.has_room:
            self._consumer.has_room.set()

    def _read(self, message: Record) -> Received | ReceivedControl | None:
        head = read_head(message)
        if head.client == self.id:
            self._counts["own"] += 1
            return None
        if message.topic == CONTROL_SUBJECT:
            return self._codec.to_control(head.headers, message.value, head.stamp)
        if is_reserved(names.read(message.topic)):
            return None
        self._counts["unstamped"] += head.stamp is None
        if self.settings.stamped and head.stamp is None:
            return None  # left to another gateway's adapter, which stamps it
        self._counts["repeated_headers"] += head.repeated
        stamp = head.stamp or self._stamp(message)
        topic = names.read(message.topic)
        found = self._codec.to_native(topic, head.headers, message.value, stamp)
        if found is None:
            return None
        native = found.native
        marked = replace(native, attributes=(*native.attributes, *head.attributes))
        return found._replace(native=persistent(marked))

    def _stamp(self, record: Record) -> Stamp:
        """Return the stamp of a record that has none: the same for every receiver and delivery."""
        origin = f"{self.event_service_id}/{record.topic}/{record.partition}"
        return Stamp(origin, 1, record.offset + 1, record.time_us, self.event_service_id)

    def _raw(self, message: Record) -> bytes:
        return message.value

    def _named(self, message: Record) -> str:
        return f"{message.topic[:100]}/{message.partition}/{message.offset}"
