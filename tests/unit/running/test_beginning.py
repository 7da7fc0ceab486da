"""When the trace of a run begins."""

import json
from pathlib import Path

import pytest
from fes.federation.file.dump import resolved
from fes.federation.load import loads
from fes.federation.model import Federation
from fes.running.supervision.beginning import LEAST_LEAD_S, MOST_LEAD_S, TraceStart

NOW = 1_800_000_000_000_000
PLAYS = "[player, --at, '{wall_start_us}']"


def federation_of(command: str) -> Federation:
    text = (
        "version: 1\nsystem: t\nclock: {start: 100.0, speed: 20}\n"
        "event_services: {a: {kind: memory}, b: {kind: memory}}\n"
        "gateways: {g: {adapters: {a: {}, b: {}}}}\n"
        f"applications: {{p: {{command: {command}}}}}\n"
    )
    return resolved(loads(text, {}), NOW)


def test_a_trace_begins_once_it_may_and_not_before(tmp_path: Path) -> None:
    (tmp_path / "clock.json").write_text("of an earlier run")
    trace = TraceStart(federation_of(PLAYS), tmp_path, lambda: NOW + 40_000_000)
    assert not trace.path.exists()
    at_us = NOW + 40_000_000 + round(LEAST_LEAD_S * 1e6)
    assert trace.begin(0.1) == {"wall_start_us": str(at_us)}
    begun = {"start_us": 100_000_000, "wall_start_us": at_us, "speed": 20.0}
    assert json.loads(trace.path.read_text()) == begun
    assert trace.begin(30.0) == {"wall_start_us": str(at_us)}, "it begins once"


@pytest.mark.parametrize(("slowest_s", "lead_s"), [(10.0, 15.0), (1000.0, MOST_LEAD_S)])
def test_what_plays_it_has_longer_to_start_where_all_was_slow(
    tmp_path: Path, slowest_s: float, lead_s: float
) -> None:
    trace = TraceStart(federation_of(PLAYS), tmp_path, lambda: NOW)
    assert trace.begin(slowest_s) == {"wall_start_us": str(NOW + round(lead_s * 1e6))}


def test_where_nobody_plays_a_trace_its_clock_begins_at_once(tmp_path: Path) -> None:
    trace = TraceStart(federation_of("[watcher]"), tmp_path, lambda: NOW)
    assert json.loads(trace.path.read_text())["wall_start_us"] == NOW
