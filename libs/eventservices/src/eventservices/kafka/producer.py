"""The producer with its thread, and queries about topics."""

import asyncio
import logging
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from eventservices.errors import NotConnectedError
from eventservices.kafka.addresses import addresses
from eventservices.kafka.record import as_native, settle
from eventservices.kafka.troubles import Troubles

OPEN_S: Final = 5.0
"""Longest wait for a connection; the runtime tries again."""

POLL_S: Final = 0.05
CLOSE_S: Final = 5.0

MOST_SENT: Final = 1000
"""Most records without an acknowledgement for which nobody waits; then publishing waits."""

QUIET: Final = logging.Logger("kafka")  # noqa: LOG001 - kept apart from the tree: `probe` reports
QUIET.disabled = True


class KafkaProducer:
    """Produces records, each acknowledged by all replicas, and none twice for a retry.

    Args:
        brokers: As of `addresses`.
        name: Client identifier.
        max_bytes: Largest record.

    Attributes:
        unacknowledged: Records for which nobody waited, and which the broker did not acknowledge.
    """

    def __init__(self, brokers: Sequence[str], name: str, max_bytes: int) -> None:
        places = addresses(brokers)
        self._troubles = Troubles(places)
        self._settings: dict[str, Any] = {
            **places,
            "error_cb": self._troubles.put,
            "client.id": name,
            "logger": QUIET,
            "enable.idempotence": True,
            "linger.ms": 2,
            "message.max.bytes": max_bytes + 1024,
            "message.timeout.ms": 10_000,
            "socket.nagle.disable": True,
        }
        self._stopping = threading.Event()
        self._sent = asyncio.Semaphore(MOST_SENT)
        self.unacknowledged = 0

    async def open(self) -> None:
        """Connect.

        Raises:
            NotConnectedError: No broker answers in time.
            RefusedError: It refuses user and password.
        """
        self._loop = asyncio.get_running_loop()
        self._producer = Producer(self._settings)
        self._thread = threading.Thread(target=self._run, name="kafka produce", daemon=True)
        self._thread.start()
        await self.probe(OPEN_S)

    async def close(self) -> None:
        """Disconnect; what was produced before is sent, as long as a broker answers."""
        self._stopping.set()
        await asyncio.to_thread(self._end)

    def _end(self) -> None:
        self._thread.join(CLOSE_S)
        self._producer.flush(1.0)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._producer.poll(POLL_S)

    async def probe(self, deadline_s: float = OPEN_S) -> None:
        """Make a round trip to a broker.

        Raises:
            NotConnectedError: No broker answers.
            RefusedError: It refuses user and password.
        """
        try:
            await asyncio.to_thread(self._producer.list_topics, timeout=deadline_s)
        except KafkaException as error:
            raise self._troubles.away(error.args[0]) from error
        self._troubles.over()

    async def publish(
        self,
        topic: str,
        key: bytes | None,
        value: bytes,
        headers: list[tuple[str, bytes]],
        *,
        waits: bool,
    ) -> None:
        """Produce a record.

        Args:
            topic: Legal in Kafka.
            key: None where it has none.
            value: Its bytes.
            headers: Names and values.
            waits: Whether to return once the broker has acknowledged it. Otherwise what it does not
                acknowledge is counted, and there are at most `MOST_SENT` such records.

        Raises:
            NotConnectedError: The broker did not acknowledge it in time.
            RefusedError: The topic does not exist, or is not permitted.
            MalformedError: The record is too large.
        """
        done: asyncio.Future[None] = self._loop.create_future()

        def delivered(error: KafkaError | None, _: Message) -> None:
            with suppress(RuntimeError):  # the loop was closed
                self._loop.call_soon_threadsafe(settle, done, error)

        if not waits:
            await self._sent.acquire()
            done.add_done_callback(self._was_sent)
        try:
            given: Any = headers
            self._producer.produce(topic, value, key, headers=given, on_delivery=delivered)
        except BufferError as error:
            done.cancel()
            raise NotConnectedError("too many records wait for the broker") from error
        except KafkaException as error:
            done.cancel()
            raise as_native(error.args[0]) from error
        if waits:
            await done

    def _was_sent(self, done: "asyncio.Future[None]") -> None:
        self._sent.release()
        self.unacknowledged += not done.cancelled() and done.exception() is not None

    async def ensure(self, topic: str) -> None:
        """Create a topic of one partition, unless it exists or the broker does not permit it.

        Raises:
            NotConnectedError: No broker answers in time.
        """
        try:
            metadata = await asyncio.to_thread(self._producer.list_topics, timeout=OPEN_S)
        except KafkaException as error:
            raise self._troubles.away(error.args[0]) from error
        if topic in metadata.topics:
            return
        admin = AdminClient(self._settings)
        with suppress(KafkaException):
            made = admin.create_topics([NewTopic(topic, 1)])
            await asyncio.to_thread(made[topic].result, OPEN_S)
