"""The judge judges: a good run passes, and each wrong is seen where it must be."""

from dataclasses import asdict
from pathlib import Path

import pytest
from support.judge import twin
from support.judge.corrupt import CORRUPTIONS, corrupt

from .conftest import Judge, broken

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


def test_a_good_run_passes_and_the_twin_agrees(judged: Judge, good_run: Path) -> None:
    verdict = judged(good_run).verdict

    assert verdict.passed
    assert broken(verdict) == {}
    assert verdict.reports.expected == verdict.reports.received > 50
    assert asdict(verdict.reports) == twin.judge(good_run)


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_a_corrupted_run_fails_under_the_right_promise_with_the_event_named(
    judged: Judge, copied: Path, name: str
) -> None:
    wrong = corrupt(copied, name)

    verdict = judged(copied).verdict

    assert not verdict.passed
    assert list(broken(verdict)) == [wrong.promise]
    promise = broken(verdict)[wrong.promise]
    told = " ".join(f"{example.id} {example.reason}" for example in promise.examples)
    assert all(named in told for named in wrong.named)
    assert asdict(verdict.reports) == twin.judge(copied)
