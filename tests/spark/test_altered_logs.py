"""Whatever file is altered by hand, the judge names the event."""

from itertools import pairwise
from pathlib import Path

import pytest
from analytics.verdict import Verdict
from support.judge.runs import Line, read_lines
from support.judge.wrongs import edit, event_log_of, index_of, told_names

from .conftest import Judge, broken

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


def _named(verdict: Verdict, promise: str) -> dict[str, str]:
    """Return the ids that are named under a broken promise, with the reason."""
    examples = broken(verdict)[promise].examples if promise in broken(verdict) else ()
    return {example.id: example.reason for example in examples}


def _delivered(run: Path) -> list[Line]:
    told = told_names(run)
    return [line for line in read_lines(run / "offenders.jsonl") if len(told[line["id"]]) == 1]


def test_lines_lost_from_an_event_log_are_named(judged: Judge, copied: Path) -> None:
    bus, air, heard, told = (line["id"] for line in _delivered(copied)[:4])
    city = event_log_of(copied, "g-m-M01")
    fleet = event_log_of(copied, "g-v-FES0001")

    def drop(lines: list[Line], **members: str) -> None:
        del lines[index_of(lines, **members)]

    edit(fleet, lambda lines: drop(lines, id=bus, decision="received"))
    edit(fleet, lambda lines: drop(lines, id=air, decision="published"))
    edit(city, lambda lines: drop(lines, id=heard, decision="received"))
    edit(city, lambda lines: drop(lines, id=told, decision="published"))
    verdict = judged(copied).verdict

    assert not verdict.passed
    lost = _named(verdict, "nothing asked for is lost")
    assert lost[bus].startswith("never received at cns-v-")
    assert lost[air].startswith("never published at steam-v-")
    assert lost[heard] == "never heard there"
    assert _named(verdict, "nothing is delivered unasked")[told].startswith("invented")


def test_lines_that_stand_twice_are_named(judged: Judge, copied: Path) -> None:
    told, heard, frame = (line["id"] for line in _delivered(copied)[:3])
    city = event_log_of(copied, "g-m-M01")

    def double(lines: list[Line], **members: str) -> None:
        index = index_of(lines, **members)
        lines.insert(index, lines[index])

    edit(city, lambda lines: double(lines, id=told, decision="published"))
    edit(city, lambda lines: double(lines, id=heard, decision="received"))
    edit(copied / "ground_truth.jsonl", lambda lines: double(lines, id=frame))
    verdict = judged(copied).verdict

    assert set(_named(verdict, "at most once per destination")) == {told}
    assert set(_named(verdict, "logs are complete")) == {heard, frame}


def test_altered_deliveries_and_frames_are_named(judged: Judge, copied: Path) -> None:
    rate, vehicle, path, gone, slowed = (line["id"] for line in _delivered(copied)[:5])

    def alter(lines: list[Line]) -> None:
        lines[index_of(lines, id=rate)]["rate"] += 1.0
        lines[index_of(lines, id=vehicle)]["vehicle"] = "FES9999"
        lines[index_of(lines, id=path)]["path"].pop(1)

    def falsify(lines: list[Line]) -> None:
        del lines[index_of(lines, id=gone)]
        lines[index_of(lines, id=slowed)].update(rate=30, speed_kmh=30.0)

    edit(copied / "offenders.jsonl", alter)
    edit(copied / "ground_truth.jsonl", falsify)
    verdict = judged(copied).verdict

    unasked = _named(verdict, "nothing is delivered unasked")
    assert set(unasked) <= {rate, vehicle, gone, slowed}
    assert unasked[rate].startswith("changed: rate")
    assert unasked[vehicle].startswith("changed: vehicle")
    assert verdict.reports.unexpected == 4
    assert set(_named(verdict, "every path is admissible")) == {path}
    assert gone in _named(verdict, "logs are complete")


def test_an_event_heard_against_the_filter_breaks_filters_at_the_source(
    judged: Judge, copied: Path
) -> None:
    delivered = {line["id"] for line in read_lines(copied / "offenders.jsonl")}
    truth = read_lines(copied / "ground_truth.jsonl")
    slow = next(x for x in truth if x["rate"] < 40 and x["id"] not in delivered)
    name = "g-m-M01.steam-m-M01"

    def hear(lines: list[Line]) -> None:
        sample = lines[index_of(lines, name=name, decision="received")]
        lines.append({**sample, "id": slow["id"], "wall_us": slow["wall_us"] + 3000})

    edit(event_log_of(copied, name), hear)
    verdict = judged(copied).verdict

    assert set(_named(verdict, "filters work at the source")) == {slow["id"]}


def test_broken_lines_are_named_by_file_and_line(judged: Judge, copied: Path) -> None:
    log = event_log_of(copied, "g-m-M01")
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[6] = lines[6].replace('"wall_us"', '"wall"')
    lines[9] = lines[9][:40] + "\n"
    log.write_text("".join(lines), encoding="utf-8")
    offenders = copied / "offenders.jsonl"
    offenders.write_text(offenders.read_text(encoding="utf-8").rstrip("\n"), encoding="utf-8")
    number = len(read_lines(offenders))

    verdict = judged(copied).verdict

    named = _named(verdict, "logs are complete")
    relative = log.relative_to(copied).as_posix()
    assert {f"{relative}:7", f"{relative}:10"} <= set(named)
    assert named[f"offenders.jsonl:{number}"] == "offenders.jsonl is cut short here"


def test_an_event_log_that_ends_early_is_named(judged: Judge, copied: Path) -> None:
    log = event_log_of(copied, "g-m-M01")
    edit(log, lambda lines: lines.__delitem__(slice(-30, None)))

    verdict = judged(copied).verdict

    assert "has no record that it stopped" in _named(verdict, "logs are complete").values()
    assert not verdict.passed


def test_neighbours_of_two_origins_that_changed_places_are_named(
    judged: Judge, copied: Path
) -> None:
    lines = read_lines(copied / "offenders.jsonl")
    pairs = pairwise(range(len(lines)))
    first, second = next((a, b) for a, b in pairs if lines[a]["vehicle"] != lines[b]["vehicle"])

    def swap(found: list[Line]) -> None:
        found[first], found[second] = found[second], found[first]

    edit(copied / "offenders.jsonl", swap)
    verdict = judged(copied).verdict

    assert list(broken(verdict)) == ["order of each origin is kept"]
    named = _named(verdict, "order of each origin is kept")
    assert named == {lines[first]["id"]: f"delivered after {lines[second]['id']}"}


def test_what_somebody_asked_for_over_the_api_may_be_delivered(judged: Judge, copied: Path) -> None:
    def forget(lines: list[Line]) -> None:
        lines[:] = [line for line in lines if line["monitor"] != "M01"]

    def asked(lines: list[Line]) -> None:
        first = lines[0]
        what = "subject = 'Speed' AND rate > 1"
        told = {"component": "gateway", "name": "g-m-M01", "decision": "applied", "what": what}
        way = {"from": "siena-m", "to": "steam-m-M01", "request": "g-m-M01/api/5/1"}
        lines.insert(1, {**first, **told, **way, "type": "subscription"})

    edit(copied / "commands.jsonl", forget)
    unasked = _named(judged(copied).verdict, "nothing is delivered unasked")
    edit(event_log_of(copied, "g-m-M01"), asked)
    allowed = _named(judged(copied).verdict, "nothing is delivered unasked")

    assert unasked, "without the request the deliveries of M01 are unasked"
    assert not allowed
