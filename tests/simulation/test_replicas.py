"""The promises of a gateway that runs as several replicas, over random troubles.

`FES_SEEDS` sets how many towns are played. A failure tells what happened and names the command that
plays its seed again: `FES_FIRST_SEED=N FES_SEEDS=1 pytest tests/simulation/test_replicas.py`.
"""

import os
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import pytest
from support.replicas.judge import violations
from support.replicas.play import played as run
from support.replicas.play import town_of
from support.replicas.town import Town

SEEDS = int(os.environ.get("FES_SEEDS", "600"))
FIRST = int(os.environ.get("FES_FIRST_SEED", "0"))
WON_BACK = 20
"""Towns in which leads are lost and won back, and nothing else goes wrong."""

BATCH = 100
"""Towns of one test: enough that a test costs little, few enough for both cores."""

SHOWN = 400
"""Most lines of what happened that a failure shows."""

TROUBLES = {
    "replica killed",
    "replica stopped",
    "replica stalled",
    "journal slow",
    "journal fails",
    "journal in doubt",
    "link cut",
    "links of an adapter cut",
    "adapter killed",
    "adapter stalled",
    "lead lost and won back",
    "service fails",
    "service slow",
    "snapshot",
}

CIRCUMSTANCES = {
    "events of a stream",
    "leaders stopped in order",
    "leaders that stood still",
    "leads won back",
    "slow commits",
    "slow whole reads",
    "sources with a window",
    "streams",
}


BROKE = (4200000143, 4200000971, 4200001988)
"""Seeds that broke a promise once: a replica that restored a row had it otherwise than others; one
that stood still accepted a lease after its end by the client's clock, and the judge did not know.
"""


class Played(NamedTuple):
    """What happened in a town."""

    faults: Counter[str]
    circumstances: Counter[str]
    leads: int
    forwarded: int
    broken: list[str]


def play(seed: int, *, traced: bool = False) -> tuple[Town, list[str]]:
    """Play a town to its end; return it and its broken promises."""
    done = run(town_of(seed, traced=traced), seed)
    return done.town, violations(done)


@cache
def played(seed: int) -> Played:
    """Play a town, once for all tests of this process."""
    town, broken = play(seed)
    shared = town.shared
    return Played(town.faults, town.circumstances, shared.takeovers, shared.taken, broken)


def told(seed: int, broken: list[str]) -> str:
    """Return what a failure shows: the command, what happened, and what was broken."""
    town, _ = play(seed, traced=True)
    command = f"FES_FIRST_SEED={seed} FES_SEEDS=1 pytest tests/simulation/test_replicas.py"
    return "\n".join((command, *town.trace[-SHOWN:], *broken))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", range(FIRST, FIRST + SEEDS, BATCH))
def test_replicas_keep_every_promise(
    first: int, record_property: Callable[[str, object], None]
) -> None:
    faults: Counter[str] = Counter()
    circumstances: Counter[str] = Counter()
    leads = forwarded = 0
    seeds = range(first, min(first + BATCH, FIRST + SEEDS))
    for seed in seeds:
        town = played(seed)
        if town.broken:
            pytest.fail(told(seed, town.broken), pytrace=False)
        faults += town.faults
        circumstances += town.circumstances
        leads += town.leads
        forwarded += town.forwarded

    record_property("towns", len(seeds))
    record_property("leads", leads)
    record_property("forwarded requests", forwarded)
    for name, count in sorted(circumstances.items()):
        record_property(name, count)
    record_property("faults", dict(sorted(faults.items())))
    assert leads > 0


@pytest.mark.parametrize("seed", BROKE)
def test_a_seed_that_broke_a_promise_breaks_none(seed: int) -> None:
    _, broken = play(seed)

    if broken:
        pytest.fail(told(seed, broken), pytrace=False)


def test_leads_that_are_lost_and_won_back_keep_every_promise() -> None:
    won = 0
    for seed in range(WON_BACK):
        done = run(town_of(seed), seed, "lead lost and won back")
        won += done.town.circumstances["leads won back"]
        assert violations(done) == [], seed

    assert won >= WON_BACK // 3


def test_every_kind_of_trouble_lands_in_few_towns() -> None:
    faults: Counter[str] = Counter()
    leads = forwarded = 0
    for seed in range(60):
        town = played(seed)
        faults += town.faults
        leads += town.leads > 1
        forwarded += town.forwarded

    assert set(faults) == TROUBLES
    assert min(faults.values()) >= 3, faults
    assert leads >= 20
    assert forwarded >= 20


def test_every_circumstance_that_an_order_depends_on_is_found_in_few_towns() -> None:
    circumstances: Counter[str] = Counter()
    for seed in range(60):
        circumstances += played(seed).circumstances

    assert set(circumstances) == CIRCUMSTANCES
    assert min(circumstances.values()) >= 3, circumstances


def test_equal_seeds_give_equal_runs() -> None:
    first, again = play(3, traced=True), play(3, traced=True)

    assert first[0].trace == again[0].trace
    assert [
        [(each.item.identity, each.at_us) for each in service.deliveries]
        for service in first[0].services.values()
    ] == [
        [(each.item.identity, each.at_us) for each in service.deliveries]
        for service in again[0].services.values()
    ]


def test_a_failure_tells_what_happened_and_how_to_play_it_again() -> None:
    text = told(1, ["lost: something"])

    assert "FES_FIRST_SEED=1 FES_SEEDS=1" in text
    assert "a leads" in text
    assert text.endswith("lost: something")
