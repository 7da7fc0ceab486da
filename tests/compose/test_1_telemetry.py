"""What each container tells: its health, its log, its counters, as docs/operating.md lists them."""

import json
import re

import httpx
import pytest
from support.processes.stack import ROOT, Stack, call

OURS = "JSON lines"
ROW = re.compile(r"^\| (`.+?`) \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)
NOT_LISTED = {"plan"}
"""Ends once the run is planned: nothing to be told of it later."""


def matrix() -> dict[str, tuple[str, str, str]]:
    """Return health, log and counters by service, as the documentation has them."""
    text = (ROOT / "docs/operating.md").read_text("utf-8")
    section = text.partition("## Telemetry")[2].partition("\n## ")[0]
    return {
        name: (health, log, counters)
        for names, health, log, counters in ROW.findall(section)
        for name in re.findall(r"`([\w-]+)`", names)
    }


def log_of(container: str) -> list[str]:
    """Return the lines that a container wrote to standard output, its colours removed."""
    return call("docker", "logs", container).stdout.splitlines()


def test_every_service_is_listed_and_no_other(stack: Stack) -> None:
    assert set(stack.containers()) - NOT_LISTED == set(matrix())


@pytest.mark.parametrize("service", sorted(matrix()))
def test_a_service_reports_its_health(stack: Stack, service: str) -> None:
    told = stack.containers()[service]
    assert told["Config"]["Healthcheck"]["Test"], "no health check"
    assert told["State"]["Health"]["Status"] == "healthy"


@pytest.mark.parametrize(
    "service", sorted(name for name, row in matrix().items() if row[1] == OURS)
)
def test_a_service_writes_json_lines(stack: Stack, service: str) -> None:
    lines = [json.loads(line) for line in log_of(stack.containers()[service]["Id"])]
    assert lines
    diagnostics = [line for line in lines if "event" in line]
    assert all({"time", "level", "logger"} <= line.keys() for line in diagnostics)
    assert len(diagnostics) >= len(lines) - 1, "but for the line that states its addresses"


@pytest.mark.parametrize(
    "service", sorted(name for name, row in matrix().items() if "/metrics" in row[2])
)
def test_a_service_serves_its_counters(stack: Stack, service: str) -> None:
    text = httpx.get(f"{stack.url(service)}/metrics", trust_env=False).text
    found = re.findall(r"^(fes_\w+)(?:\{.*\})? \S+$", text, re.MULTILINE)
    assert found, text[:500]
    if "turns" in matrix()[service][2]:
        assert "fes_loop_turn_seconds_max" in found


def test_a_gateway_counts_for_its_adapters(stack: Stack) -> None:
    for adapter in sorted(name for name, row in matrix().items() if row[2] == "at the gateway"):
        gateway = adapter.partition("-")[0]
        listed = [one["service"] for one in stack.get(gateway, "/v1/adapters")]
        text = httpx.get(f"{stack.url(gateway)}/metrics", trust_env=False).text
        assert listed
        assert all(service in text for service in listed), adapter
