"""Native subscriptions only to what no other filter covers, and never a gap."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from fes.adapter.context import Subscription
from fes.adapter.outbound.native_subscriptions import Natives
from fes.adapter.pool import ConnectionPool
from fes.errors import AdapterError, UnavailableError
from fes.filter import Filter
from fes.testing.memory import MemoryAdapter
from support.processes.contexts import adapter_context
from support.sinks import NotingSink


@dataclass
class Told:
    """What an adapter was asked to do, and what it shall refuse."""

    acts: list[str] = field(default_factory=list)
    refused: dict[str, Exception] = field(default_factory=dict)


class Telling(MemoryAdapter):
    """Tells what it is asked to do; refuses what it is told to."""

    def __init__(self, name: str) -> None:
        super().__init__(adapter_context("g", name, MemoryAdapter, ConnectionPool()))
        self.told = Told()
        self.numbers: set[int] = set()

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        self._act("+", subscription)
        assert subscription.number not in self.numbers
        self.numbers.add(subscription.number)
        return ("more is heard",)

    async def _unsubscribe(self, subscription: Subscription) -> None:
        self._act("-", subscription)
        self.numbers.remove(subscription.number)

    def _act(self, sign: str, subscription: Subscription) -> None:
        act = sign + subscription.filter.text
        if act in self.told.refused:
            raise self.told.refused[act]
        self.told.acts.append(act)


@pytest.fixture
async def adapter(request: pytest.FixtureRequest) -> AsyncIterator[Telling]:
    made = Telling(request.node.name)
    await made.connect(NotingSink())
    yield made
    await made.disconnect()
    await asyncio.sleep(0)


async def add(natives: Natives, number: int, text: str) -> tuple[str, ...]:
    widened, lost = await natives.add(number, Filter.of(text))
    assert not lost
    return widened


async def test_a_covered_filter_is_heard_by_what_covers_it(adapter: Telling) -> None:
    natives = Natives(adapter)
    assert await add(natives, 1, "rate > 1") == ("more is heard",)
    widened = await add(natives, 2, "rate > 5")

    assert adapter.told.acts == ["+rate > 1"]
    assert widened == ("received by the native subscription to rate > 1", "more is heard")
    assert natives.counters == {"maximal_subscriptions": 1, "covered_subscriptions": 1}


async def test_what_is_new_is_made_before_what_is_old_is_withdrawn(adapter: Telling) -> None:
    natives = Natives(adapter)
    await add(natives, 1, "rate > 5")
    await add(natives, 2, "rate > 1")
    await natives.remove(2, Filter.of("rate > 1"))

    assert adapter.told.acts == ["+rate > 5", "+rate > 1", "-rate > 5", "+rate > 5", "-rate > 1"]


async def test_a_thousand_filters_are_ten_and_others_come_back(adapter: Telling) -> None:
    natives = Natives(adapter)
    for limit in range(100):
        for zone in range(10):
            await add(natives, zone * 100 + limit, f"zone = {zone} AND rate > {limit}")
    assert len(adapter.numbers) == 10
    adapter.told.acts.clear()

    for zone in range(10):
        await natives.remove(zone * 100, Filter.of(f"zone = {zone} AND rate > 0"))
    assert len(adapter.numbers) == 10
    assert adapter.told.acts[:2] == ["+zone = 0 AND rate > 1", "-zone = 0 AND rate > 0"]


async def test_equal_filters_are_one_until_the_last_is_withdrawn(adapter: Telling) -> None:
    natives = Natives(adapter)
    await add(natives, 1, "rate > 1")
    await add(natives, 2, "1 < rate")
    await natives.remove(1, Filter.of("rate > 1"))
    assert adapter.told.acts == ["+rate > 1"]
    await natives.remove(2, Filter.of("1 < rate"))
    assert adapter.told.acts == ["+rate > 1", "-rate > 1"]


async def test_a_filter_that_is_refused_covers_nothing(adapter: Telling) -> None:
    natives = Natives(adapter)
    adapter.told.refused["+"] = AdapterError("too wide")
    with pytest.raises(AdapterError, match="too wide"):
        await natives.add(1, Filter.of(""))
    await add(natives, 2, "rate > 1")
    assert adapter.told.acts == ["+rate > 1"]


async def test_what_cannot_be_withdrawn_is_withdrawn_later(adapter: Telling) -> None:
    natives = Natives(adapter)
    await add(natives, 1, "rate > 5")
    adapter.told.refused["-rate > 5"] = UnavailableError("away")
    await add(natives, 2, "rate > 1")
    assert natives.counters["maximal_subscriptions"] == 2

    adapter.told.refused.clear()
    await natives.settle()
    assert natives.settled
    assert adapter.told.acts == ["+rate > 5", "+rate > 1", "-rate > 5"]


async def test_nothing_is_withdrawn_before_what_it_covered_is_made(adapter: Telling) -> None:
    natives = Natives(adapter)
    await add(natives, 1, "rate > 1")
    await add(natives, 2, "rate > 5")
    adapter.told.refused["+rate > 5"] = UnavailableError("away")
    with pytest.raises(UnavailableError):
        await natives.remove(1, Filter.of("rate > 1"))
    assert adapter.told.acts == ["+rate > 1"], "it is heard on"

    adapter.told.refused.clear()
    await natives.remove(1, Filter.of("rate > 1"))
    assert adapter.told.acts == ["+rate > 1", "+rate > 5", "-rate > 1"]


async def test_what_the_service_does_not_take_alone_is_told_lost(adapter: Telling) -> None:
    natives = Natives(adapter)
    for number, text in enumerate(("rate > 1", "rate > 5", "rate > 9")):
        await add(natives, number, text)
    adapter.told.refused["+rate > 5"] = AdapterError("never")
    ((numbers, error),) = await natives.remove(0, Filter.of("rate > 1"))

    assert (numbers, str(error)) == ((1,), "never")
    assert adapter.told.acts == ["+rate > 1", "+rate > 9", "-rate > 1"]


async def test_covered_filters_are_withdrawn_first_where_all_are(adapter: Telling) -> None:
    natives = Natives(adapter)
    held = [(number, Filter.of(f"rate > {number}")) for number in range(5)]
    for number, filter_ in held:
        await natives.add(number, filter_)
    filters = dict(held)
    for number in natives.covered_last(held):
        await natives.remove(number, filters[number])
    assert adapter.told.acts == ["+rate > 0", "-rate > 0"]


@pytest.mark.parametrize("seed", range(20))
async def test_what_is_subscribed_natively_is_what_is_maximal_whatever_failed_before(
    seed: int, adapter: Telling
) -> None:
    """Filters come and go while the service is away now and then, and withdrawals are put off."""
    rng, natives = random.Random(seed), Natives(adapter)
    texts = ["", *(f"rate > {n}" for n in range(4)), "zone = 1", "zone = 1 AND rate > 2"]
    there: dict[int, str] = {}
    for number in range(1, 80):
        natives.keeps = rng.random() < 0.3
        refused = [f"{rng.choice('+-')}{text}" for text in texts if rng.random() < 0.2]
        adapter.told.refused = {act: UnavailableError("away") for act in refused}
        with suppress(UnavailableError):
            if there and rng.random() < 0.5:
                gone = rng.choice(sorted(there))
                await natives.remove(gone, Filter.of(there.pop(gone)))
            else:
                text = rng.choice(texts)
                await natives.add(number, Filter.of(text))
                there[number] = text
        needed = {*natives._maximal}
        assert natives.settled is (natives._held.keys() == needed)
        assert len(adapter.numbers) == len(natives._held), "nothing is subscribed twice"
    natives.keeps, adapter.told.refused = False, {}
    await natives.settle()
    assert natives.settled
    assert natives._held.keys() == {*natives._maximal}
