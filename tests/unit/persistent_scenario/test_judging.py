"""The judge sees each promise broken, and names it."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from persistent_scenario.judging import Evidence, judge
from persistent_scenario.kills import How
from persistent_scenario.records import Killed, Tried
from persistent_scenario.report import passed, table

Change = Callable[[Evidence], None]


def broken(evidence: Evidence) -> list[str]:
    return [promise.name for promise in judge(evidence) if promise.breaches]


def lose(evidence: Evidence) -> None:
    del evidence.received["low"][5]


def lose_at_the_witness(evidence: Evidence) -> None:
    del evidence.received["witness"][5]


def double(evidence: Evidence) -> None:
    evidence.received["middle"].append(evidence.received["middle"][3])


def double_under_another_identity(evidence: Evidence) -> None:
    first = evidence.received["low"][0]
    twin = f"{first.origin}/2/{first.number}"
    evidence.add(Tried(first.origin, first.number, first.value, twin, 0))
    evidence.received["low"].insert(1, replace(first, identity=twin))


def disorder(evidence: Evidence) -> None:
    got = evidence.received["low"]
    of_one = [place for place, each in enumerate(got) if each.origin == "station-2"]
    a, b = of_one[4], of_one[7]
    got[a], got[b] = got[b], got[a]


def bring_what_was_not_asked_for(evidence: Evidence) -> None:
    unasked = next(each for each in evidence.tried.values() if each.value >= 90)
    first = evidence.received["witness"][0]
    evidence.received["witness"].append(
        replace(
            first,
            origin=unasked.origin,
            number=10_000,
            value=unasked.value,
            identity=unasked.identity,
        )
    )


def bring_it_to_the_wrong_client(evidence: Evidence) -> None:
    for_middle = next(each for each in evidence.received["middle"] if each.value >= 60)
    evidence.received["low"].append(replace(for_middle, by="low", number=10_000))


def make_up(evidence: Evidence) -> None:
    first = evidence.received["low"][0]
    evidence.received["low"].append(replace(first, identity="nobody/1/1", number=10_000))


def change_a_value(evidence: Evidence) -> None:
    first = evidence.received["low"][0]
    evidence.received["low"][0] = replace(first, value=59 if first.value == 1 else 1)


def fall_silent_after_a_kill(evidence: Evidence) -> None:
    evidence.add(Killed(("g2.cns-c",), 10_000))


CHANGES: dict[Change, set[str]] = {
    lose: {"nothing is lost"},
    lose_at_the_witness: {"nothing is lost"},
    double: {"nothing is doubled"},
    double_under_another_identity: {"nothing is doubled"},
    disorder: {"the order of each origin"},
    bring_what_was_not_asked_for: {"nothing unasked arrives", "nothing is made up or changed"},
    bring_it_to_the_wrong_client: {"nothing unasked arrives", "nothing is made up or changed"},
    make_up: {"nothing is made up or changed"},
    change_a_value: {"nothing is made up or changed"},
    fall_silent_after_a_kill: {"what was killed is back"},
}


def test_a_run_without_a_flaw_passes(flawless: Evidence) -> None:
    promises = judge(flawless)

    assert broken(flawless) == []
    assert passed(promises)
    assert table(flawless, promises).endswith("verdict: pass")


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_changed_log_breaks_the_promise_that_it_goes_against(
    flawless: Evidence, change: Change
) -> None:
    change(flawless)

    assert set(broken(flawless)) == CHANGES[change]
    assert table(flawless, judge(flawless)).endswith("verdict: fail")


def test_a_reading_that_was_not_acknowledged_may_arrive_or_not(flawless: Evidence) -> None:
    """Its station cannot know: what became of it is not promised."""
    asked = next(each for each in flawless.tried.values() if each.value < 50)
    del flawless.stored[asked.identity]
    assert broken(flawless) == []

    for got in flawless.received.values():
        got[:] = [each for each in got if each.identity != asked.identity]
    assert broken(flawless) == []


@pytest.mark.parametrize("how", How)
def test_a_leader_after_which_nothing_came_is_named_with_what_became_of_it(
    flawless: Evidence, how: How
) -> None:
    flawless.add(Killed(("g1-r2",), 10_000, how))

    assert broken(flawless) == ["what was killed is back"]
    text = table(flawless, judge(flawless))
    assert f"after g1-r2 was {how.value}" in text or f"after g1-r2 {how.value}" in text


def test_what_befell_leaders_is_told_beside_the_kills(flawless: Evidence) -> None:
    flawless.add(Killed(("g1-r2",), 100, How.STOOD_STILL))
    flawless.add(Killed(("g1-r1",), 100, How.STOPPED))

    text = table(flawless, judge(flawless))
    assert "1 kills outlived, 1 stopped, 1 stood still" in text
    assert broken(flawless) == []


def test_what_is_told_of_a_promise_is_bounded(flawless: Evidence) -> None:
    flawless.received["low"].clear()

    lost = next(promise for promise in judge(flawless) if promise.name == "nothing is lost")

    assert len(lost.breaches) > 50
    assert lost.detail.endswith(f"and {len(lost.breaches) - 3} more")
