"""Ordered delivery to the gateway."""

import asyncio

import pytest
from eventservices import slices
from eventservices.ending import beside
from fes.adapter.inbound.ordered import OrderedDelivery


async def test_others_have_their_turn_between_messages_that_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slices, "SLICE_S", 0.0)
    turns: list[str] = []
    delivery: OrderedDelivery[str] = OrderedDelivery(
        lambda *_: turns.append("message"), lambda _: None, most=10
    )
    for key in range(3):
        delivery.put(key, "x")
    async with beside(delivery.run(), "deliver"):
        while turns.count("message") < 3:
            await asyncio.sleep(0)
            turns.append("other")
    assert "other" in turns[turns.index("message") : -2]
