"""The simulation of replicas judges: a fault planted in them breaks a promise within 300 seeds."""

import pytest
from simulation.test_replicas import play
from support.replicas.planted import FAULTS

SEEDS = 300


def caught(seed: int) -> bool:
    """Tell whether a seed's town breaks a promise, or the product itself breaks."""
    try:
        return bool(play(seed)[1])
    except (AttributeError, KeyError, TypeError, ValueError):
        return True


def test_there_are_at_least_twenty_faults_to_find() -> None:
    assert len(FAULTS) >= 20


@pytest.mark.timeout(300)
@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_planted_fault_is_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name, wrong = FAULTS[fault]
    monkeypatch.setattr(owner, name, wrong, raising=name != "settled")

    assert any(caught(seed) for seed in range(SEEDS))
