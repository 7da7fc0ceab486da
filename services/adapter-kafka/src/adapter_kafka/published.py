"""What a topic has already of what is to be published: Kafka itself stores a repetition.

After a kill, or an answer that was lost, nobody knows whether the last record was stored. So before
the first persistent event of a topic the end of its partitions is read.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import Any, Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition
from eventservices.errors import NotConnectedError, RefusedError
from eventservices.stamp import Stamp
from fes.errors import CodecError

from adapter_kafka.addresses import addresses
from adapter_kafka.codec import read_head
from adapter_kafka.native import as_native, record_of
from adapter_kafka.producer import OPEN_S, QUIET

TAIL: Final = 1000
"""Most records of a partition that are read; a repetition of an older one is not recognised."""

READ_S: Final = 10.0
"""Longest time for reading them."""

TOPICS: Final = 256
"""Most topics whose last records are remembered; the end of another is read again."""

Identity = tuple[str, int, int]


class Published:
    """Recognises persistent events that a topic has already.

    Args:
        brokers: As of `addresses`.
        client: Name of the adapter in its records.
    """

    def __init__(self, brokers: Sequence[str], client: str) -> None:
        self._settings: dict[str, Any] = {
            **addresses(brokers),
            "logger": QUIET,
            "group.id": f"{client} published",  # has no members and commits nothing
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
        self._client = client
        self._known: dict[str, frozenset[Identity]] = {}

    async def has(self, topic: str, stamp: Stamp) -> bool:
        """Return whether a topic has the event of a stamp.

        Raises:
            NotConnectedError: The end of the topic cannot be read now.
        """
        if topic not in self._known:
            self._known[topic] = await asyncio.to_thread(self._read, topic)
            if len(self._known) > TOPICS:
                del self._known[next(iter(self._known))]
        return _identity(stamp) in self._known.get(topic, ())

    def forget(self, topic: str) -> None:
        """Read a topic's end again: an answer was lost."""
        self._known.pop(topic, None)

    def _read(self, topic: str) -> frozenset[Identity]:
        consumer = Consumer(self._settings)
        try:
            return frozenset(self._own(consumer, topic))
        except KafkaException as error:
            raise NotConnectedError(str(as_native(error.args[0]))) from error
        except RefusedError:  # what may not be read is published without this check
            return frozenset()
        finally:
            consumer.close()

    def _own(self, consumer: Consumer, topic: str) -> set[Identity]:
        ends = _ends(consumer, topic)
        starts = [
            TopicPartition(topic, at, max(low, end - TAIL)) for at, (low, end) in ends.items()
        ]
        left = {each.partition for each in starts if each.offset < ends[each.partition][1]}
        consumer.assign([each for each in starts if each.partition in left])
        found: set[Identity] = set()
        until_s = time.monotonic() + READ_S
        while left:
            for message in consumer.consume(TAIL, 0.2):
                at, error = message.partition() or 0, message.error()
                if error is not None and error.code() != KafkaError._PARTITION_EOF:
                    raise as_native(error)
                if error is None:
                    found.update(self._identity_of(message))
                if error is not None or (message.offset() or 0) + 1 >= ends[at][1]:
                    left.discard(at)
            if left and time.monotonic() > until_s:
                raise NotConnectedError(f"topic {topic[:100]!r}: its last records do not arrive")
        return found

    def _identity_of(self, message: Message) -> set[Identity]:
        try:
            head = read_head(record_of(message))
        except CodecError:  # somebody else's
            return set()
        if head.stamp is None or head.client != self._client:
            return set()
        return {_identity(head.stamp)}


def _ends(consumer: Consumer, topic: str) -> dict[int, tuple[int, int]]:
    """Return the first offset of each partition, and the one after the last."""
    known = consumer.list_topics(topic, timeout=OPEN_S).topics[topic]
    if known.error is not None:
        raise as_native(known.error)
    return {
        at: consumer.get_watermark_offsets(TopicPartition(topic, at), timeout=OPEN_S)
        for at in known.partitions
    }


def _identity(stamp: Stamp) -> Identity:
    return stamp.origin, stamp.epoch, stamp.sequence
