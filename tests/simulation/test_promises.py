"""The promises of the gateway protocol, over random federations.

`FES_SEEDS` sets how many federations are played, `FES_STORED_SEEDS` how many of them on the SQLite
store. A failure names the command that plays its seed again and shows what happened. How many
faults of which kind were injected stands at the end of the run.
"""

import os
import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from fes.control import RequestType
from fes.federation.checks.marks import SLOWEST
from support.drawing.topologies import KINDS, random_topology
from support.drawing.wishes import at_least
from support.gateways.stored import StoredJournals
from support.play.replay import play, world_of
from support.simulation.world import SECOND, World

SEEDS = int(os.environ.get("FES_SEEDS", "5000"))
STORED_SEEDS = int(os.environ.get("FES_STORED_SEEDS", "300"))
FIRST = int(os.environ.get("FES_FIRST_SEED", "0"))
BATCH = 100
"""Federations of one test: enough that a test costs little, few enough for both cores."""

KINDS_OF_FAULTS = {
    "killed",
    "started again",
    "link cut",
    "out of range",
    "dropped",
    "duplicated",
    "reordered",
    "confirmation lost",
    "publication failed",
    "crash before the commit",
    "crash after the commit",
    "crash amid the outputs",
    "moved out of range",
    "lost on the air",
    "renewal lost",
    "clock wrong",
    "clock set",
    "broker started again",
    "lost by a broker",
    "dropped by a full broker",
    "dropped by a full link",
    "row dropped by a full link",
    "answer lost",
    "lost with a link",
    "event with a StartTime",
    "event for named services",
    "announcement of a client",
    "request observed",
    "service closed",
    "event service left a scope",
}
RARE = {"crowd of gateways"}
"""What is drawn for so few federations that it need not be among the first."""


class Played(NamedTuple):
    """What happened in a federation."""

    faults: Counter[str]
    events: int
    broken: list[str]


@cache
def played(seed: int) -> Played:
    """Play a federation, once for all tests of this process."""
    world, script, broken = play(seed)
    return Played(world.faults, len(script.events), broken)


def replay(seed: int) -> str:
    """Return the command that plays a seed again."""
    return f"play it again: cd tests && ../.venv/bin/python -m support.play.replay {seed}"


BROKE = (4100005628, 2524001275, 2524001634)
"""Seeds that broke a promise once: what was behind an expired row went before what was urgent; the
record of an event was deleted while a crowd still sent copies; after a restart it was not known
that an event service had left its scope in between."""


@pytest.mark.parametrize("seed", BROKE)
def test_a_seed_that_broke_a_promise_breaks_none(seed: int) -> None:
    assert play(seed)[2] == []


def test_simulated_gateways_have_limits_that_a_federation_file_may_have() -> None:
    settings = world_of(1).settings("g0")

    assert settings.retransmission_us > SLOWEST * settings.retry_us


@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", range(FIRST, FIRST + SEEDS, BATCH))
def test_federations_keep_every_promise(
    first: int, record_property: Callable[[str, object], None]
) -> None:
    faults: Counter[str] = Counter()
    events = 0
    seeds = range(first, min(first + BATCH, FIRST + SEEDS))
    for seed in seeds:
        federation = played(seed)
        faults += federation.faults
        events += federation.events
        assert federation.broken == [], replay(seed)

    record_property("federations", len(seeds))
    record_property("events", events)
    record_property("faults", dict(sorted(faults.items())))
    assert events > 0


@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", range(FIRST, FIRST + STORED_SEEDS, BATCH))
def test_federations_keep_every_promise_on_the_stored_journal(
    first: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    seeds = range(first, min(first + BATCH, FIRST + STORED_SEEDS))
    for seed in seeds:
        with StoredJournals(tmp_path / str(seed)) as journals:
            assert play(seed, world_of(seed, journals))[2] == [], replay(seed)

    record_property("federations on the stored journal", len(seeds))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_kind_of_fault_lands_in_few_federations() -> None:
    faults: Counter[str] = Counter()
    for seed in range(300):
        faults += played(seed).faults

    assert set(faults) - RARE == KINDS_OF_FAULTS
    assert min(faults[kind] for kind in KINDS_OF_FAULTS) >= 3, faults


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_crowd_of_gateways_at_one_event_service_keeps_every_promise() -> None:
    seed = next(seed for seed in range(10_000) if len(world_of(seed).topology.gateways) >= 12)

    world, _, broken = play(seed)

    assert broken == [], replay(seed)
    assert world.faults["crowd of gateways"] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_federation_with_silent_publishers_falls_silent(kind: str) -> None:
    world = World(random_topology(random.Random(1), kind), 1)
    for gateway in world.topology.gateways:
        world.start(gateway)
    source, other = world.topology.services[0], world.topology.services[-1]
    request = world.request(RequestType.SUBSCRIPTION, source, "*", at_least(0))
    world.inject(world.topology.gateways[-1], request)
    world.say(other, world.request(RequestType.SUBSCRIPTION, other, "*", at_least(3), "other"))

    world.pass_time(world.now_us + 10 * SECOND)
    before = world.control_sent
    world.pass_time(world.now_us + 50 * SECOND)

    hellos = 50 * len(world.topology.attachments)
    assert world.last_control_us < world.start_us + 5 * SECOND
    assert world.control_sent - before <= hellos


@pytest.mark.parametrize("kind", KINDS)
def test_a_gateway_started_again_decides_as_before(kind: str) -> None:
    world = World(random_topology(random.Random(2), kind), 2)
    for gateway in world.topology.gateways:
        world.start(gateway)
    source = world.topology.services[-1]
    request = world.request(RequestType.SUBSCRIPTION, source, "*", at_least(3))
    world.inject(world.topology.gateways[0], request)
    world.pass_time(world.now_us + SECOND)
    before = {key: sorted(f.text for f in a.filters.values()) for key, a in world.access.items()}

    for gateway in world.topology.gateways:
        world.kill(gateway)
        world.start(gateway)
    world.pass_time(world.now_us + SECOND)

    after = {key: sorted(f.text for f in a.filters.values()) for key, a in world.access.items()}
    assert after == before
    assert any(before.values())


def test_equal_seeds_give_equal_runs() -> None:
    def digest() -> list[object]:
        world, script, _ = play(8)
        return [
            sorted(world.decisions.items()),
            [(event.identity, event.at_us) for event in script.events],
            [(d.identity, d.at_us) for s in world.topology.services for d in world.deliveries[s]],
        ]

    assert digest() == digest()
