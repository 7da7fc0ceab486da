"""The judge names each planted leak of scopes, and finds nothing in good runs."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from analytics.inputs.federation import load_federation
from analytics.inputs.folder import open_folder
from analytics.scopes import names
from analytics.scopes.run import judge_folder, run_of_scopes
from analytics.traffic.job import judge
from analytics.verdict import BROKEN, HELD, NOT_TESTABLE, Promise
from fes.federation.scopes.change import Change, write_change
from fes.federation.scopes.model import Member
from pyspark.sql import SparkSession
from support.judge.leaks import LEAKS, plant
from support.judge.runs import Line, write_lines

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

Judged = Callable[[Path], dict[str, Promise]]
PLANTING = Path(__file__).parents[1] / "support/planting"
S = 1_000_000


@pytest.fixture(scope="module")
def judged(spark: SparkSession) -> Judged:
    def run(path: Path) -> dict[str, Promise]:
        return {one.name: one for one in judge_folder(spark, run_of_scopes(path))}

    return run


def traded(runs: Path, status: int = 0, fault: str = "none") -> Path:
    """Return the folder of a run of the stock market, perhaps with a fault planted in it."""
    program = Path(sys.executable).with_name("fes-stock-market")
    planted = {"PYTHONPATH": str(PLANTING), "FES_TEST_FAULT": fault}
    done = subprocess.run(
        (str(program), "demo", "--runs", str(runs), "--count", "6"),
        env={**os.environ, **planted},
        cwd=runs,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return (runs / "latest").resolve()


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a good run of the stock market."""
    return traded(tmp_path_factory.mktemp("runs"))


@pytest.mark.broker
@pytest.mark.parametrize(
    ("fault", "promise", "place"),
    [("all of n", names.ONE, "Engines"), ("at once", names.DELAY, "siena-c")],
)
def test_a_fault_planted_in_the_product_is_named(
    judged: Judged, tmp_path: Path, fault: str, promise: str, place: str
) -> None:
    found = judged(traded(tmp_path, 1, fault))
    assert found[promise].status == BROKEN, found
    assert all(one.monitor.startswith(place) for one in found[promise].examples)


@pytest.mark.broker
def test_a_good_run_of_the_stock_market_keeps_every_promise(judged: Judged, market: Path) -> None:
    found = judged(market)
    status = {name: one.status for name, one in found.items()}
    wanted = dict.fromkeys(names.PROMISES, HELD) | {names.MEMBERSHIP: NOT_TESTABLE}
    assert status == wanted, found
    assert "native clients" in found[names.INTERFACES].detail
    assert "no log has" in found[names.INTERFACES].detail
    told = json.loads((market / "scopes.json").read_text("utf-8"))
    assert [one["name"] for one in told["promises"]] == list(names.PROMISES)


@pytest.mark.broker
@pytest.mark.parametrize("name", LEAKS)
def test_a_planted_leak_is_named_under_its_promise_with_its_place(
    judged: Judged, market: Path, tmp_path: Path, name: str
) -> None:
    run, leak = Path(shutil.copytree(market, tmp_path / "run")), LEAKS[name]
    plant(run, leak)
    found = judged(run)
    assert leak.promise in found
    assert found[leak.promise].status == BROKEN, found
    examples = found[leak.promise].examples
    assert any(
        one.monitor.startswith(leak.place) and leak.reason in one.reason for one in examples
    ), examples


FILE = """
version: 1
system: test
event_services: {a: {kind: memory}, b: {kind: memory}, c: {kind: memory}}
gateways:
  g1: {adapters: {a: {}, b: {}}}
  g2: {adapters: {c: {}}}
scopes:
  market: {members: {a: {}, b: {}, c: {}}}
"""
LEAVES = Change(1, "market", "c", at_us=10 * S)
JOINS = Change(2, "market", "c", edge=Member(), at_us=20 * S)


def _line(at_s: float, name: str, decision: str, **more: str) -> Line:
    at_us = round(at_s * S)
    component = "adapter" if "." in name else "gateway"
    told = {"v": 1, "wall_us": at_us, "time_us": at_us, "component": component}
    return {**told, "name": name, "decision": decision, **more}


