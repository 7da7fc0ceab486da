"""Limits are set, changed, renewed and withdrawn."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from fes.testing.eventually import eventually
from traffic_control import commander, limits
from traffic_control.city import Monitor
from traffic_control.command import Command
from traffic_control.commander import Commander
from traffic_control.errors import AwayError, BusyError, InputError, UnknownError
from traffic_control.history import Left
from traffic_control.limits import Limits
from traffic_control.post import MAX_UNDER_WAY, Post
from unit.traffic_control.fakes import M01, M02, FakeAsker, FakeConfirms, filter_text


@dataclass
class Bench:
    """Limits at work, with stand-ins around them."""

    limits: Limits
    commander: Commander
    asker: FakeAsker
    confirms: FakeConfirms
    written: list[Command] = field(default_factory=list)

    def lines(self) -> list[tuple[str, str, float, bool]]:
        return [
            (one.action, one.monitor, one.limit, one.applied_us is not None) for one in self.written
        ]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a second last a few milliseconds."""
    monkeypatch.setattr(limits, "TICK_S", 0.005)
    monkeypatch.setattr(limits, "RETRY_S", 0.05)
    monkeypatch.setattr(limits, "SWITCH_S", 0.1)
    monkeypatch.setattr(commander, "LOOK_S", 0.01)


def bench_of(
    confirms: FakeConfirms | None = None,
    renew_s: float = 3600.0,
    left: Mapping[str, Left] | None = None,
) -> Bench:
    written: list[Command] = []
    asker, says = FakeAsker(), confirms or FakeConfirms()
    commands = Commander(asker, says, written.append, 90.0)
    return Bench(Limits((M01, M02), commands, renew_s, left), commands, asker, says, written)


@asynccontextmanager
async def at_work(bench: Bench) -> AsyncIterator[Bench]:
    """Keep the limits in force meanwhile."""
    running = asyncio.create_task(bench.limits.run())
    try:
        yield bench
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await bench.limits.close()


async def test_every_limit_is_set_at_the_start_with_a_lease() -> None:
    async with at_work(bench_of()) as bench:
        assert bench.limits.faults.keys() == {"M01", "M02"}
        await eventually(lambda: not bench.limits.faults)
    assert bench.asker.made == [
        ("subscribe", "steam-m-M01", filter_text("70"), 90.0),
        ("subscribe", "steam-m-M02", filter_text("50"), 90.0),
    ]
    assert bench.lines() == [("subscribe", "M01", 70.0, True), ("subscribe", "M02", 50.0, True)]
    assert [one.request for one in bench.written] == ["traffic-control/1/1", "traffic-control/1/2"]
    assert bench.commander.counters == {("subscribe", "applied"): 2}


async def test_a_change_subscribes_the_new_limit_before_it_unsubscribes_the_old() -> None:
    async with at_work(bench_of()) as bench:
        await eventually(lambda: not bench.limits.faults)
        requests = await bench.limits.change("M01", 62.5)
        post = bench.limits.posts[0]
        assert (post.limit, post.applied_us, post.superseded) == (62.5, None, (70.0,))
        await eventually(lambda: len(bench.written) == 4)
    assert requests == ("traffic-control/1/3",)
    assert bench.asker.told[2:] == [
        ("subscribe", "steam-m-M01", "62.5"),
        ("unsubscribe", "steam-m-M01", "70"),
    ]
    assert bench.lines()[2:] == [
        ("subscribe", "M01", 62.5, True),
        ("unsubscribe", "M01", 70.0, True),
    ]
    assert post.superseded == ()


