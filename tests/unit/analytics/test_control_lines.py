"""Control lines are kept while they can matter, and what they change is judged again."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from analytics.inputs.federation import Federation, load_federation
from analytics.inputs.outages import Outage
from analytics.live import influence
from analytics.live.kept import control
from analytics.live.kept.control import Control, Kept
from analytics.live.kept.state import Window
from support.judge.runs import Plan, make_run

SECOND_US = 1_000_000


def _line(at_s: int, act: str, about: str = "M01", *, done_s: int | None = None) -> Kept:
    done_us = (at_s if done_s is None else done_s) * SECOND_US
    return Kept("file", at_s, at_s * SECOND_US, done_us, act, about, f"{act} {at_s}")


def _tidied(
    commands: Sequence[Kept] = (), log: Sequence[Kept] = (), frame_s: int = 1000
) -> Control:
    kept = Control(commands=list(commands), log=list(log))
    kept.tidy(frame_s * SECOND_US)
    return kept


def _texts(lines: list[Kept]) -> list[str]:
    return [line.text for line in lines]


def test_a_command_that_repeats_one_in_force_is_dropped() -> None:
    commands = [_line(1, "subscribe"), _line(31, "renew"), _line(61, "renew")]
    other = _line(32, "renew", "M02")

    assert _texts(_tidied([*commands, other]).commands) == ["subscribe 1", "renew 32"]


def test_a_renewal_that_may_be_the_first_to_be_applied_is_kept() -> None:
    lost = [_line(1, "subscribe", done_s=0), _line(31, "renew", done_s=32), _line(61, "renew")]
    slow = [_line(1, "subscribe", "M02", done_s=40), _line(31, "renew", "M02")]

    assert _texts(_tidied(lost).commands) == ["subscribe 1", "renew 31"]
    assert _texts(_tidied(slow).commands) == ["subscribe 1", "renew 31"]


def test_after_a_limit_was_ended_a_renewal_begins_it_anew() -> None:
    commands = [_line(1, "subscribe"), _line(20, "unsubscribe"), _line(31, "renew")]

    assert len(_tidied(commands).commands) == 3


def test_what_was_asked_for_and_forwarded_since_the_last_frame_is_kept_for_a_storm() -> None:
    commands = [_line(1, "subscribe"), _line(31, "renew"), _line(61, "renew")]
    log = [_line(5, "started"), _line(30, "forwarded"), _line(60, "forwarded")]
    kept = _tidied(commands, log, frame_s=50)

    assert _texts(kept.commands) == ["subscribe 1", "renew 61"]
    assert _texts(kept.log) == ["started 5", "forwarded 60"]


def test_of_too_many_lines_the_newest_are_kept_and_the_last_word_about_each_thing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(control, "LINES", 8)
    log = [
        _line(1, "subscribed", "a x"),
        _line(2, "unsubscribed", "a x"),
        _line(3, "started", "a x"),
    ]
    log += [_line(at_s, "forwarded", frame) for at_s, frame in zip(range(4, 7), "xyz", strict=True)]
    log += [_line(at_s, "subscribed", f"b {at_s}") for at_s in range(10, 14)]
    kept = _tidied(log=log, frame_s=0)

    assert kept.dropped == 2
    assert _texts(kept.log) == ["unsubscribed 2", "started 3"] + [
        f"subscribed {at_s}" for at_s in range(10, 14)
    ]


@pytest.fixture
def federation(tmp_path: Path) -> Federation:
    run = make_run(tmp_path / "run", Plan(vehicles=1, seconds=1))
    return load_federation(run / "federation.yaml")


def _windows() -> list[Window]:
    spans = [(0, 10), (10, 20), (20, 30)]
    return [
        Window(1, first * SECOND_US, last * SECOND_US, [1], judged=1, stale=False)
        for first, last in spans
    ]


def _stale(windows: list[Window]) -> list[int]:
    return [number for number, window in enumerate(windows) if window.stale]


def test_a_command_that_becomes_known_late_has_what_it_may_change_judged_again() -> None:
    windows = _windows()
    influence.by_lines([], windows)
    assert _stale(windows) == []
    influence.by_lines([_line(18, "subscribe"), _line(25, "renew")], windows)
    assert _stale(windows) == [1, 2]


def test_an_outage_that_becomes_known_late_has_its_time_judged_again() -> None:
    windows = _windows()
    known = Outage("g", 0, 30 * SECOND_US, killed=True)
    influence.by_outages((known,), (known,), windows)
    assert _stale(windows) == []
    new = Outage("g", 12 * SECOND_US, 15 * SECOND_US, killed=True)
    influence.by_outages((known,), (known, new), windows)
    assert _stale(windows) == [1]


def test_once_it_is_known_when_a_bus_was_subscribed_what_was_before_is_judged_again(
    federation: Federation,
) -> None:
    on_board = next(one.name for one in federation.adapters if one.role == "bus")
    first = _line(12, "subscribed", f"{on_board} Speed ")
    windows = _windows()
    influence.by_boarding([_line(12, "subscribed", "city x ")], [], federation, windows)
    influence.by_boarding([first], [first], federation, windows)
    assert _stale(windows) == []
    influence.by_boarding([first], [], federation, windows)
    assert _stale(windows) == [0, 1]
