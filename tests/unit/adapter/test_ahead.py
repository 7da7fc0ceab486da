"""An adapter whose service makes many subscriptions as fast as one begins them together."""

import asyncio
from typing import ClassVar

import pytest
from fes.adapter import runtime as runtime_module
from fes.adapter.context import Subscription
from fes.adapter.outbound.native_subscriptions import Natives
from fes.adapter.pool import ConnectionPool
from fes.errors import AdapterError, UnavailableError
from fes.filter import Filter
from fes.link.messages import Desired, Done, Subscribe, Unsubscribe
from fes.testing.conformance.bench import captured
from fes.testing.eventually import eventually
from fes.testing.memory import MemoryAdapter
from support.processes.contexts import adapter_context
from support.sinks import NotingSink


class Slow(MemoryAdapter):
    """Makes in one round whatever was begun before it; a round ends when the test says so."""

    prepares: ClassVar[bool] = True

    def __init__(self, name: str) -> None:
        super().__init__(adapter_context("g", name, MemoryAdapter, ConnectionPool()))
        self.begun: dict[str, None] = {}
        self.made: set[str] = set()
        self.rounds: list[list[str]] = []
        self.refused: dict[str, Exception] = {}
        self.unused: list[str] = []
        self.probes = 0
        self.round = asyncio.Event()

    def _prepare(self, filter_: Filter) -> None:
        self.begun[filter_.text] = None

    def _end_prepared(self) -> None:
        self.unused += self.begun
        self.made.difference_update(self.begun)
        self.begun.clear()

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        text = subscription.filter.text
        self.begun.pop(text, None)
        if text in self.refused:
            raise self.refused.pop(text)
        if text not in self.made:
            together = [text, *(each for each in self.begun if each not in self.made)]
            self.rounds.append(together)
            await self.round.wait()
            self.round.clear()
            self.made.update(together)
        return ()

    async def _probe(self) -> None:
        self.probes += 1
        await super()._probe()

    async def _unsubscribe(self, subscription: Subscription) -> None:
        self.made.discard(subscription.filter.text)


