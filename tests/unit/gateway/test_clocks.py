"""Clocks that are wrong, and set: nothing live is lost for it, and nothing withdrawn comes back."""

import pytest
from fes.gateway import GatewayCore
from fes.gateway.inputs import Inject, Input, LinkUp, Tick
from fes.gateway.outputs import PutRow
from fes.gateway.own_clock import OwnClock
from fes.gateway.settings import Instant
from support.gateways.absence import HORIZON_S, SUB, UNSUB, Absence
from support.gateways.cores import NOW, SECOND, core_of, heard, inject, orders, request, say

HOUR = 3600 * SECOND
STEPS = pytest.mark.parametrize("step_us", [-5 * HOUR, -600 * SECOND, 600 * SECOND, 5 * HOUR])
DATE_US = 1_700_000_000 * SECOND
PAIR = "A-s0 A-s1 B-s1 B-s2"


@STEPS
def test_a_lease_outlives_a_clock_that_is_set(step_us: int) -> None:
    """Rule T12."""
    world = Absence(PAIR)
    world.ask("A", lease_s=10)
    world.step(1)
    world.skew_us["A"] = world.skew_us["B"] = step_us

    world.step(5)
    assert world.agreed == ["client"]
    world.step(8)
    assert world.agreed == []


@STEPS
def test_a_lease_is_renewed_where_the_clock_is_wrong(step_us: int) -> None:
    world = Absence(PAIR)
    world.skew_us["A"] = step_us
    for _ in range(4):
        world.ask("B", lease_s=6)
        world.step(4)
        assert world.agreed == ["client"]

    world.step(6)
    assert world.agreed == []


@STEPS
def test_a_withdrawal_is_remembered_where_the_clock_is_set(step_us: int) -> None:
    world = Absence(PAIR)
    world.ask("A")
    world.step(1)
    world.part("B")
    world.ask("A", UNSUB)
    world.skew_us["A"] = step_us
    world.step(HORIZON_S / 2)

    world.part("B", joined=True)
    world.step(5)

    assert world.agreed == []


@STEPS
def test_a_gateway_started_again_with_another_clock_loses_and_revives_nothing(
    step_us: int,
) -> None:
    world = Absence("A-s0 A-s1 B-s1 B-s2 C-s1 C-s3")
    world.ask("A", requester="stays")
    world.ask("A", requester="goes")
    world.step(2 * HORIZON_S)
    world.kill("B")
    world.ask("A", UNSUB, requester="goes")
    world.step(2)
    world.skew_us["B"] = step_us
    world.start("B")

    world.step(5)

    assert world.agreed == ["stays"]


@STEPS
def test_what_is_asked_after_a_clock_was_set_is_newer(step_us: int) -> None:
    """Asked over the API of a gateway whose clock is set, and accepted by all others."""
    world = Absence(PAIR)
    world.skew_us["A"] = step_us
    for kind, known in ((SUB, ["client"]), (UNSUB, []), (SUB, ["client"])):
        control = request(kind, source="s0", dist_list="s2", system="world")
        world.inject("A", control)
        world.step(2)
        assert world.agreed == known


@STEPS
def test_a_client_whose_clock_is_set_is_followed(step_us: int) -> None:
    """Rule T15."""
    core = core_of("north", "south")
    told = ((SUB, 0), (SUB, step_us), (UNSUB, 0))
    for sequence, (kind, off_us) in enumerate(told, 1):
        now_us = DATE_US + sequence * SECOND
        made_us = now_us + off_us
        ends_us = made_us + 60 * SECOND if kind is SUB else 0
        control = request(kind, sequence=sequence, version=made_us, expires_us=ends_us)
        say(core, control, "south", Instant(now_us, 0, sequence * SECOND))

        held = any(not row.withdrawn for row in core.table.rows())
        assert held == (kind is SUB)


@pytest.mark.parametrize("behind_us", [0, 2 * HOUR, 18 * 365 * 24 * HOUR])
def test_a_withdrawal_is_as_young_as_its_acceptance_whatever_its_clients_clock(
    behind_us: int,
) -> None:
    world = Absence(PAIR)
    world.now_us += DATE_US
    world.step(2)
    for kind in (SUB, UNSUB):
        made_us = world.now_us - behind_us
        control = request(kind, source="s0", dist_list="s2", system="world", version=made_us)
        world.inject("A", control)
        world.step(2)
        world.part("B")

    world.step(HORIZON_S / 3)
    world.part("B", joined=True)
    world.step(5)

    assert world.agreed == []


def test_a_lease_that_was_made_shorter_does_not_come_back_for_ever() -> None:
    """Rule T13."""
    world = Absence(PAIR)
    world.ask("A")
    world.step(1)
    world.part("B")
    world.ask("A", lease_s=3)
    world.step(HORIZON_S / 2)
    assert world.known == {"A": [], "B": ["client"]}

    world.part("B", joined=True)
    world.step(5)
    assert world.agreed == []
    world.step(2 * HORIZON_S)
    assert [world.remembered(name) for name in "AB"] == [0, 0]


