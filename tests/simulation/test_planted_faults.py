"""The simulation judges: a gateway with a fault in it breaks a promise within 300 seeds."""

import pytest
from support.planted import FAULTS
from support.replay import play

SEEDS = 300


def caught(seed: int) -> bool:
    """Tell whether a seed's federation breaks a promise, or the gateway itself breaks."""
    try:
        return bool(play(seed)[2])
    except (AttributeError, IndexError, KeyError, TypeError):
        return True


def test_there_are_at_least_sixty_faults_to_find() -> None:
    assert len(FAULTS) >= 60


@pytest.mark.timeout(300)
@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_planted_fault_is_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name, wrong = FAULTS[fault]
    assert hasattr(owner, name)
    monkeypatch.setattr(owner, name, wrong)

    assert any(caught(seed) for seed in range(SEEDS))
