"""Files and answers that are no JSON are passed over, and the next good one is read."""

import json
import os
from pathlib import Path

import httpx
import pytest
from traffic_control.city import Monitor
from traffic_control.command import Command
from traffic_control.confirm import Confirmer
from traffic_control.endpoints import Endpoints
from traffic_control.history import read_history

UNREADABLE = [
    b"",
    b"no JSON",
    b'{"gateways": {"\xf4\x02": {"url": "http://a"}}}',
    b'"\xf1\x03',
    b'{"steps": 5, "gateways": 5}',
    b'{"other": ' + b"[" * 100_000,
]
GOOD = {
    "v": 1,
    "action": "subscribe",
    "monitor": "M01",
    "destination": "steam-m-M01",
    "limit": 70.0,
    "filter": "f",
    "request": "o/1/1",
    "sent_us": 9,
    "applied_us": None,
}


def test_a_history_with_bad_lines_tells_the_good_ones(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lines = [*UNREADABLE, json.dumps(GOOD).encode(), b'{"v": 1, "limit": "fast"}']
    (tmp_path / "commands.jsonl").write_bytes(b"\n".join(lines))
    assert read_history(tmp_path / "commands.jsonl", 0)["M01"].held == {70.0: 9}
    passed_over = [record for record in caplog.records if record.message == "line_passed_over"]
    assert [getattr(record, "line", 0) for record in passed_over] == [*range(1, 7), 8]


@pytest.mark.parametrize("content", UNREADABLE)
def test_addresses_that_cannot_be_read_leave_those_known_before(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "endpoints.json"
    path.write_text('{"gateways": {"g1": {"url": "http://one"}}}')
    endpoints = Endpoints(path)
    assert endpoints.url("g1") == "http://one"

    path.write_bytes(content)
    os.utime(path, ns=(1, 1))
    assert endpoints.url("g1") == "http://one"

    path.write_text('{"gateways": {"g1": {"url": "http://two"}}}')
    assert endpoints.url("g1") == "http://two"


@pytest.mark.parametrize("content", UNREADABLE)
async def test_an_answer_that_cannot_be_read_is_none(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "endpoints.json"
    path.write_text('{"gateways": {"g1": {"url": "http://one"}}}')
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=content))
    command = Command(**{name: value for name, value in GOOD.items() if name != "v"})  # type: ignore[arg-type] # of JSON
    monitor = Monitor("M01", "steam-m-M01", ("g1",), 70.0)
    async with httpx.AsyncClient(transport=transport) as http:
        assert await Confirmer(Endpoints(path), http).once(monitor, command) is None
