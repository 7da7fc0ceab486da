"""The simulation judges: a gateway with a fault in it breaks a promise within a few seeds."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from fes.distribution import covers_pattern
from fes.gateway.announcing import Announcing
from fes.gateway.desired import DesiredState
from fes.gateway.publication import Router
from fes.gateway.standing import Standing
from fes.gateway.table import RequestTable
from simulation.test_promises import play, settle
from support.oracle import violations
from support.topologies import KINDS, random_topology
from support.world import World

SEEDS = 60


def _forget_marks(self: Router, *_: object) -> bool:
    return False


def _announce_never(self: Announcing, *_: object) -> None:
    return


def _expire_nothing(self: Any, *_: object) -> list[object]:
    return []


def _know_nothing(self: RequestTable, row: Any) -> bool:
    rows = self._rows.get(row.key, {})
    return any(
        other.version == row.version and covers_pattern(pattern, row.pattern)
        for pattern, other in rows.items()
    )


def _sources_of_the_first(self: DesiredState, numbers: tuple[int, ...]) -> tuple[str, ...]:
    applied = self.get(numbers[0]) if numbers else None
    return applied.sources[:1] if applied else ()


def _pass_on_nothing(self: Standing, *_: object) -> None:
    return


def _forward_nothing(self: Router, *_: object) -> None:
    return


def _wanted_with_withdrawn(self: RequestTable, service: str) -> list[Any]:
    return [
        row for row in self.rows() if row.source != service and covers_pattern(row.pattern, service)
    ]


def _stay_applied(self: DesiredState, key: Any) -> Any:
    return ORIGINAL_ORDER(self, self._by_what[key])


ORIGINAL_ORDER = DesiredState._order

FAULTS: dict[str, tuple[type, str, Callable[..., Any]]] = {
    "an event is sent again": (Router, "_repeated", _forget_marks),
    "an event is not announced": (Announcing, "before", _announce_never),
    "announcements never end": (Announcing, "expire", _expire_nothing),
    "rows never end": (RequestTable, "expire", _expire_nothing),
    "an older request overwrites a newer one": (RequestTable, "_is_known", _know_nothing),
    "only the first source is served": (DesiredState, "sources", _sources_of_the_first),
    "requests stay where they came in": (Standing, "_pass_on", _pass_on_nothing),
    "events stay where they were heard": (Router, "_forward", _forward_nothing),
    "withdrawn requests still hold": (RequestTable, "wanted", _wanted_with_withdrawn),
    "a withdrawal is ordered as a request": (DesiredState, "_withdraw", _stay_applied),
}


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_planted_fault_is_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name, wrong = FAULTS[fault]
    assert hasattr(owner, name)
    monkeypatch.setattr(owner, name, wrong)

    def caught(seed: int) -> bool:
        world = World(random_topology(random.Random(seed), KINDS[seed % len(KINDS)]), seed)
        commands, events = play(world, seed)
        settle(world)
        return bool(violations(world, commands, events))

    assert any(caught(seed) for seed in range(SEEDS))


def test_without_a_fault_the_same_seeds_are_clean() -> None:
    for seed in range(SEEDS):
        world = World(random_topology(random.Random(seed), KINDS[seed % len(KINDS)]), seed)
        commands, events = play(world, seed)
        settle(world)
        assert violations(world, commands, events) == []
