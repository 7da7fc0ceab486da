"""The judge and its plain twin agree on whatever run is made."""

import random
from dataclasses import asdict
from pathlib import Path

import pytest
from support.judge import twin
from support.judge.runs import Line, Plan, Post, make_run
from support.judge.wrongs import edit

from .conftest import Judge

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


def _posts(chance: random.Random) -> tuple[Post, ...]:
    return tuple(
        Post(
            f"M{number:02d}",
            chance.uniform(0, 1200),
            chance.uniform(60, 350),
            ((0, float(chance.randrange(20, 90))), (chance.randrange(5, 25), 95.0)),
        )
        for number in range(1, chance.randrange(3, 7))
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_twin_agrees_on_generated_runs_with_random_wrongs(
    judged: Judge, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    plan = Plan(vehicles=6, seconds=30, seed=seed, posts=_posts(chance), kill=("g-m-M01", 8, 14))
    run = make_run(tmp_path / "run", plan)

    def disturb(lines: list[Line]) -> None:
        for _ in range(4):
            lines.insert(chance.randrange(len(lines)), dict(chance.choice(lines)))
            lines.pop(chance.randrange(len(lines)))
            chance.choice(lines)["monitor"] = "M02"
            chance.choice(lines)["rate"] += 1.0

    def delay(lines: list[Line]) -> None:
        chance.choice(lines)["applied_us"] = None

    edit(run / "offenders.jsonl", disturb)
    edit(run / "commands.jsonl", delay)

    assert asdict(judged(run).verdict.reports) == twin.judge(run)
