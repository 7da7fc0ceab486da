"""Persistent events that the gateway did not take come again in their place."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

import pytest
from eventservices.cns import EventChannel, StructuredEvent, intake, structured_event
from eventservices.cns.etcl import Filter
from eventservices.cns.intake import HoldingIntake
from eventservices.stamp import Stamp
from fes.adapter.inbound.acknowledgements import Answer
from fes.testing.eventually import eventually


@dataclass
class Held:
    """An event in hand, as the native API gives it."""

    event: StructuredEvent
    persistent: bool = True
    stamp: Stamp | None = None
    finished: bool = False

    def done(self) -> None:
        self.finished = True


@dataclass
class Proxy:
    """The native proxy, without a channel behind it."""

    events: asyncio.Queue[Held] = field(default_factory=asyncio.Queue)

    async def hold_structured_event(self) -> Held:
        return await self.events.get()

    async def connect_structured_pull_consumer(self, *, durable: str) -> None:
        assert durable == "g.north"

    def add_filter(self, what: Filter) -> int:
        return 1

    async def destroy(self) -> None: ...

    def put(self, *numbers: int, persistent: bool = True) -> list[Held]:
        made = [
            Held(structured_event(("", "Trip"), filterable_data={"number": number}), persistent)
            for number in numbers
        ]
        for each in made:
            self.events.put_nowait(each)
        return made


@dataclass
class Gateway:
    """What takes the events; it answers at once where it has an answer."""

    handed: list[int] = field(default_factory=list)
    answers: list[Answer | None] = field(default_factory=list)
    at_once: bool | None = None
    fails: int = 0

    def take(self, event: StructuredEvent, stamp: Stamp | None, answer: Answer | None) -> None:
        if self.fails:
            self.fails -= 1
            raise RuntimeError("a bug")
        number = event.filterable_data["number"]
        assert isinstance(number, int)
        self.handed.append(number)
        self.answers.append(answer)
        if answer is not None and self.at_once is not None:
            answer(self.at_once)


@pytest.fixture
def proxy() -> Proxy:
    return Proxy()


@pytest.fixture
def gateway() -> Gateway:
    return Gateway()


@pytest.fixture(autouse=True)
async def holding(
    gateway: Gateway, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[HoldingIntake]:
    monkeypatch.setattr(intake, "AGAIN_S", 0.02)
    monkeypatch.setattr(intake, "RESTART_S", 0.02)
    admin = SimpleNamespace(obtain_notification_pull_supplier=lambda _: proxy)
    channel = SimpleNamespace(default_consumer_admin=admin)
    made = HoldingIntake(cast("EventChannel", channel), gateway.take, "g.north")
    await made.open(Filter())
    yield made
    await made.close()


async def test_what_was_not_taken_comes_again_before_anything_newer(
    gateway: Gateway, proxy: Proxy
) -> None:
    proxy.put(1, 2, 3, 4)
    await eventually(lambda: gateway.handed == [1, 2, 3, 4])
    answers = [answer for answer in gateway.answers if answer is not None]
    for answer, taken in zip(answers, (True, False, True, False), strict=True):
        answer(taken)
    proxy.put(5)

    await eventually(lambda: 5 in gateway.handed)
    assert gateway.handed == [1, 2, 3, 4, 2, 4, 5]


async def test_without_a_link_the_oldest_alone_is_tried(gateway: Gateway, proxy: Proxy) -> None:
    gateway.at_once = False
    held = proxy.put(1, 2, 3)
    await eventually(lambda: len(gateway.handed) >= 4)
    assert set(gateway.handed) == {1}

    gateway.at_once = True
    await eventually(lambda: all(each.finished for each in held))
    assert gateway.handed[-3:] == [1, 2, 3]


async def test_what_is_not_persistent_does_not_wait_behind_it(
    gateway: Gateway, proxy: Proxy
) -> None:
    gateway.at_once = False
    proxy.put(1)
    proxy.put(2, persistent=False)

    await eventually(lambda: 2 in gateway.handed)
    assert gateway.answers[gateway.handed.index(2)] is None


async def test_an_intake_that_fails_says_so_and_goes_on_with_what_it_had(
    gateway: Gateway, proxy: Proxy, holding: HoldingIntake, caplog: pytest.LogCaptureFixture
) -> None:
    assert holding.failure == ""
    gateway.fails = 2
    gateway.at_once = True
    held = proxy.put(1, 2, 3)

    await eventually(lambda: "a bug" in holding.failure)
    await eventually(lambda: all(each.finished for each in held))
    assert gateway.handed == [1, 2, 3]
    assert "pulling_failed" in caplog.text


async def test_an_intake_that_works_again_is_no_longer_told_to_fail(
    gateway: Gateway, proxy: Proxy, holding: HoldingIntake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "TOLD_S", 0.5)
    gateway.fails = 1
    proxy.put(1)
    await eventually(lambda: holding.failure)
    await eventually(lambda: holding.failure == "")
    await eventually(lambda: gateway.handed == [1])