def _event(number: int, at_s: float, *received: tuple[str, str, float]) -> list[Line]:
    """Return the lines of an event: published at `a`, received at event services."""
    about = {"id": f"native/1/{number}", "subject": "Reading", "home": "a"}
    heard = _line(at_s, "g1.a", "received", **about, **{"from": "a"})
    return [
        heard,
        *(_line(when, f"{g}.{to}", "published", **about, to=to) for g, to, when in received),
    ]


def _changed(at_s: float, change: Change, declared: str | None = None) -> list[Line]:
    text = write_change(change).decode() if declared is None else declared
    more = {"type": "scopes", "what": f"change {change.number}", "declared": text}
    return [_line(at_s, gateway, "applied", **more) for gateway in ("g1", "g2")]


def _run(path: Path, *parts: list[Line]) -> Path:
    (path / "logs").mkdir(parents=True)
    (path / "federation.yaml").write_text(FILE, "utf-8")
    write_lines(path / "logs/eventlog-all.0.jsonl", [line for part in parts for line in part])
    return path


GOOD = (
    _event(1, 5, ("g1", "b", 5.1), ("g2", "c", 5.2)),
    _changed(10, LEAVES),
    _event(2, 15, ("g1", "b", 15.1)),
    _changed(20, JOINS),
    _event(3, 25, ("g1", "b", 25.1), ("g2", "c", 25.2)),
)


def test_a_good_run_whose_scopes_change_keeps_every_promise(judged: Judged, tmp_path: Path) -> None:
    found = judged(_run(tmp_path / "run", *GOOD))
    assert found[names.VISIBLE].status == found[names.MEMBERSHIP].status == HELD, found
    assert not [one for one in found.values() if one.status == BROKEN]


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (_event(4, 15, ("g2", "c", 15.3)), "a membership ended before"),
        (_event(4, 7, ("g2", "c", 14)), "had been withdrawn"),
    ],
)
def test_who_has_left_a_scope_and_receives_is_named(
    judged: Judged, tmp_path: Path, event: list[Line], reason: str
) -> None:
    found = judged(_run(tmp_path / "run", *GOOD, event))[names.MEMBERSHIP]
    assert found.status == BROKEN
    assert [(one.id, one.monitor) for one in found.examples] == [("native/1/4", "c")]
    assert reason in found.examples[0].reason


def test_who_joined_later_and_receives_is_named(judged: Judged, tmp_path: Path) -> None:
    joins = Change(1, "market", "d", edge=Member(), at_us=10 * S)
    late = _event(1, 5, ("g2", "d", 15))
    run = _run(tmp_path / "run", late, _changed(10, joins))
    found = judged(run)[names.MEMBERSHIP]
    assert found.status == BROKEN
    assert "joined after" in found.examples[0].reason


def test_changes_that_the_log_does_not_have_are_not_testable(
    judged: Judged, tmp_path: Path
) -> None:
    for number, part in enumerate((_changed(10, LEAVES, ""), _changed(20, JOINS))):
        found = judged(_run(tmp_path / f"run{number}", *GOOD[:1], part))
        assert {one.status for one in found.values()} == {NOT_TESTABLE}, found


def test_the_verdict_on_a_traffic_run_has_these_promises_only_where_there_are_scopes(
    spark: SparkSession, copied: Path
) -> None:
    folder = open_folder(copied)
    plain = judge(spark, folder, load_federation(folder.federation)).verdict
    assert not {one.name for one in plain.promises} & set(names.PROMISES)
    federation = yaml.safe_load(folder.federation.read_text("utf-8"))
    federation["scopes"] = {"all": {"members": {each: {} for each in federation["event_services"]}}}
    folder.federation.write_text(yaml.safe_dump(federation), "utf-8")
    scoped = judge(spark, folder, load_federation(folder.federation)).verdict
    assert [one.name for one in scoped.promises[-len(names.PROMISES) :]] == list(names.PROMISES)
    assert scoped.promises[: len(plain.promises)] == plain.promises
    assert scoped.passed
