"""The ledger and placing: each event has one window, for as long as it is kept."""

from pathlib import Path

import pytest
from analytics.inputs.files import LocalFiles
from analytics.live.kept import ledger
from analytics.live.kept.ledger import Entry, Ledger
from analytics.live.kept.state import State
from analytics.live.reading.intake import Seen
from analytics.live.reading.placing import Placed, place

NOW_US = 1_000


def _take(batch: int, told: dict[str, Seen], state: State, known: Ledger) -> Placed:
    placed = place(told, batch, NOW_US, state, known)
    known.enter(batch, placed.entry)
    return placed


def test_an_event_belongs_to_the_window_in_which_it_was_first_seen() -> None:
    state, known = State(), Ledger()
    first = _take(1, {"a/1/1": Seen(5, 9, delivered=True)}, state, known)
    second = _take(
        2,
        {"a/1/1": Seen(3, 11, delivered=True), "a/1/2": Seen(12, 13, delivered=False)},
        state,
        known,
    )

    assert first.windows == {"a/1/1": 1}
    assert second.windows == {"a/1/1": 1, "a/1/2": 2}
    assert first.again == frozenset()
    assert second.again == {"a/1/1"}
    window = state.windows[1]
    assert (window.events, window.first_us, window.last_us, window.batches) == (1, 3, 11, [1, 2])
    assert state.windows[2].batches == [2]


def test_a_judged_window_is_stale_again_once_there_is_a_line_about_it() -> None:
    state, known = State(), Ledger()
    _take(1, {"a/1/1": Seen(5, 9, delivered=False)}, state, known)
    state.windows[1].stale = False
    _take(2, {"b/1/1": Seen(20, 21, delivered=False)}, state, known)
    assert state.stale == [2]
    _take(3, {"a/1/1": Seen(22, 22, delivered=False)}, state, known)
    assert state.stale == [1, 2]


def test_no_clock_that_runs_ahead_keeps_a_window_open() -> None:
    state = State()
    _take(1, {"a/1/1": Seen(5, 2**60, delivered=False)}, state, Ledger())

    assert state.windows[1].last_us == NOW_US


def test_a_line_about_an_event_that_was_given_up_is_too_late_and_counted() -> None:
    state, known = State(), Ledger()
    _take(1, {f"a/1/{n}": Seen(5, 5, delivered=True) for n in (3, 7)}, state, known)
    known.give_up(1)
    late = {"a/1/3": Seen(9, 9, delivered=True), "a/1/5": Seen(9, 9, delivered=False)}
    new = {"a/1/8": Seen(9, 9, delivered=True), "a/2/1": Seen(9, 9, delivered=True)}
    placed = _take(2, late | new, state, known)

    assert placed.late == set(late)
    assert set(placed.windows) == set(new)
    assert placed.again == frozenset()
    assert state.too_late == 2
    assert len(known) == 2


def test_of_too_many_origins_the_one_given_up_first_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ledger, "ORIGINS", 2)
    known = Ledger()
    for number, origin in enumerate("abc", start=1):
        known.enter(number, Entry([f"{origin}/1/1"]))
        known.give_up(number)

    assert known.given_up == {"b/1": 1, "c/1": 1}


@pytest.mark.parametrize("identity", ["", "a", "a/b/c", "a/1/-1", "a/1/" + "9" * 5000, "a/1/٣"])
def test_an_id_without_a_sequence_is_never_too_late(identity: str) -> None:
    known = Ledger()
    known.enter(1, Entry([identity]))
    known.give_up(1)

    assert not known.too_late(identity)
    assert known.given_up == {}


def test_what_was_saved_of_the_windows_that_are_kept_is_known_again(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    for number in (1, 2, 3, 4):
        ledger.save(files, number, Entry([f"a/1/{number}"], [f"a/1/{number - 1}"]))
    ledger.forget(files, 2)
    known = ledger.load(files, 2, 3, {"a/1": 1})

    assert [known.window(f"a/1/{number}") for number in (1, 2, 3, 4)] == [None, 2, 3, None]
    assert known.was_delivered("a/1/2")
    assert not known.was_delivered("a/1/3")
    assert known.too_late("a/1/1")
    assert sorted(files.sizes(ledger.IDS)) == ["00000002.json", "00000003.json", "00000004.json"]
