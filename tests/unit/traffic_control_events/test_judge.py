"""The judge: a good run passes, and what is wrong with another has a name."""

import pytest
from traffic_control_events.judge import UnjudgedError, Verdict, judge
from traffic_control_events.road import drive
from traffic_control_events.story import (
    DRIVE,
    HEARD,
    MONITORS,
    PLACES,
    SAID,
    SCRIPT,
    SEEN_AIR,
    SEEN_BUS,
    SEEN_CITY,
    TRACE,
)
from unit.traffic_control_events.corruptions import CORRUPTIONS, ranges
from unit.traffic_control_events.good import LATE_US, SECONDS, Good

LOGS = (SAID, HEARD, SEEN_AIR, SEEN_BUS, SEEN_CITY)


def faults(verdict: Verdict) -> dict[tuple[str, str], int]:
    """Return client and kind of what is wrong, and how often."""
    return {
        (row.client, kind): len(named)
        for row in verdict.rows
        for kind, named in row.faults.items()
        if named
    }


def test_a_run_in_which_everything_came_as_it_had_to_passes(good: Good) -> None:
    verdict = judge(good.folder)
    assert verdict.passed
    assert faults(verdict) == {}
    assert all(row.expected == row.received > 0 for row in verdict.rows)


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_a_corruption_fails_under_its_name_and_no_other(good: Good, name: str) -> None:
    corrupt, blamed = CORRUPTIONS[name]
    corrupt(good)
    verdict = judge(good.folder)
    assert not verdict.passed
    assert faults(verdict) == {blamed: 1}


def test_there_is_a_corruption_for_each_fault_that_is_looked_for(good: Good) -> None:
    verdict = judge(good.folder)
    looked_for = {(row.client, kind) for row in verdict.rows for kind in row.faults}
    assert {blamed for _, blamed in CORRUPTIONS.values()} == looked_for


def test_monitors_that_hear_less_far_make_what_came_in_unexpected(good: Good) -> None:
    ranges(good, 120.0)
    assert faults(judge(good.folder)).keys() >= {
        ("city", "unexpected"),
        ("siena-sub", "unexpected"),
    }


def test_monitors_that_hear_farther_make_what_did_not_come_in_missing(good: Good) -> None:
    ranges(good, 240.0)
    assert faults(judge(good.folder)).keys() >= {("city", "missing"), ("siena-sub", "missing")}


def test_at_the_edge_of_a_range_either_is_right(good: Good) -> None:
    first = good.lines(HEARD)[0]
    for name in (HEARD, SEEN_CITY):
        good.write(name, [line for line in good.lines(name) if line != first])
    assert ("siena-sub", "missing") in faults(judge(good.folder))
    ranges(good, MONITORS["steam-m1"] - along_m(first["stamp"]["time_us"] + LATE_US) - 0.05)
    found = faults(judge(good.folder))
    assert ("siena-sub", "missing") not in found
    assert ("city", "missing") not in found


def along_m(time_us: int) -> float:
    """Return how far along the street the vehicle is."""
    moments = list(drive(SECONDS, 1))
    second, part = divmod(time_us - moments[0].time_us, 1_000_000)
    here_m, there_m = moments[second].along_m, moments[second + 1].along_m
    return here_m + (there_m - here_m) * part / 1_000_000


@pytest.mark.parametrize("name", [*LOGS, PLACES, SCRIPT, TRACE, DRIVE])
def test_a_run_without_a_file_is_not_judged(good: Good, name: str) -> None:
    (good.folder / name).unlink()
    with pytest.raises(UnjudgedError, match=name):
        judge(good.folder)


@pytest.mark.parametrize("name", LOGS)
def test_a_line_that_cannot_be_read_is_named(good: Good, name: str) -> None:
    path = good.folder / name
    number = len(path.read_text().splitlines()) + 1
    path.write_text(path.read_text() + '{"torn": ')
    with pytest.raises(UnjudgedError, match=f"{name}:{number}"):
        judge(good.folder)


def test_a_run_whose_witness_was_killed_is_not_judged(good: Good) -> None:
    good.write(SEEN_CITY, good.lines(SEEN_CITY)[:-1])
    with pytest.raises(UnjudgedError, match="suppressed"):
        judge(good.folder)


@pytest.mark.parametrize(
    ("limit", "words"),
    [(95.0, "too fast"), (10.0, "in range of a monitor and not too fast")],
)
def test_a_run_that_cannot_show_what_a_filter_does_is_not_judged(
    good: Good, monkeypatch: pytest.MonkeyPatch, limit: float, words: str
) -> None:
    monkeypatch.setattr("traffic_control_events.judge.verdict.LIMIT_MPH", limit)
    with pytest.raises(UnjudgedError, match=words):
        judge(good.folder)


def test_a_run_that_cannot_show_what_a_range_does_is_not_judged(good: Good) -> None:
    ranges(good, 9000.0)
    with pytest.raises(UnjudgedError, match="out of range"):
        judge(good.folder)
