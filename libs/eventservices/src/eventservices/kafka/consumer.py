"""The consumer, a member of a group, in a thread of its own."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final

from confluent_kafka import (
    OFFSET_INVALID,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from eventservices.errors import NotConnectedError
from eventservices.kafka.addresses import addresses
from eventservices.kafka.producer import CLOSE_S, OPEN_S, POLL_S, QUIET
from eventservices.kafka.record import Record, record_of, text_of
from eventservices.kafka.troubles import plain

ASSIGNED_S: Final = 15.0
"""Longest wait for a group to divide the partitions."""

RECOVER_S: Final = 1.0
"""Longest wait for an answer after a failure, before records are consumed again."""

BATCH: Final = 32
"""Most records that are consumed at once: they are with the gateway before it can stop more."""

FETCH_BYTES: Final = 4 * 1024 * 1024
"""Most bytes of one answer of a broker, and of records that the library keeps until they are
consumed; a larger record comes alone."""


class KafkaConsumer:
    """Consumes as one member of a group; offsets are committed on request.

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
    """

    def __init__(
        self,
        brokers: Sequence[str],
        name: str,
        group: str,
        start: str,
        receive: Callable[[list[Record]], None],
    ) -> None:
        self._consuming: dict[str, Any] = {
            **addresses(brokers),
            "client.id": name,
            "logger": QUIET,
            "group.id": group,
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
        self._stopping = threading.Event()
        self._acts: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._commits: dict[tuple[str, int], int] = {}
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._assigned: asyncio.Future[None] | None = None
        self._is_paused = False

    def open(self) -> None:
        """Start the thread; nothing is consumed before `subscribe`."""
        self._loop = asyncio.get_running_loop()
        self._consumer = Consumer(self._consuming)
        self._threads = [threading.Thread(target=self._consume, name="kafka consume", daemon=True)]
        self._threads[0].start()

    async def close(self) -> None:
        """Leave the group, which divides the partitions among the other members."""
        self._stopping.set()
        await asyncio.to_thread(self._end)

    def _end(self) -> None:
        for thread in self._threads:
            thread.join(CLOSE_S)

    async def subscribe(self, topics: Sequence[str], *, waits: bool) -> None:
        """Consume topics, and wait until their partitions are assigned.

        Args:
            topics: Names, and regular expressions that begin with ^.
            waits: Whether one of them exists, so that there are partitions to wait for.

        Raises:
            NotConnectedError: The partitions were not assigned in time.
        """
        assigned = self._assigned = self._loop.create_future() if waits and topics else None

        def act() -> None:
            if topics:
                self._consumer.subscribe(
                    list(topics), on_assign=self._on_assign, on_revoke=self._on_revoke
                )
            else:
                self._consumer.unsubscribe()

        self._acts.put(act)
        if assigned is not None:
            try:
                async with asyncio.timeout(ASSIGNED_S):
                    await assigned
            except TimeoutError as error:
                raise NotConnectedError("no partition was assigned in time") from error

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
                    self._hand_over(consumer.consume(BATCH, POLL_S), receive)
            consumer.close()

        try:
            await asyncio.to_thread(begin)
        except KafkaException as error:
            raise NotConnectedError(text_of(error.args[0])) from error
        thread = threading.Thread(target=run, name="kafka listen", daemon=True)
        self._threads.append(thread)
        thread.start()

    def commit(self, topic: str, partition: int, offset: int) -> None:
        """Request the commit of an offset; the greatest of those that wait counts."""
        with self._lock:
            self._commits[topic, partition] = offset

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
        self._commit()
        self._consumer.close()

    def _consume_once(self) -> None:
        if self.failure:
            self._recover()
        self._pause(wanted=not self.has_room.is_set())
        self._hand_over(self._consumer.consume(BATCH, POLL_S), self._receive)
        self._commit()

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
        records = [record_of(each) for each in messages if each.error() is None]
        if records:
            with suppress(RuntimeError):  # the loop was closed
                self._loop.call_soon_threadsafe(receive, records)

    def _pause(self, *, wanted: bool) -> None:
        if wanted != self._is_paused:
            partitions = self._consumer.assignment()
            (self._consumer.pause if wanted else self._consumer.resume)(partitions)
            self._is_paused = wanted

    def _commit(self) -> None:
        with self._lock:
            commits, self._commits = self._commits, {}
        if commits:
            offsets = [TopicPartition(topic, at, offset) for (topic, at), offset in commits.items()]
            # Where it is lost, records come again, and the gateway recognises their identity.
            with suppress(KafkaException):
                self._consumer.commit(offsets=offsets, asynchronous=False)

    def _on_assign(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """Begin each partition at its committed offset, or at its present end."""
        self.rebalanced += 1
        fresh = []
        for each in consumer.committed(partitions, timeout=OPEN_S):
            if each.offset < 0 or each.offset == OFFSET_INVALID:
                low, high = consumer.get_watermark_offsets(each, timeout=OPEN_S)
                each.offset = low if self._start == "earliest" else high
                fresh.append(each)
        known = {(each.topic, each.partition): each.offset for each in fresh}
        for each in partitions:
            if (each.topic, each.partition) in known:
                each.offset = known[each.topic, each.partition]
        consumer.assign(partitions)
        self._is_paused = False
        if fresh:
            with suppress(KafkaException):
                consumer.commit(offsets=fresh, asynchronous=False)
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._was_assigned)

    def _on_revoke(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        del consumer, partitions
        self._commit()

    def _was_assigned(self) -> None:
        if self._assigned is not None and not self._assigned.done():
            self._assigned.set_result(None)

    def _failed(self, error: KafkaError) -> None:
        self.failure = plain(error)