@pytest.fixture
def adapter(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Slow:
    monkeypatch.setattr(runtime_module, "PROBE_S", 0.02)
    return Slow(request.node.name)


def order(number: int) -> Subscribe:
    return Subscribe(number, f"subject = 's{number}'", number)


def texts(*numbers: int) -> list[str]:
    return [f"subject = 's{number}'" for number in numbers]


async def begins(adapter: Slow, rounds: int) -> None:
    await eventually(
        lambda: len(adapter.rounds) == rounds, 5.0, f"round {rounds} of {adapter.rounds}"
    )


async def test_what_comes_during_a_round_is_made_by_the_next_and_done_in_its_order(
    adapter: Slow,
) -> None:
    async with captured(adapter) as gateway:
        gateway.runtime.receive(order(0))
        await begins(adapter, 1)
        for number in range(1, 100):
            gateway.runtime.receive(order(number))
        before = adapter.probes
        await eventually(lambda: adapter.probes >= before + 2)
        assert gateway.done == []
        adapter.round.set()
        await begins(adapter, 2)
        assert gateway.done == [Done(0)]
        adapter.round.set()
        await eventually(lambda: len(gateway.done) == 100)

        assert adapter.rounds == [texts(0), texts(*range(1, 100))]
        assert gateway.done == [Done(number) for number in range(100)]
        assert adapter.unused == []


async def test_a_whole_state_is_one_round(adapter: Slow) -> None:
    async with captured(adapter) as gateway:
        gateway.runtime.receive(Desired(1, tuple(map(order, range(50))), ()))
        await begins(adapter, 1)
        adapter.round.set()
        await eventually(lambda: len(gateway.done) == 50)
        assert adapter.rounds == [texts(*range(50))]


async def test_a_state_whose_numbers_have_other_filters_is_one_round(adapter: Slow) -> None:
    async with captured(adapter) as gateway:
        gateway.runtime.receive(Desired(1, (order(1), order(2), order(3)), ()))
        await begins(adapter, 1)
        adapter.round.set()
        await eventually(lambda: len(gateway.done) == 3)
        other = [Subscribe(number, texts(number + 9)[0], 2) for number in (1, 2)]
        gateway.runtime.receive(Desired(2, (*other, order(3)), ()))
        await begins(adapter, 2)
        adapter.round.set()
        await eventually(lambda: adapter.made == {*texts(3, 10, 11)})
        assert adapter.rounds == [texts(1, 2, 3), texts(10, 11)]


async def test_one_that_is_refused_fails_alone(adapter: Slow) -> None:
    adapter.refused[texts(1)[0]] = AdapterError("s1 is not permitted")
    async with captured(adapter) as gateway:
        gateway.runtime.receive(order(9))
        await begins(adapter, 1)
        for number in range(3):
            gateway.runtime.receive(order(number))
        gateway.runtime.receive(Subscribe(3, "(", 3))
        gateway.runtime.receive(order(4))
        adapter.round.set()
        await begins(adapter, 2)
        adapter.round.set()
        await eventually(lambda: len(gateway.done) == 6)
        failed = {each.number: each.error for each in gateway.done if each.error}
        assert failed.keys() == {1, 3}
        assert failed[1] == "s1 is not permitted"
        assert len(adapter.rounds) == 2


async def test_those_that_failed_while_the_service_was_away_are_made_together(
    adapter: Slow,
) -> None:
    adapter.refused.update((text, UnavailableError("away")) for text in texts(*range(10)))
    async with captured(adapter) as gateway:
        gateway.runtime.receive(Desired(1, tuple(map(order, range(10))), ()))
        await eventually(lambda: len(gateway.done) == 10)
        await begins(adapter, 1)
        adapter.round.set()
        await eventually(lambda: len(gateway.done) == 20)
        assert adapter.rounds == [texts(*range(10))]


async def test_withdrawals_between_subscriptions_part_no_round(adapter: Slow) -> None:
    async with captured(adapter) as gateway:
        gateway.runtime.receive(order(1))
        await begins(adapter, 1)
        for number in (2, 3):
            gateway.runtime.receive(order(number))
        gateway.runtime.receive(Unsubscribe(1, 4))
        for number in (5, 6):
            gateway.runtime.receive(order(number))
        gateway.runtime.receive(Unsubscribe(6, 7))
        adapter.round.set()
        await begins(adapter, 2)
        adapter.round.set()
        await eventually(lambda: Done(5) in gateway.done)
        assert adapter.rounds == [texts(1), texts(2, 3, 5)]
        assert gateway.done[-2:] == [Done(1, withdrawn=True), Done(5)]


async def test_what_was_begun_and_is_not_needed_is_ended(adapter: Slow) -> None:
    async with captured(adapter) as gateway:
        gateway.runtime.receive(order(1))
        await begins(adapter, 1)
        for number in (2, 3):
            gateway.runtime.receive(order(number))
        adapter.round.set()
        await begins(adapter, 2)
        gateway.runtime.receive(Unsubscribe(3, 4))
        adapter.round.set()
        await eventually(lambda: adapter.unused == texts(3))
        assert adapter.made == {*texts(1, 2)}
        assert gateway.done == [Done(1), Done(2)]


async def test_filters_that_a_wide_one_covered_are_made_together_when_it_ends(
    adapter: Slow,
) -> None:
    await adapter.connect(NotingSink())
    natives = Natives(adapter)
    adapter.round.set()
    await natives.add(0, Filter.of("subject STARTS WITH 's'"))
    for number in range(1, 6):
        await natives.add(number, Filter.of(f"subject = 's{number}'"))
    ending = asyncio.create_task(natives.remove(0, Filter.of("subject STARTS WITH 's'")))
    await begins(adapter, 2)
    adapter.round.set()
    assert await ending == []
    assert adapter.rounds[1] == texts(*range(1, 6))
    await adapter.disconnect()


async def test_a_number_that_a_whole_state_had_is_begun_again_with_another_filter(
    adapter: Slow,
) -> None:
    async with captured(adapter) as gateway:
        ahead = gateway.runtime.outbound.ahead
        await ahead.look(Desired(1, (order(1), order(2)), ()), tuple)
        await ahead.look(Subscribe(1, texts(3)[0], 2), lambda: (order(4),))
        assert [*adapter.begun] == texts(1, 2, 3, 4)


async def test_what_was_begun_is_begun_again_after_the_connection_was_closed(
    adapter: Slow,
) -> None:
    async with captured(adapter) as gateway:
        ahead = gateway.runtime.outbound.ahead
        await ahead.look(order(1), lambda: (order(2), order(3)))
        adapter.begun.clear()
        await ahead.look(order(2), lambda: (order(3),))
        assert not adapter.begun
        gateway.runtime.outbound.forget()
        await ahead.look(order(3), tuple)
        assert [*adapter.begun] == texts(3)


async def test_an_adapter_that_prepares_nothing_is_not_bothered(adapter: Slow) -> None:
    class Plain(Slow):
        prepares: ClassVar[bool] = False

    plain = Plain("plain")
    plain.round.set()
    async with captured(plain) as gateway:
        gateway.runtime.receive(order(1))
        gateway.runtime.receive(order(2))
        await begins(plain, 2)
        plain.round.set()
        await eventually(lambda: len(gateway.done) == 2)
        assert plain.rounds == [texts(1), texts(2)]