def test_a_withdrawal_outlives_the_lease_that_it_ended() -> None:
    """Rule T14."""
    core = core_of("north", "south", horizon_us=60 * SECOND)
    inject(core, request(expires_us=NOW.wall_us + 500 * SECOND))
    inject(core, request(UNSUB, sequence=2))

    core.handle(Tick(), Instant(NOW.wall_us, 0, NOW.wall_us + 499 * SECOND))
    assert len(core.table) == 1


@STEPS
def test_persistent_events_are_sent_again_where_the_clock_is_set(step_us: int) -> None:
    core = core_of("north", "south")
    core.handle(LinkUp(persistent=True), NOW, "south")
    inject(core, request(source="south", dist_list="north"))
    number = core.applied("north")[0].number
    start = Instant(NOW.wall_us, NOW.time_us, NOW.wall_us)
    core.handle(heard((number,), persistent=True), start, "north")

    sent = 0
    for second in range(1, 21):
        mono_us = NOW.wall_us + second * SECOND
        now = Instant(mono_us + step_us, NOW.time_us, mono_us)
        sent += len(orders(list(core.handle(Tick(), now)[1]), "south"))

    assert sent >= 3


def test_the_own_clock_never_goes_back_and_goes_on_over_a_restart() -> None:
    clock = OwnClock()
    first = clock.read(Instant(10 * HOUR, 0, 50))
    assert first == 10 * HOUR
    assert clock.read(Instant(2 * HOUR, 0, 50 + SECOND)) == first + SECOND
    noted = clock.note(HOUR)
    assert noted is not None
    assert clock.note(HOUR) is None

    again = OwnClock()
    again.restore(noted)
    assert again.read(Instant(2 * HOUR, 0, 7)) == first + SECOND
    later = OwnClock()
    later.restore(noted)
    assert later.read(Instant(11 * HOUR, 0, 7)) == 11 * HOUR


def test_numbers_of_a_gateway_started_again_are_new_though_its_clock_was_set_back() -> None:
    """Rule T11."""
    settings = core_of("north", "south").settings
    core, state = GatewayCore(settings, after=1_000), dict[str, bytes]()
    asked: list[Input] = [Inject(request(filter=f"rate > {n}", sequence=n)) for n in range(1, 4)]
    for message in (LinkUp(), *asked):
        mutations, _ = core.handle(message, NOW, "north" if isinstance(message, LinkUp) else "")
        state |= {each.key: each.value for each in mutations if isinstance(each, PutRow)}
    given = max(applied.number for applied in core.applied("north"))

    again = GatewayCore(settings, state, after=7)

    assert all(applied.number > given for applied in again.applied("north"))


def test_what_is_asked_again_is_newer_than_what_others_remember_of_it() -> None:
    """Though its own gateway forgot, and its clock was set back meanwhile."""
    world = Absence(PAIR)
    world.now_us += DATE_US
    world.step(2)
    asked = request(source="s0", dist_list="s2", system="world")
    gone = request(UNSUB, source="s0", dist_list="s2", system="world", sequence=2)
    for control in (asked, gone):
        world.inject("A", control)
        world.step(1)
    world.kill("B")
    world.skew_us["A"] = -5 * HOUR
    world.cores["A"].table.expire(world.now_us + HOUR)
    world.inject("A", asked)
    world.step(2)
    world.start("B")

    world.step(5)

    assert world.agreed == ["client"]


@pytest.mark.parametrize("restarted", [False, True])
def test_what_is_asked_for_again_is_newer_than_what_was_forgotten(*, restarted: bool) -> None:
    """Rule T18."""
    asked = request(source="s0", dist_list="s2", system="world")
    gone = request(UNSUB, source="s0", dist_list="s2", system="world", sequence=2)
    world = Absence("A-s0 A-s1 B-s1 B-s2 C-s1 C-s3", start=())
    world.now_us += DATE_US
    world.skew_us["A"] = 5 * HOUR
    for gateway in ("A", "B", "C"):
        world.start(gateway)
    world.step(2)
    world.inject("A", asked)
    world.step(1)
    world.kill("A")
    world.wipe("A")  # with it goes the clock that made the version
    world.skew_us["A"] = 0
    world.start("A")
    world.step(5)
    world.inject("A", gone)
    world.step(1)
    world.part("C")
    world.step(2 * HORIZON_S)
    assert world.remembered("A") == world.remembered("B") == 0
    if restarted:
        world.kill("A")
        world.start("A")
    world.inject("A", asked)
    world.step(1)
    world.part("C", joined=True)

    world.step(5)

    assert world.agreed == ["client"]
