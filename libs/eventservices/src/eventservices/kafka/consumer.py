"""The consumer, a member of a group, in a thread of its own."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka.admin import AdminClient

from eventservices.ending import ended
from eventservices.errors import NotConnectedError
from eventservices.kafka.addresses import addresses
from eventservices.kafka.batch import next_batch
from eventservices.kafka.commits import Commits
from eventservices.kafka.interests import Found, Interest, Interests
from eventservices.kafka.producer import CLOSE_S, OPEN_S, POLL_S, QUIET
from eventservices.kafka.record import Record, as_native, record_of, settle, text_of
from eventservices.kafka.topics import find_topics
from eventservices.kafka.troubles import plain
from eventservices.lasting import lasting

RECOVER_S: Final = 1.0
"""Longest wait for an answer after a failure, before records are consumed again."""

BATCH: Final = 32
"""Most records that are consumed at once: they are with the gateway before it can stop more."""

FETCH_BYTES: Final = 4 * 1024 * 1024
"""Most bytes of one answer of a broker, and of records that the library keeps until they are
consumed; a larger record comes alone."""


class KafkaConsumer:
    """Consumes as one member of a group; offsets are committed on request.

    Partitions that stay with the member are consumed also while the group divides the others
    (`cooperative-sticky`).

    Args:
        brokers: As of `addresses`.
        name: Client identifier.
        group: Consumer group.
        start: Where a group without a committed offset begins: `latest` or `earliest`.
        receive: Receives records, on the event loop.

    Attributes:
        failure: Why nothing is consumed now; "" while it is.
        rebalanced: How often partitions were divided.
        has_room: Set while records are fetched.
        interests: The topics that are consumed, and who needs them.
        commits: The offsets to commit.
    """

    def __init__(
        self,
        brokers: Sequence[str],
        name: str,
        group: str,
        start: str,
        receive: Callable[[list[Record]], None],
    ) -> None:
        self._admitting = {**addresses(brokers), "client.id": name, "logger": QUIET}
        self._consuming: dict[str, Any] = {
            **self._admitting,
            "group.id": group,
            "partition.assignment.strategy": "cooperative-sticky",
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "auto.offset.reset": start,
            "session.timeout.ms": 10_000,
            "heartbeat.interval.ms": 1_000,
            "topic.metadata.refresh.interval.ms": 1_000,
            "fetch.wait.max.ms": 100,
            "fetch.max.bytes": FETCH_BYTES,
            "queued.max.messages.kbytes": FETCH_BYTES // 1024,
            "error_cb": self._failed,
        }
        self._start = start
        self._receive = receive
        self.failure = ""
        self.rebalanced = 0
        self.has_room = threading.Event()
        self.has_room.set()
        self.interests = Interests(self)
        self.commits = Commits()
        self._stopping = threading.Event()
        self._acts: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._changing: asyncio.Task[None] | None = None
        self._is_paused: bool | None = False

    def open(self) -> None:
        """Start the thread; nothing is consumed before `subscribe`."""
        self._loop = asyncio.get_running_loop()
        self._consumer = Consumer(self._consuming)
        self._admin = AdminClient(self._admitting)
        self._threads = [threading.Thread(target=self._consume, name="kafka consume", daemon=True)]
        self._threads[0].start()
        self._changing = asyncio.create_task(lasting(self.interests.run), name="kafka interests")

    async def close(self) -> None:
        """Leave the group, which divides the partitions among the other members."""
        await ended(self._changing)
        self.interests.close()
        self._stopping.set()
        await asyncio.to_thread(self._end)

    def _end(self) -> None:
        for thread in self._threads:
            thread.join(CLOSE_S)

    async def subscribe(self, topics: Iterable[str]) -> Interest:
        """Consume topics, and wait until those that exist are; what is made later is found.

        Args:
            topics: Names, and regular expressions that begin with ^.

        Raises:
            NotConnectedError: The partitions were not assigned in time.
            RefusedError: A topic may not be read, or there are too many interests.
        """
        return await self.active(self.begin(topics))

    def begin(self, topics: Iterable[str]) -> Interest:
        """Begin to consume topics together with others; see `subscribe`.

        Raises:
            RefusedError: There are too many interests.
        """
        return self.interests.add(topics)

    async def active(self, interest: Interest) -> Interest:
        """Wait until what was begun is consumed; see `subscribe`. It ends where that fails."""
        try:
            await interest.ready
        except BaseException:
            self.interests.remove(interest)
            raise
        return interest

    def unsubscribe(self, interest: Interest) -> None:
        """Consume topics no longer that only this interest needs; does not wait."""
        self.interests.remove(interest)

    async def find(self, topics: Sequence[str]) -> Found:
        """Return which topics there are; see `Member`."""
        return await asyncio.to_thread(find_topics, self._admin, topics)

    async def read(self, topics: Sequence[str]) -> None:
        """Consume these topics in place of those before; see `Member`."""
        done: asyncio.Future[None] = self._loop.create_future()

        def act() -> None:
            failure: KafkaError | None = None
            try:
                self._subscribe(list(topics))
            except KafkaException as error:
                failure = error.args[0]
            except RuntimeError as error:  # it was closed
                failure = KafkaError(KafkaError._STATE, str(error))
            self._call(settle, done, failure)

        self._acts.put(act)
        await done

    async def listen(self, topic: str, receive: Callable[[list[Record]], None]) -> None:
        """Receive all records of a topic from now on, independently of the group.

        Raises:
            NotConnectedError: No broker answers in time.
        """
        consumer = Consumer({**self._consuming, "group.id": f"{self._consuming['group.id']}.own"})

        def begin() -> None:
            metadata = consumer.list_topics(topic, timeout=OPEN_S).topics[topic]
            partitions = [TopicPartition(topic, at) for at in metadata.partitions]
            for each in partitions:
                _, each.offset = consumer.get_watermark_offsets(each, timeout=OPEN_S)
            consumer.assign(partitions)

        def run() -> None:
            while not self._stopping.is_set():
                with suppress(KafkaException, RuntimeError):
                    self._hand_over(next_batch(consumer, BATCH, POLL_S), receive)
            consumer.close()

        try:
            await asyncio.to_thread(begin)
        except KafkaException as error:
            raise NotConnectedError(text_of(error.args[0])) from error
        thread = threading.Thread(target=run, name="kafka listen", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _subscribe(self, topics: list[str]) -> None:
        if topics:
            self._consumer.subscribe(
                topics, on_assign=self._on_assign, on_revoke=self._on_revoke, on_lost=self._on_lost
            )
        else:
            self._consumer.unsubscribe()

    def _consume(self) -> None:
        while not self._stopping.is_set():
            with suppress(Empty):
                while True:
                    self._acts.get_nowait()()
            try:
                self._consume_once()
            except (KafkaException, RuntimeError) as error:
                self.failure = str(error)
                self._stopping.wait(1.0)
        self.commits.commit(self._consumer)
        self._consumer.close()

    def _consume_once(self) -> None:
        if self.failure:
            self._recover()
        self._pause(wanted=not self.has_room.is_set())
        self._hand_over(next_batch(self._consumer, BATCH, POLL_S), self._receive)
        self.commits.commit(self._consumer)

    def _recover(self) -> None:
        """Forget a failure once the coordinator of the group answers.

        The library reports failures, and not that one is over.

        Raises:
            KafkaException: Nobody answers.
        """
        known = self._consumer.assignment()
        if known:
            self._consumer.committed(known, timeout=RECOVER_S)
        else:
            self._consumer.list_topics(timeout=RECOVER_S)
        self.failure = ""

    def _hand_over(self, messages: list[Message], receive: Callable[[list[Record]], None]) -> None:
        records = []
        for each in messages:
            error = each.error()
            if error is None:
                records.append(record_of(each))
            elif error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
                self._call(self.interests.deny, str(each.topic()), as_native(error))
        if records:
            self._call(receive, records)

    def _pause(self, *, wanted: bool) -> None:
        if wanted != self._is_paused:
            partitions = self._consumer.assignment()
            (self._consumer.pause if wanted else self._consumer.resume)(partitions)
            self._is_paused = wanted

    def _on_assign(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """Begin each new partition at its committed offset, or at its present end."""
        self.rebalanced += 1
        self.commits.own(partitions)
        known = consumer.committed(partitions, timeout=OPEN_S) if partitions else []
        fresh = [each for each in known if each.offset < 0]
        for each in fresh:
            low, high = consumer.get_watermark_offsets(each, timeout=OPEN_S)
            each.offset = low if self._start == "earliest" else high
        consumer.incremental_assign(known)
        self._is_paused = None  # those from before may be, and the new ones are not
        for each in fresh:
            self.commits.put(each.topic, each.partition, each.offset)
        self.commits.commit(consumer)
        topics = frozenset(each.topic for each in consumer.assignment())
        self._call(self.interests.assigned, topics)

    def _on_revoke(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        self.commits.commit(consumer)
        self._on_lost(consumer, partitions)

    def _on_lost(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        del consumer
        self.commits.disown(partitions)
        self._call(self.interests.released, frozenset(each.topic for each in partitions))

    def _call(self, act: Callable[..., None], *given: object) -> None:
        with suppress(RuntimeError):  # the loop was closed
            self._loop.call_soon_threadsafe(act, *given)

    def _failed(self, error: KafkaError) -> None:
        self.failure = plain(error)
