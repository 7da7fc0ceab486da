"""Ordered delivery to the gateway."""

import asyncio
from typing import TYPE_CHECKING

import pytest
from eventservices import slices
from eventservices.ending import beside
from fes.adapter.inbound.ordered import MESSAGE_BYTES, OrderedDelivery
from fes.testing.eventually import eventually

if TYPE_CHECKING:
    from fes.adapter.inbound.acknowledgements import Answer


async def test_others_have_their_turn_between_messages_that_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slices, "SLICE_S", 0.0)
    turns: list[str] = []
    delivery: OrderedDelivery[str] = OrderedDelivery(
        lambda *_: turns.append("message"), lambda _: None, most=10
    )
    for key in range(3):
        delivery.put(key, "x", 1)
    async with beside(delivery.run(), "deliver"):
        while turns.count("message") < 3:
            await asyncio.sleep(0)
            turns.append("other")
    assert "other" in turns[turns.index("message") : -2]


async def test_room_is_bounded_in_bytes_and_a_batch_by_the_largest_message_so_far() -> None:
    answers: list[Answer] = []
    delivery: OrderedDelivery[str] = OrderedDelivery(
        lambda _, answer: answers.append(answer), lambda _: None, most=100, most_bytes=100_000
    )
    assert await delivery.room() == 100
    delivery.put(1, "large", 20_000)
    assert await delivery.room() == (100_000 - 20_000 - MESSAGE_BYTES) // (20_000 + MESSAGE_BYTES)
    for key in range(2, 6):
        delivery.put(key, "large", 20_000)
    assert not delivery.has_room
    assert delivery.waiting_bytes == 5 * (20_000 + MESSAGE_BYTES)
    async with beside(delivery.run(), "deliver"):
        await eventually(lambda: len(answers) == 5)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(delivery.room(), 0.01)
        answers[0](True)
        assert await delivery.room() == 1, "one always, or a message larger than all would stay"
        for answer in answers[1:]:
            answer(True)
    assert delivery.waiting_bytes == 0
    assert await delivery.room() == 100_000 // (20_000 + MESSAGE_BYTES)


async def test_what_is_queued_already_counts_once() -> None:
    delivery: OrderedDelivery[str] = OrderedDelivery(lambda *_: None, lambda _: None, most=10)
    for _ in range(3):
        delivery.put(1, "the same", 1000)
    assert (len(delivery), delivery.waiting_bytes) == (1, 1000 + MESSAGE_BYTES)
