"""While there is no room nothing is fetched, whatever partitions come meanwhile."""

import asyncio
from typing import Any

import pytest
from confluent_kafka import TopicPartition
from eventservices.kafka.consumer import KafkaConsumer


class Native:
    """A native client, which keeps partitions paused until they are resumed.

    Attributes:
        own: Topics of which it has a partition.
        paused: Those of them that it does not fetch.
        happens: Called while it waits for a message.
    """

    def __init__(self) -> None:
        self.own: list[str] = []
        self.paused: set[str] = set()
        self.happens = self.nothing

    def nothing(self) -> None:
        """Nothing happens, until a test says what."""

    def assignment(self) -> list[TopicPartition]:
        return [TopicPartition(topic, 0) for topic in self.own]

    def incremental_assign(self, partitions: list[TopicPartition]) -> None:
        self.own += [each.topic for each in partitions]

    def pause(self, partitions: list[TopicPartition]) -> None:
        self.paused.update(each.topic for each in partitions)

    def resume(self, partitions: list[TopicPartition]) -> None:
        self.paused.difference_update(each.topic for each in partitions)

    def committed(self, partitions: list[TopicPartition], **_: float) -> list[TopicPartition]:
        return [TopicPartition(each.topic, 0, 1) for each in partitions]

    def poll(self, timeout: float) -> None:
        assert timeout > 0
        happens, self.happens = self.happens, self.nothing
        happens()


@pytest.fixture
async def consumer() -> KafkaConsumer:
    made = KafkaConsumer(["kafka://x"], "a", "g", "latest", lambda _: None)
    made._loop = asyncio.get_running_loop()
    return made


async def test_all_are_fetched_again_once_there_is_room_also_where_others_came_meanwhile(
    consumer: KafkaConsumer,
) -> None:
    native: Any = Native()
    consumer._consumer = native

    def comes(topic: str) -> None:
        consumer._on_assign(native, [TopicPartition(topic, 0)])

    comes("a")
    consumer.has_room.clear()
    consumer._consume_once()
    assert native.paused == {"a"}
    native.happens = lambda: comes("b")
    consumer._consume_once()
    consumer._consume_once()
    assert native.paused == {"a", "b"}

    def comes_with_room() -> None:
        comes("c")
        consumer.has_room.set()

    native.happens = comes_with_room
    consumer._consume_once()
    consumer._consume_once()
    assert native.paused == set()
