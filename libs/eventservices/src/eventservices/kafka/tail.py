"""The last records of a topic, read outside any group."""

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from eventservices.errors import NotConnectedError, RefusedError
from eventservices.kafka.addresses import addresses
from eventservices.kafka.batch import next_batch
from eventservices.kafka.producer import OPEN_S, POLL_S, QUIET
from eventservices.kafka.record import Record, as_native, record_of

TAIL: Final = 1000
"""Most records of a partition that are read."""

READ_S: Final = 10.0
"""Longest time for reading them."""


def read_tail(
    brokers: Sequence[str], group: str, topic: str, receive: Callable[[Record], None]
) -> None:
    """Read the last records of each partition of a topic, as far as it may be read.

    It blocks, so it is called from a thread.

    Args:
        brokers: As of `addresses`.
        group: Name of a group that has no members and commits nothing.
        topic: Its name.
        receive: Receives each record, in that thread.

    Raises:
        NotConnectedError: The end of the topic cannot be read now.
    """
    settings: dict[str, Any] = {
        **addresses(brokers),
        "logger": QUIET,
        "group.id": group,
        "enable.auto.commit": False,
        "enable.partition.eof": True,
    }
    consumer = Consumer(settings)
    try:
        _read(consumer, topic, receive)
    except KafkaException as error:
        raise NotConnectedError(str(as_native(error.args[0]))) from error
    except RefusedError:
        return
    finally:
        consumer.close()


def _read(consumer: Consumer, topic: str, receive: Callable[[Record], None]) -> None:
    ends = _ends(consumer, topic)
    starts = [TopicPartition(topic, at, max(low, end - TAIL)) for at, (low, end) in ends.items()]
    left = {each.partition for each in starts if each.offset < ends[each.partition][1]}
    consumer.assign([each for each in starts if each.partition in left])
    until_s = time.monotonic() + READ_S
    while left:
        for message in next_batch(consumer, TAIL, POLL_S):
            at, error = message.partition() or 0, message.error()
            if error is not None and error.code() != KafkaError._PARTITION_EOF:
                raise as_native(error)
            if error is None:
                receive(record_of(message))
            if error is not None or (message.offset() or 0) + 1 >= ends[at][1]:
                left.discard(at)
        if left and time.monotonic() > until_s:
            raise NotConnectedError(f"topic {topic[:100]!r}: its last records do not arrive")


def _ends(consumer: Consumer, topic: str) -> dict[int, tuple[int, int]]:
    """Return the first offset of each partition, and the one after the last."""
    found = consumer.list_topics(topic, timeout=OPEN_S).topics[topic]
    if found.error is not None:
        raise as_native(found.error)
    return {
        at: consumer.get_watermark_offsets(TopicPartition(topic, at), timeout=OPEN_S)
        for at in found.partitions
    }
