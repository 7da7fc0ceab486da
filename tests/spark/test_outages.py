"""Outages excuse what was lost in them, and nothing else."""

from dataclasses import asdict
from pathlib import Path

import pytest
from support.judge import twin
from support.judge.runs import Line, Plan, Post, make_run
from support.judge.wrongs import edit, event_log_of

from .conftest import Judge, broken

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

RESTART = "killed and restarted decides as before"
POSTS = (
    Post("M01", 300, 150, ((0, 30.0),)),
    Post("M02", 700, 150, ((0, 30.0),)),
    Post("M03", 760, 150, ((0, 50.0),)),
)


def _killed(path: Path) -> Path:
    return make_run(path / "killed", Plan(posts=POSTS, kill=("g-m-M01", 12, 20)))


def test_what_a_killed_gateway_lost_is_excused(judged: Judge, tmp_path: Path) -> None:
    run = _killed(tmp_path)

    verdict = judged(run).verdict

    statuses = {promise.name: promise.status for promise in verdict.promises}
    assert broken(verdict) == {}
    assert verdict.reports.outage > 0
    assert statuses[RESTART] == "held"
    assert asdict(verdict.reports) == twin.judge(run)


@pytest.mark.parametrize("cause", ["exit 1", "signal 11"])
def test_a_crash_of_the_product_excuses_nothing(judged: Judge, tmp_path: Path, cause: str) -> None:
    run = _killed(tmp_path)
    edit(run / "outages.jsonl", lambda lines: lines[0].update(cause=cause, by="supervisor"))

    verdict = judged(run).verdict

    assert verdict.reports.outage == 0
    assert verdict.reports.missing > 0
    assert "nothing asked for is lost" in broken(verdict)


def test_a_restart_that_forgets_a_subscription_breaks_its_promise(
    judged: Judge, tmp_path: Path
) -> None:
    run = _killed(tmp_path)
    name = "g-m-M01.steam-m-M01"

    def forget(lines: list[Line]) -> None:
        kept = [line for line in lines if (line["name"], line["decision"]) == (name, "subscribed")]
        lines.remove(kept[-1])

    edit(event_log_of(run, name), forget)
    verdict = judged(run).verdict

    assert list(broken(verdict)) == [RESTART]
    assert broken(verdict)[RESTART].examples[0].monitor == name
