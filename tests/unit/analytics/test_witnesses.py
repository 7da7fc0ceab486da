"""What native observers saw, held against what was asked for."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from analytics.inputs.federation import Federation, load_federation
from analytics.inputs.folder import RunFolder
from analytics.traffic.witnesses import (
    LOOKS_US,
    Span,
    Witnesses,
    judge_filters,
    judge_leftovers,
    judge_storm,
    read_witnesses,
    storm_bound,
    weigh_witnesses,
)
from support.judge.runs import Plan, federation

S = 1_000_000
FOREVER = 10**15
LIMITS = {"M01": [Span(46.0, 10 * S, FOREVER)]}


@pytest.fixture
def read(tmp_path: Path) -> Federation:
    file = tmp_path / "federation.yaml"
    file.write_text(yaml.safe_dump(federation(Plan(vehicles=2))), encoding="utf-8")
    return load_federation(file)


def seen(folder: Path, **files: list[dict[str, Any]]) -> Witnesses:
    for name, lines in files.items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{name.replace('_', '-')}.jsonl").write_text(text, encoding="utf-8")
    return read_witnesses(RunFolder(folder))


def group(word: str, at_s: float, *content: list[Any], number: int = 1, **more: Any) -> Any:
    line = {
        "wall_us": int(at_s * S),
        "seen": word,
        "node": "g-m-M01.steam-m-M01",
        "subject": "Speed",
    }
    return {**line, "number": number, "content": list(content), "silent": False, **more}


def alive(first_s: int, last_s: int, **more: Any) -> list[Any]:
    return [{"wall_us": at * S, "seen": "alive", **more} for at in range(first_s, last_s + 1)]


def stop(at_s: int) -> list[Any]:
    return [{"wall_us": at_s * S, "moment": "gateways stop"}]


@pytest.mark.parametrize(
    "content",
    [
        [["rate", ">", 46.0]],
        [["rate", ">=", 46]],
        [["rate", ">", 60.0], ["license_no", "=", "FES0001"]],
        [["rate", "range", 50.0, 70.0]],
    ],
)
def test_a_native_filter_that_passes_no_more_than_was_asked_for_is_right(
    tmp_path: Path, read: Federation, content: list[Any]
) -> None:
    found = judge_filters(seen(tmp_path, seen_air=[group("join", 12, *content)]), read, LIMITS)
    assert found.offending == 0


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ([], "passes every rate; asked for is rate above 46"),
        ([["rate", "<", 46.0]], "passes every rate"),
        ([["license_no", "=", "FES0001"]], "passes every rate"),
        ([["rate", ">", 30.0]], "passes rate above 30; asked for is rate above 46"),
    ],
)
def test_a_native_filter_that_passes_more_breaks_the_promise(
    tmp_path: Path, read: Federation, content: list[Any], told: str
) -> None:
    found = judge_filters(seen(tmp_path, seen_air=[group("join", 12, *content)]), read, LIMITS)
    assert found.offending == 1
    assert told in found.examples[0].reason
    assert found.examples[0].monitor == "M01"


def test_what_was_asked_for_over_the_api_explains_a_subscription(
    tmp_path: Path, read: Federation
) -> None:
    limits = {"M01": [*LIMITS["M01"], Span(-1.0, 10 * S, FOREVER)]}
    assert judge_filters(seen(tmp_path, seen_air=[group("join", 12)]), read, limits).offending == 0


def test_a_subscription_that_nobody_asked_for_breaks_the_promise(
    tmp_path: Path, read: Federation
) -> None:
    witnesses = seen(tmp_path, seen_air=[group("join", 2, ["rate", ">", 46.0])])
    assert "nobody asked" in judge_filters(witnesses, read, LIMITS).examples[0].reason


def test_subscriptions_of_others_on_the_air_are_not_the_federations(
    tmp_path: Path, read: Federation
) -> None:
    stranger = group("join", 12, node="a handheld")
    assert judge_filters(seen(tmp_path, seen_air=[stranger]), read, LIMITS).offending == 0


ENDED = {"M01": [Span(46.0, 10 * S, 20 * S)]}


def test_what_was_withdrawn_before_the_gateways_stop_is_not_left(
    tmp_path: Path, read: Federation
) -> None:
    air = [group("join", 12), group("leave", 21)]
    assert judge_leftovers(seen(tmp_path, seen_air=air, moments=stop(23)), read, ENDED).first == ()


@pytest.mark.parametrize("air", [[group("join", 12)], [group("join", 12), group("leave", 24)]])
def test_what_is_there_still_when_the_gateways_stop_was_never_withdrawn(
    tmp_path: Path, read: Federation, air: list[Any]
) -> None:
    found = judge_leftovers(seen(tmp_path, seen_air=air, moments=stop(23)), read, ENDED)
    assert "was never withdrawn" in found.examples[0].reason


def test_what_somebody_still_asks_for_may_be_there(tmp_path: Path, read: Federation) -> None:
    witnesses = seen(tmp_path, seen_air=[group("join", 12)], moments=stop(23))
    assert judge_leftovers(witnesses, read, LIMITS).offending == 0


def test_a_node_that_fell_silent_took_nothing_back_and_left_nothing(
    tmp_path: Path, read: Federation
) -> None:
    air = [group("join", 12), group("leave", 15, silent=True)]
    assert judge_leftovers(seen(tmp_path, seen_air=air, moments=stop(23)), read, ENDED).first == ()


def test_hellos_and_renewals_in_silence_are_no_storm(tmp_path: Path, read: Federation) -> None:
    allowed = storm_bound(read, 10.0, 2)
    city = alive(0, 30, notifications=int(allowed / 12))
    found = judge_storm(seen(tmp_path, seen_city=city), read, 10 * S, 20 * S, 2)
    assert found.offending == 0


def test_forty_hellos_a_second_are_a_storm(tmp_path: Path, read: Federation) -> None:
    city = alive(0, 30, notifications=40)
    found = judge_storm(seen(tmp_path, seen_city=city), read, 10 * S, 20 * S, 0)
    assert "control events in silence in the city" in found.examples[0].reason


def test_the_verdict_says_where_nobody_looked(tmp_path: Path, read: Federation) -> None:
    told = weigh_witnesses(seen(tmp_path), read, LIMITS, (10 * S, 20 * S), 0).who_looked
    assert set(told.values()) == {"by the event log alone: no native observer looked"}


def test_an_observer_that_stood_still_did_not_look(tmp_path: Path, read: Federation) -> None:
    city = alive(0, 13, notifications=0) + alive(17 + LOOKS_US // S, 30, notifications=0)
    span = (10 * S, 20 * S)
    told = weigh_witnesses(seen(tmp_path, seen_city=city), read, LIMITS, span, 0).who_looked
    assert "no native observer looked" in told["no control-plane storm"]
    steady = seen(tmp_path, seen_city=alive(0, 30, notifications=0))
    whole = weigh_witnesses(steady, read, LIMITS, span, 0).who_looked
    assert whole["no control-plane storm"] == "counted natively too"


def test_lines_that_are_torn_or_of_another_kind_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "seen-air.jsonl").write_bytes(
        b'{"seen": "join"}\nnot json\n[1]\n\xff\n{"wall_us": 5, "seen": "alive"}\n{"wall_us": 6,'
    )
    assert read_witnesses(RunFolder(tmp_path)).air_looked == [(5, 5)]
