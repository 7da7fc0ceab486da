"""Offsets to commit: only of partitions that the member has, and again where a commit fails."""

import threading
from collections.abc import Iterable

from confluent_kafka import Consumer, KafkaException, TopicPartition

Place = tuple[str, int]
"""Topic, and number of a partition."""


class Commits:
    """Keeps the offset to commit of each partition; of those that wait the latest counts.

    A commit fails while the group divides its partitions, and is made again. What a member commits
    for a partition that another one has by now would set that one back.

    Attributes:
        failed: How many offsets could not be committed at first.
    """

    def __init__(self) -> None:
        self.failed = 0
        self._lock = threading.Lock()
        self._waiting: dict[Place, int] = {}
        self._own: set[Place] = set()

    def own(self, partitions: Iterable[TopicPartition]) -> None:
        """Note partitions that the member has from now on."""
        with self._lock:
            self._own.update(map(_place, partitions))

    def disown(self, partitions: Iterable[TopicPartition]) -> None:
        """Note partitions that the member has no more."""
        with self._lock:
            for place in map(_place, partitions):
                self._own.discard(place)
                self._waiting.pop(place, None)

    def put(self, topic: str, partition: int, offset: int) -> None:
        """Request the commit of an offset; one of a partition of another member is ignored."""
        with self._lock:
            if (topic, partition) in self._own:
                self._waiting[topic, partition] = offset

    def commit(self, consumer: Consumer) -> bool:
        """Commit what waits; return whether all of it was."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        if not waiting:
            return True
        offsets = [TopicPartition(*place, offset) for place, offset in waiting.items()]
        try:
            answers = consumer.commit(offsets=offsets, asynchronous=False) or []
        except KafkaException:
            answers = []
        done = {_place(each) for each in answers if each.error is None}
        failed = {place: offset for place, offset in waiting.items() if place not in done}
        with self._lock:
            self.failed += len(failed)
            self._waiting = {
                **{place: offset for place, offset in failed.items() if place in self._own},
                **self._waiting,
            }
        return not failed


def _place(partition: TopicPartition) -> Place:
    return partition.topic, partition.partition
