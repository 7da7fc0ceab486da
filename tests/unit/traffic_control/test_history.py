"""What an earlier traffic-control left in force."""

from pathlib import Path

import msgspec
from traffic_control.command import Action, Command
from traffic_control.history import read_history


def line(action: Action, limit: float, sent_us: int, monitor: str = "M01") -> bytes:
    command = Command(
        action=action,
        monitor=monitor,
        destination=f"steam-m-{monitor}",
        limit=limit,
        filter="",
        request="o/1/1",
        sent_us=sent_us,
    )
    return msgspec.json.encode(command) + b"\n"


def test_nothing_is_left_where_there_is_no_file(tmp_path: Path) -> None:
    assert read_history(tmp_path / "commands.jsonl", 0) == {}


def test_what_was_not_withdrawn_is_left(tmp_path: Path) -> None:
    path = tmp_path / "commands.jsonl"
    path.write_bytes(
        line("subscribe", 70.0, 10)
        + line("unsubscribe", 70.0, 30)  # known before the next one was
        + line("subscribe", 80.0, 20)
        + b"torn\n"
        + line("renew", 80.0, 40)
        + line("subscribe", 50.0, 10, "M02")
        + line("unsubscribe", 50.0, 40, "M02")
        + line("subscribe", 60.0, 10, "M03")
        + line("subscribe", 65.0, 15, "M03")
        + b'{"v":1'
    )
    left = read_history(path, 0)
    assert {name: at.held for name, at in left.items()} == {
        "M01": {80.0: 40},
        "M03": {60.0: 10, 65.0: 15},
    }
    assert left["M03"].wanted == 65.0


def test_what_is_too_old_is_in_force_no_more(tmp_path: Path) -> None:
    path = tmp_path / "commands.jsonl"
    path.write_bytes(line("subscribe", 70.0, 10) + line("subscribe", 80.0, 20))
    assert read_history(path, 15)["M01"].held == {80.0: 20}
    assert read_history(path, 21) == {}
