"""What a topic has already of what is to be published: Kafka itself stores a repetition.

After a kill, or an answer that was lost, nobody knows whether the last record was stored. So before
the first persistent event of a topic the end of its partitions is read.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from eventservices.errors import MalformedError
from eventservices.kafka.record import Record
from eventservices.kafka.tail import read_tail
from eventservices.stamp import Stamp
from fes.errors import CodecError

from adapter_kafka.codec import read_head

TOPICS: Final = 256
"""Most topics whose last records are remembered; the end of another is read again."""

Identity = tuple[str, int, int]


class Published:
    """Recognises persistent events that a topic has already.

    A repetition of an older record than those of `read_tail` is not recognised, and what may not be
    read is published without this check.

    Args:
        brokers: As of `eventservices.kafka.addresses`.
        client: Name of the adapter in its records.
    """

    def __init__(self, brokers: Sequence[str], client: str) -> None:
        self._brokers = brokers
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
        found: set[Identity] = set()
        group = f"{self._client} published"
        read_tail(self._brokers, group, topic, lambda record: found.update(self._own(record)))
        return frozenset(found)

    def _own(self, record: Record) -> set[Identity]:
        try:
            head = read_head(record)
        except (CodecError, MalformedError):  # somebody else's
            return set()
        if head.stamp is None or head.client != self._client:
            return set()
        return {_identity(head.stamp)}


def _identity(stamp: Stamp) -> Identity:
    return stamp.origin, stamp.epoch, stamp.sequence
