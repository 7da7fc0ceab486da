"""Offsets are committed for own partitions only, and again where a commit failed."""

from types import SimpleNamespace
from typing import Any, cast

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from eventservices.kafka.commits import Commits

BUSY = KafkaError(KafkaError.REBALANCE_IN_PROGRESS)


class Client:
    """A native client that accepts commits, unless told otherwise.

    Attributes:
        made: What was committed, by call.
        error: Why the next commit fails as a whole.
        refused: Topics for which the next commit alone fails.
        later: Called while the next commit lasts.
    """

    def __init__(self) -> None:
        self.made: list[dict[str, int]] = []
        self.error: KafkaError | None = None
        self.refused: set[str] = set()
        self.later: Any = None

    def commit(self, *, offsets: list[TopicPartition], asynchronous: bool) -> list[Any]:
        assert not asynchronous
        if self.later is not None:
            self.later()
        error, self.error, self.later = self.error, None, None
        if error is not None:
            raise KafkaException(error)
        refused, self.refused = self.refused, set()
        self.made.append({each.topic: each.offset for each in offsets if each.topic not in refused})
        return [
            SimpleNamespace(
                topic=each.topic,
                partition=each.partition,
                error=BUSY if each.topic in refused else None,
            )
            for each in offsets
        ]


def commits(*topics: str) -> Commits:
    made = Commits()
    made.own([TopicPartition(topic, 0) for topic in topics])
    return made


def committed(made: Commits, client: Client) -> bool:
    return made.commit(cast("Consumer", client))


def test_the_latest_offset_of_each_partition_is_committed_once() -> None:
    made, client = commits("a", "b"), Client()
    for topic, offset in (("a", 1), ("b", 4), ("a", 2)):
        made.put(topic, 0, offset)
    assert committed(made, client)
    assert committed(made, client)
    assert client.made == [{"a": 2, "b": 4}]


def test_a_commit_that_fails_while_the_group_divides_is_made_again() -> None:
    made, client = commits("a", "b"), Client()
    made.put("a", 0, 1)
    made.put("b", 0, 1)
    client.error = BUSY
    client.later = lambda: made.put("a", 0, 3)
    assert not committed(made, client)
    assert made.failed == 2
    assert committed(made, client)
    assert client.made == [{"a": 3, "b": 1}], "what came meanwhile is later"


def test_only_what_failed_is_committed_again() -> None:
    made, client = commits("a", "b"), Client()
    made.put("a", 0, 1)
    made.put("b", 0, 1)
    client.refused = {"b"}
    assert not committed(made, client)
    assert made.failed == 1
    assert committed(made, client)
    assert client.made == [{"a": 1}, {"b": 1}]


def test_nothing_is_committed_for_a_partition_that_another_member_has() -> None:
    made, client = commits("a"), Client()
    made.put("a", 0, 1)
    made.disown([TopicPartition("a", 0)])
    made.put("a", 0, 2)
    made.put("never", 0, 1)
    assert committed(made, client)
    assert client.made == []


def test_a_commit_that_failed_is_not_made_again_for_a_partition_that_went_meanwhile() -> None:
    made, client = commits("b"), Client()
    made.put("b", 0, 1)
    client.error = BUSY
    client.later = lambda: made.disown([TopicPartition("b", 0)])
    assert not committed(made, client)
    assert committed(made, client)
    assert client.made == []
