import pytest
from support.scopes.planted import FAULTS
from support.scopes.statements import STATEMENTS
from support.scopes.town import ROUTERS, disagreement

SEEDS = 150


def _is_noticed() -> bool:
    try:
        for statement in STATEMENTS.values():
            for router in ROUTERS.values():
                statement(router)
        return any(disagreement(seed) for seed in range(SEEDS))
    except Exception:  # noqa: BLE001 - a fault may break anything
        return True
    except pytest.fail.Exception:
        return True


def test_each_item_has_planted_faults() -> None:
    assert {name[0] for name in FAULTS} == set("1234567")
    assert len(FAULTS) >= 15


def test_nothing_is_noticed_without_a_fault() -> None:
    assert not _is_noticed()


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_planted_fault_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*FAULTS[fault])
    assert _is_noticed()
