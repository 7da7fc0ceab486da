"""What the benchmarks of naming and policy verify, at a size that is no burden."""

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.broker

FOLDER = Path(__file__).parents[3] / "benchmarks"


def smaller(monkeypatch: pytest.MonkeyPatch, name: str, **sizes: int) -> Any:
    monkeypatch.syspath_prepend(str(FOLDER))
    module = pytest.importorskip(name)
    for each, size in sizes.items():
        monkeypatch.setattr(module, each, size)
    return module


async def test_no_naming_server_answers_wrongly_while_others_are_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = {"SERVERS": 12, "NAMES": 600, "KILLED": 2, "LOOKUPS": 150, "BUSES": 3}
    bench = smaller(monkeypatch, "bench_naming", **sizes)
    found = await bench.measure()
    assert (found["wrong"], found["no_source_where_one_is"]) == (0, 0)
    assert found["answered"] + found["unknown_now"] == found["lookups"] == 150
    assert found["answered"] > 0


async def test_a_revocation_among_many_users_ends_those_of_one_group_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = {"USERS": 40, "RULES": 40, "GROUPS": 4, "NAMES": 10}
    bench = smaller(monkeypatch, "bench_policy", **sizes)
    found = await bench.measure()
    assert found["revocations"] == 10
    assert found["others_go_on"]
