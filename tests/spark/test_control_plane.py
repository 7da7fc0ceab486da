"""The control plane falls silent, and leaves nothing behind."""

from pathlib import Path

import pytest
from support.judge.runs import Line, Plan, Post, make_run, read_lines
from support.judge.wrongs import edit, event_log_of, index_of

from .conftest import Judge, broken

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


def test_a_storm_and_a_forgotten_subscription_are_named(judged: Judge, copied: Path) -> None:
    name = "g-m-M02.steam-m-M02"
    silent_us = read_lines(copied / "ground_truth.jsonl")[-1]["wall_us"] + 3_000_000

    def storm(lines: list[Line]) -> None:
        del lines[index_of(lines, name=name, decision="unsubscribed")]
        sample = {**lines[0], "name": "g-m-M02", "decision": "forwarded", "type": "subscription"}
        lines.extend({**sample, "wall_us": silent_us + 10 * n} for n in range(200))

    edit(event_log_of(copied, name), storm)
    verdict = judged(copied).verdict

    wrong = broken(verdict)
    assert list(wrong) == ["no control-plane storm", "no native subscription is left"]
    assert wrong["no control-plane storm"].offending == 200
    assert wrong["no native subscription is left"].examples[0].monitor == name


def test_what_a_run_cannot_show_is_not_testable_and_a_run_of_nothing_fails(
    judged: Judge, tmp_path: Path
) -> None:
    slow = (Post("M01", 200, 150, ((0, 200.0),)),)
    run = make_run(tmp_path / "run", Plan(vehicles=2, seconds=10, quiet_s=1, posts=slow))

    verdict = judged(run).verdict

    statuses = {promise.name: promise.status for promise in verdict.promises}
    assert set(statuses.values()) == {"held", "not testable"}
    assert statuses["nothing asked for is lost"] == "not testable"
    assert statuses["no control-plane storm"] == "not testable"
    assert not verdict.passed
