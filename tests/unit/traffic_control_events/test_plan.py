"""The plan: a drive that shows something, and a federation file that fits it."""

import csv
from itertools import pairwise
from pathlib import Path

import pytest
from fes.cli.validate import examine_file
from fes.errors import FederationError
from fes.federation import has_errors, load
from traffic_control_events.plan import STARTING_S, Wanted, own_federation, plan
from traffic_control_events.road import MPS_PER_MPH, STREET_M, drive, folded_m, place
from traffic_control_events.story import (
    BUS,
    CITY,
    FASTEST_MPH,
    GATEWAYS,
    INDEX,
    LIMIT_MPH,
    MONITORS,
    RANGE_M,
    SENDER,
    SLOWEST_MPH,
    START_US,
    VEHICLE,
)
from unit.traffic_control_events.good import near

SHORT = 40
"""Seconds that are enough."""

WORTH = {(True, True), (True, False), (False, True)}
"""In range or not, too fast or not: what a run must have shown."""


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_same_drive_is_planned_twice(tmp_path: Path, planned: Path) -> None:
    plan(tmp_path, Wanted(40, 4.0))
    for path in planned.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("seed", range(1, 11))
def test_whenever_it_begins_to_tell_there_is_something_to_judge(seed: int) -> None:
    seen = [(len(near(moment.along_m)), moment.rate_mph > LIMIT_MPH) for moment in drive(200, seed)]
    for begin in range(len(seen) - SHORT):
        told = seen[begin : begin + SHORT]
        assert {monitors for monitors, _ in told} == {0, 1, 2}
        assert {(bool(monitors), fast) for monitors, fast in told} >= WORTH


def test_the_vehicle_drives_as_fast_as_it_says_and_within_its_bounds() -> None:
    moments = list(drive(25, 3))
    assert all(SLOWEST_MPH <= moment.rate_mph <= FASTEST_MPH for moment in moments)
    for here, there in pairwise(moments):
        assert there.time_us - here.time_us == 1_000_000
        driven_m = here.rate_mph * MPS_PER_MPH
        assert there.along_m - here.along_m == pytest.approx(driven_m)


def test_at_the_end_of_the_street_it_turns_around() -> None:
    assert folded_m(STREET_M + 100) == STREET_M - 100
    assert folded_m(2 * STREET_M + 100) == pytest.approx(100)


def test_the_vehicle_stands_before_and_after_its_drive(planned: Path) -> None:
    trace = rows(planned / "trace.csv")
    assert [row["lon"] for row in trace[:2]] == [trace[0]["lon"]] * 2
    assert [row["lon"] for row in trace[-2:]] == [trace[-1]["lon"]] * 2
    assert int(trace[1]["time_us"]) == START_US


def test_it_says_a_speed_each_second_and_now_and_then_that_it_brakes(planned: Path) -> None:
    script = rows(planned / "script.csv")
    speeds = [row for row in script if row["subject"] == "Speed"]
    assert len(speeds) == 40 + STARTING_S * 4
    assert len(script) - len(speeds) == len(speeds) // 5
    assert {row["license_no"] for row in script} == {VEHICLE}


def test_the_federation_file_is_valid() -> None:
    findings = examine_file(own_federation(), {})
    assert not has_errors(findings)
    assert [finding.message for finding in findings] == [
        "gateway 'g1' is not attached to the source 'siena-m'"
    ]


def test_the_federation_file_has_the_story_s_names_and_numbers() -> None:
    federation = load(own_federation(), {})
    assert [*federation.event_services] == [BUS, SENDER, *MONITORS, CITY]
    assert {name: [*gateway.adapters] for name, gateway in federation.gateways.items()} == {
        "g1": [BUS, SENDER],
        **{gateway: [monitor, CITY] for monitor, gateway in GATEWAYS.items()},
    }
    for monitor, along_m in MONITORS.items():
        lat, lon = place(along_m)
        settings = federation.event_services[monitor].settings
        assert settings == {"range_m": RANGE_M, "location": {"lat": lat, "lon": lon}}
    assert federation.event_services[CITY].settings == {"index": INDEX}
    command = federation.applications["siena-sub"].command
    assert float(command[command.index("--over") + 1]) == LIMIT_MPH


def test_the_one_request_is_the_thesis_s() -> None:
    (request,) = load(own_federation(), {}).requests
    told = (request.gateway, request.type, request.source, request.dist_list, request.filter)
    assert told == ("g1", "subscription", CITY, "cns-*", "Speed")


def test_the_run_has_a_clock_of_its_own(planned: Path) -> None:
    clock = load(planned / "federation.yaml", {}).clock
    assert (clock.start, clock.speed) == (START_US / 1e6, 4.0)


def test_another_federation_file_takes_the_place_of_the_story_s(tmp_path: Path) -> None:
    text = own_federation().read_text().replace("cns-*", "cns-v")
    (tmp_path / "mine.yaml").write_text(text)
    plan(tmp_path, Wanted(40, 4.0, federation=tmp_path / "mine.yaml"))
    assert load(tmp_path / "federation.yaml", {}).requests[0].dist_list == "cns-v"


def test_a_federation_file_that_is_not_valid_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("version: 1\nsystem: x\nevent_service: {}\n")
    with pytest.raises(FederationError, match="event_service"):
        plan(tmp_path, Wanted(40, 4.0, federation=tmp_path / "mine.yaml"))
