"""Seeds that nobody has played: other ones each day.

A fixed range that was mended until it was silent proves little about the next one. The range stands
at the end of the run; `FES_FRESH_FIRST` plays it again, `FES_FRESH_SEEDS` says how many.
"""

import time
from collections.abc import Callable
from datetime import date

import pytest
from support.play.fresh import A_DAY, FRESH_SEEDS, fresh_seed
from support.play.ranges import Played, command, main, play_seeds

BATCH = 100
TOWNS = max(1, FRESH_SEEDS // 10)
BUDGET_S = 20.0
"""Seconds after which a batch begins no further seed, so that a slow machine plays fewer."""

Record = Callable[[str, object], None]


def within_budget(kind: str, first: int, count: int) -> Played:
    """Play seeds until all are played or the time is up."""
    done, until_s = Played(), time.monotonic() + BUDGET_S
    for seed in range(first, first + count):
        done.add(play_seeds(kind, (seed,)))
        if time.monotonic() >= until_s:
            break
    return done


def judge(kind: str, offset: int, count: int, record: Record) -> None:
    """Play a batch; fail where any seed breaks a promise, naming all that do."""
    first = fresh_seed() + offset
    done = within_budget(kind, first, min(BATCH, count - offset))

    record(f"{kind} nobody has played", done.seeds)
    record("fresh", [first, first + done.seeds - 1])
    record("faults", dict(sorted(done.faults.items())))
    told = [f"{seed} {what}\n    {command(kind, seed)}" for seed, what in done.broken]
    if told:
        pytest.fail("\n".join(told), pytrace=False)
    assert done.seeds > 0


@pytest.mark.timeout(600)
@pytest.mark.parametrize("offset", range(0, FRESH_SEEDS, BATCH))
def test_federations_that_nobody_has_played_keep_every_promise(
    offset: int, record_property: Record
) -> None:
    judge("federations", offset, FRESH_SEEDS, record_property)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("offset", range(0, TOWNS, BATCH))
def test_towns_that_nobody_has_played_keep_every_promise(
    offset: int, record_property: Record
) -> None:
    judge("towns", offset, TOWNS, record_property)


def test_each_day_has_seeds_of_its_own_and_a_range_can_be_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("FES_FRESH_FIRST", raising=False)
    days = [fresh_seed(date(2026, 2, day)) for day in (27, 28)]

    assert days[1] - days[0] == A_DAY >= 2 * FRESH_SEEDS
    assert days[0] > FRESH_SEEDS, "not among those of the fixed range"
    monkeypatch.setenv("FES_FRESH_FIRST", "53177")
    assert fresh_seed() == 53177


def test_a_range_is_played_past_a_broken_seed_and_all_are_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(seed: int, done: Played) -> list[str]:
        if seed == 8:
            raise ZeroDivisionError
        done.faults["link cut"] += 1
        return ["lost: something"] if seed % 3 == 0 else []

    monkeypatch.setattr("support.play.ranges._federation", broken)

    status = main(["federations", "--first", "6", "--count", "4", "--processes", "1"])

    text = capsys.readouterr().out
    assert status == 1
    assert "seeds 6 to 9" in text
    assert "3 link cut" in text
    found = [
        line.split()[1] for line in text.split("faults\n")[1].splitlines() if "broken:" in line
    ]
    assert found == ["6", "8", "9"]


def test_a_clean_range_ends_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["federations", "--first", "1", "--count", "2", "--processes", "1"]) == 0
    assert "2 of 2" in capsys.readouterr().out
