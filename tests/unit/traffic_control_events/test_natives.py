"""The native clients, as far as they need no broker."""

from pathlib import Path

import pytest
from traffic_control_events.natives import __main__ as natives
from traffic_control_events.natives.cns_pub import read_script, script_from
from traffic_control_events.natives.files import all_there, is_ready, lines_of, ready_file
from traffic_control_events.story import START_US

PUBLISH = ["cns-pub", "--cns", "nats://127.0.0.1:1", "--start-wall-us", "0"]


def test_the_publisher_reads_what_the_plan_wrote(planned: Path) -> None:
    script = list(read_script(planned))
    assert all(
        set(due.data) == ({"license_no", "rate"} if due.subject == "Speed" else {"license_no"})
        for due in script
    )
    assert [due.time_us for due in script] == sorted(due.time_us for due in script)


def test_the_publisher_begins_where_the_vehicle_is_by_then(planned: Path) -> None:
    script = list(script_from(planned, START_US + 7_300_000))
    assert [script[0].time_us, script[-1].time_us] == [START_US + 8_000_000, START_US + 47_000_000]
    assert sum(due.subject == "Speed" for due in script) == 40


def test_a_publisher_that_begins_early_waits_for_the_drive(planned: Path) -> None:
    assert next(script_from(planned, START_US - 9_000_000)).time_us == START_US


async def test_clients_are_waited_for_until_all_are_ready(tmp_path: Path) -> None:
    files = [ready_file(tmp_path, name) for name in ("siena-sub", "witness")]
    is_ready(files[0])
    assert not await all_there(files, 0.05)
    is_ready(files[1])
    assert await all_there(files, 0.0)


def test_a_publisher_whom_nobody_hears_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(natives, "READY_S", 0.05)
    assert natives.main([*PUBLISH, "--run", str(tmp_path)]) == 1
    assert "nobody listens" in capsys.readouterr().err
    assert not (tmp_path / "said.jsonl").exists()


def test_a_line_is_in_its_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    with lines_of(path) as tell:
        tell("one")
        assert path.read_text() == "one\n"
        tell("two")
    assert path.read_text() == "one\ntwo\n"
