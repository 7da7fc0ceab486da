"""The simulation of replicas judges: a fault planted in them breaks a promise within 300 seeds."""

import pytest
from support.replicas.judge import violations
from support.replicas.planted import FAULTS, TWICE
from support.replicas.play import played, town_of

SEEDS = 300
RARE = {
    "a whole state is taken for news": 139,
    "anybody may order": 13,
    "custody is not taken over": 8,
    "forwarded requests are not taken over": 5,
    "services are answered before anything is known": 10,
    "the dead live": 24,
    "the event before is not looked at": 229,
    "tokens of a broken link are kept": 6,
    "who stops keeps the lead": 21,
    "wishes end with a link": 10,
    "wishes of the dead hold for ever": 18,
}
"""Seeds that are tried first, for faults that few seeds show; where one no longer does, all are."""

WON_BACK = "lead lost and won back"
SHOWN = 10
"""A town that shows it where leads are lost and won back, and nothing else goes wrong."""


def caught(seed: int, only: str = "") -> bool:
    """Tell whether a seed's town breaks a promise, or the product itself breaks."""
    try:
        return bool(violations(played(town_of(seed), seed, only)))
    except (AttributeError, KeyError, TypeError, ValueError):
        return True


def test_there_are_at_least_twenty_faults_to_find() -> None:
    assert len(FAULTS) >= 20


@pytest.mark.timeout(300)
@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_planted_fault_is_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name, wrong = FAULTS[fault]
    monkeypatch.setattr(owner, name, wrong, raising=name != "settled")

    assert caught(RARE.get(fault, 0)) or any(caught(seed) for seed in range(SEEDS))


@pytest.mark.parametrize("fault", sorted(TWICE))
def test_a_fault_that_two_rules_prevent_is_caught_where_both_are_gone(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for owner, name, wrong in TWICE[fault]:
        with monkeypatch.context() as alone:
            alone.setattr(owner, name, wrong)
            assert not caught(SHOWN, WON_BACK)

    for owner, name, wrong in TWICE[fault]:
        monkeypatch.setattr(owner, name, wrong)

    assert caught(SHOWN, WON_BACK)
