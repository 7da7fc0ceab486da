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


@pytest.mark.timeout(120)
async def test_each_kind_of_crash_is_cleaned_up_and_no_event_of_the_load_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = smaller(monkeypatch, "bench_cleanup", ROUNDS=1)
    monkeypatch.setattr(bench, "HOW", {"killed": bench.HOW["killed"]})
    rows, complete = await bench.measure()
    assert complete
    assert [row.never for row in rows] == [0] * 9


async def test_a_revocation_and_a_step_out_among_many_users_end_the_rights_of_two_groups_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = {"USERS": 40, "RULES": 40, "GROUPS": 4, "NAMES": 10, "SLOW": 2}
    bench = smaller(monkeypatch, "bench_policy", **sizes)
    found = await bench.measure()
    assert found["revocations"] == 20
    assert bench.is_right(found)


def test_no_copy_in_custody_is_sent_once_its_right_is_withdrawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = smaller(monkeypatch, "policy_custody").withdrawn(users=5, copies=20, revoked=2)
    assert (found["copies_in_custody"], found["copies_sent_without_a_right"]) == (100, 0)
    assert found["copies_lost_of_others"] == 0


def test_the_cost_of_the_report_on_rules_is_measured_by_their_number_and_that_of_users(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = smaller(monkeypatch, "policy_reporting").costs((10, 20), (5, 50))
    assert [(each["rules"], each["users"]) for each in found] == [
        (10, 5), (10, 50), (20, 5), (20, 50),
    ]  # fmt: skip
    assert all(each["s"] >= 0 for each in found)
