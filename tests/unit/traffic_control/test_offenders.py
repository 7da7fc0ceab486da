"""Offenders are logged as they come."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from eventservices.siena import Notification
from eventservices.stamp import Stamp
from traffic_control.history import read_offenders
from traffic_control.offender import Offender, offender_of
from traffic_control.offenders import Offenders

PATH = ("cns-v-FES0001", "steam-v-FES0001", "steam-m-M01")
STAMP = Stamp("can-sim/FES0001", 3, 7, 1_700_000_000_000_000, "cns-v-FES0001", PATH)


def speed(**more: Any) -> Notification:
    return Notification({"FES_Subject": "Speed", "license_no": "FES0001", "rate": 83.0, **more})


def test_an_offender_is_one_line_of_the_log() -> None:
    offender = offender_of(speed(), STAMP, 1_800_000_000_000_000)
    assert msgspec.json.decode(msgspec.json.encode(offender)) == {
        "v": 1,
        "wall_us": 1_800_000_000_000_000,
        "time_us": 1_700_000_000_000_000,
        "id": "can-sim/FES0001/3/7",
        "monitor": "M01",
        "vehicle": "FES0001",
        "rate": 83.0,
        "path": list(PATH),
    }


@pytest.mark.parametrize(
    ("via", "monitor"), [((), ""), (("cns-v-1",), ""), (("a", "steam-m-M-2"), "M-2")]
)
def test_the_monitor_is_who_the_event_passed_last(via: tuple[str, ...], monitor: str) -> None:
    stamp = Stamp("o", 1, 1, 5, "h", via)
    found = offender_of(speed(), stamp, 9)
    assert found is not None
    assert (found.monitor, found.path) == (monitor, via)


@pytest.mark.parametrize(
    "more",
    [
        {"rate": float("inf")},
        {"rate": "fast"},
        {"rate": True},
        {"license_no": 5},
        {"license_no": b"x"},
    ],
)
def test_a_report_without_vehicle_or_speed_is_counted_and_left_out(more: dict[str, Any]) -> None:
    written: list[Offender] = []
    log = Offenders(written.append, lambda: 9)
    log.take(speed(**more), STAMP)
    assert (log.count, log.unreadable, written) == (0, 1, [])


def test_an_event_without_a_stamp_is_logged_without_an_identity() -> None:
    written: list[Offender] = []
    log = Offenders(written.append, lambda: 9)
    log.take(speed(rate=83), None)
    assert (written[0].id, written[0].time_us, written[0].rate) == ("", 9, 83.0)
    assert log.unstamped == 1


def test_the_newest_offenders_are_kept_by_number() -> None:
    log = Offenders(lambda _: None, lambda: 9, kept=3)
    for rate in range(1, 6):
        log.take(speed(rate=float(rate)), STAMP)

    def numbers(found: list[Any]) -> list[tuple[int, float]]:
        return [(number, offender.rate) for number, offender in found]

    assert numbers(log.last(10)) == [(3, 3.0), (4, 4.0), (5, 5.0)]
    assert numbers(log.last(1)) == [(5, 5.0)]
    assert numbers(log.after(0, 10)) == [(3, 3.0), (4, 4.0), (5, 5.0)]
    assert numbers(log.after(3, 1)) == [(4, 4.0)]
    assert numbers(log.after(5, 10)) == []
    assert numbers(log.after(50, 10)) == []
    assert numbers(Offenders(lambda _: None, lambda: 9).last(10)) == []


def test_offenders_logged_before_a_restart_are_listed_and_counted(tmp_path: Path) -> None:
    lines: list[Offender] = []
    first = Offenders(lines.append, lambda: 9)
    first.take(speed(), STAMP)
    path = tmp_path / "offenders.jsonl"
    whole = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
    path.write_bytes(b'{"of": "another kind"}\n' + whole + whole[:20])
    again = Offenders(lambda _: None, lambda: 10, earlier=read_offenders(path, 9))
    again.take(speed(), STAMP)
    assert [(one.number, one.offender.wall_us) for one in again.last(5)] == [(1, 9), (2, 10)]


def test_offenders_of_an_earlier_run_are_not_listed(tmp_path: Path) -> None:
    lines: list[Offender] = []
    Offenders(lines.append, lambda: 9).take(speed(), STAMP)
    path = tmp_path / "offenders.jsonl"
    path.write_bytes(msgspec.json.encode(lines[0]) + b"\n")
    assert Offenders(lambda _: None, lambda: 10, earlier=read_offenders(path, 10)).count == 0


def test_a_log_that_is_not_there_has_no_offenders(tmp_path: Path) -> None:
    assert list(read_offenders(tmp_path / "none.jsonl", 0)) == []


def test_the_oldest_offenders_are_not_kept_in_memory_but_counted(tmp_path: Path) -> None:
    lines: list[Offender] = []
    first = Offenders(lines.append, lambda: 9)
    for _ in range(5):
        first.take(speed(), STAMP)
    again = Offenders(lambda _: None, lambda: 10, kept=2, earlier=lines)
    assert (again.count, [one.number for one in again.last(5)]) == (5, [4, 5])