class Slow(FakeConfirms):
    """Says nothing until it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.let = asyncio.Event()

    async def within(self, monitor: object, command: Command, seconds: float) -> int | None:
        await self.let.wait()
        return command.sent_us


async def test_the_old_limit_stays_until_the_new_one_is_applied() -> None:
    slow = Slow()
    slow.let.set()
    async with at_work(bench_of(slow)) as bench:
        await eventually(lambda: not bench.limits.faults)
        slow.let.clear()
        await bench.limits.change("M01", 80.0)
        await asyncio.sleep(0.03)
        assert bench.asker.told[2:] == [("subscribe", "steam-m-M01", "80")]
        slow.let.set()
        await eventually(lambda: bench.asker.told[3:] == [("unsubscribe", "steam-m-M01", "70")])


async def test_the_old_limit_goes_all_the_same_after_a_while() -> None:
    slow = Slow()
    slow.let.set()
    async with at_work(bench_of(slow)) as bench:
        await eventually(lambda: not bench.limits.faults)
        slow.let.clear()
        await bench.limits.change("M01", 80.0)
        await eventually(lambda: bench.asker.told[3:] == [("unsubscribe", "steam-m-M01", "70")])


async def test_of_two_changes_at_once_the_last_one_holds_alone() -> None:
    async with at_work(bench_of()) as bench:
        await eventually(lambda: not bench.limits.faults)
        await asyncio.gather(bench.limits.change("M01", 80.0), bench.limits.change("M01", 90.0))
        await eventually(lambda: bench.limits.posts[0].held == {90.0: None})
    assert sorted(bench.asker.told[2:]) == [
        ("subscribe", "steam-m-M01", "80"),
        ("subscribe", "steam-m-M01", "90"),
        ("unsubscribe", "steam-m-M01", "70"),
        ("unsubscribe", "steam-m-M01", "80"),
    ]


async def test_the_same_limit_again_is_a_renewal() -> None:
    async with at_work(bench_of()) as bench:
        await eventually(lambda: not bench.limits.faults)
        await bench.limits.change("M01", 70.0)
        await eventually(lambda: len(bench.written) == 3)
    assert bench.lines()[2:] == [("renew", "M01", 70.0, True)]


async def test_limits_are_renewed_and_their_outcome_looked_at_once() -> None:
    async with at_work(bench_of(renew_s=0.1)) as bench:
        await eventually(lambda: len(bench.confirms.looked) == 4)
    renewals = [made for made in bench.asker.told if made[0] == "subscribe"][2:]
    assert renewals[:2] == [("subscribe", "steam-m-M01", "70"), ("subscribe", "steam-m-M02", "50")]
    assert ("renew", "M01", 70.0, True) in bench.lines()
    assert bench.confirms.waited == ["traffic-control/1/1", "traffic-control/1/2"]


async def test_a_limit_that_is_not_applied_is_asked_for_again() -> None:
    async with at_work(bench_of(FakeConfirms(silent={"M02"}))) as bench:
        await eventually(lambda: ("renew", "M02", 50.0, False) in bench.lines())
        assert bench.limits.faults == {"M02": "limit 50 km/h is not applied yet"}
        assert ("subscribe", "M02", 50.0, False) in bench.lines()
        bench.confirms.silent.clear()
        await eventually(lambda: not bench.limits.faults)


async def test_while_siena_takes_nothing_nothing_changes() -> None:
    bench = bench_of()
    bench.asker.away = True
    async with at_work(bench):
        with pytest.raises(AwayError):
            await bench.limits.change("M01", 80.0)
        assert bench.limits.posts[0].limit == 70.0
        bench.asker.away = False
        await eventually(lambda: not bench.limits.faults)
    assert bench.asker.told[0] == ("subscribe", "steam-m-M01", "70")
    assert bench.commander.counters["subscribe", "failed"] >= 1


async def test_a_change_that_cannot_be_is_refused() -> None:
    bench = bench_of()
    with pytest.raises(UnknownError, match=r"^no monitor 'M09'$"):
        await bench.limits.change("M09", 80.0)
    with pytest.raises(InputError):
        await bench.limits.change("M01", -1.0)
    assert bench.asker.made == []


async def test_changes_under_way_are_bounded() -> None:
    bench = bench_of(Slow())
    for number in range(MAX_UNDER_WAY):
        await bench.limits.change("M01", float(number))
    with pytest.raises(BusyError):
        await bench.limits.change("M01", 99.0)
    await bench.limits.change("M02", 99.0)
    await bench.limits.close()


async def test_a_graceful_stop_withdraws_every_limit() -> None:
    bench = bench_of()
    async with at_work(bench):
        await eventually(lambda: not bench.limits.faults)
    await bench.limits.withdraw(1.0)
    assert bench.asker.told[2:] == [
        ("unsubscribe", "steam-m-M01", "70"),
        ("unsubscribe", "steam-m-M02", "50"),
    ]
    assert bench.lines()[2:] == [
        ("unsubscribe", "M01", 70.0, True),
        ("unsubscribe", "M02", 50.0, True),
    ]
    await bench.limits.withdraw(1.0)
    assert len(bench.asker.made) == 4


async def test_a_stop_does_not_wait_for_ever_and_writes_what_it_knows() -> None:
    bench = bench_of(Slow())
    await bench.limits.change("M01", 80.0)
    await bench.limits.withdraw(0.05)
    assert sorted(bench.lines()) == [
        ("subscribe", "M01", 80.0, False),
        ("unsubscribe", "M01", 80.0, False),
    ]


async def test_what_an_earlier_one_left_in_force_goes_on() -> None:
    left = {"M01": Left({60.0: 1, 80.0: 2}), "gone": Left({1.0: 1})}
    async with at_work(bench_of(left=left)) as bench:
        await eventually(lambda: len(bench.written) == 3)
        assert [post.limit for post in bench.limits.posts] == [80.0, 50.0]
    assert sorted(bench.lines()) == [
        ("renew", "M01", 80.0, True),
        ("subscribe", "M02", 50.0, True),
        ("unsubscribe", "M01", 60.0, True),
    ]


async def test_a_large_city_asks_for_a_few_limits_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "AT_ONCE", 3)
    slow, asker = Slow(), FakeAsker()
    city = [Monitor(f"M{n}", f"steam-m-M{n}", (f"g-m-M{n}",), 50.0) for n in range(10)]
    commands = Commander(asker, slow, lambda _: None, 90.0)
    bench = Bench(Limits(city, commands, 3600.0), commands, asker, slow)
    async with at_work(bench):
        await eventually(lambda: len(asker.made) == 3)
        await asyncio.sleep(10 * limits.TICK_S)
        assert len(asker.made) == 3
        slow.let.set()
        await eventually(lambda: not bench.limits.faults)
    assert [to for _, to, _ in asker.told] == [one.destination for one in city]


async def test_monitors_whose_gateways_are_away_keep_no_other_from_being_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "AT_ONCE", 2)
    monkeypatch.setattr(limits, "RETRY_S", 60.0)
    city = [Monitor(f"M{n:02}", f"s-M{n:02}", (f"g-M{n:02}",), 50.0) for n in range(8)]
    asker, says = FakeAsker(), FakeConfirms(silent={"M00", "M01", "M02", "M03"})
    written: list[Command] = []
    commands = Commander(asker, says, written.append, 90.0)
    bench = Bench(Limits(city, commands, 3600.0), commands, asker, says)

    async with at_work(bench):
        await eventually(lambda: bench.limits.faults.keys() == says.silent)


def test_a_limit_whose_outcome_nobody_learns_is_asked_for_ever_more_seldom() -> None:
    post, at_s, pauses = Post(M01, 70.0), 0.0, []
    for number in range(6):
        command = Command(
            action="renew",
            monitor="M01",
            destination="steam-m-M01",
            limit=70.0,
            filter=filter_text("70"),
            request=f"c/1/{number}",
            sent_us=0,
        )
        post.asked(command, at_s)
        post.learnt(command, None)
        pauses.append(next(s for s in range(1, 100) if post.is_due(at_s + s, 30.0, 5.0)))
        at_s += pauses[-1]
    assert pauses == [5, 10, 20, 30, 30, 30]
    post.asked(command, at_s)
    post.learnt(command, 1)
    assert post.unanswered == 0
