"""Every override at once, over a short trace: started, judged once it is over, taken down."""

import os
import re
from collections.abc import Iterator

import httpx
import pytest
from eventservices.ports import free_port
from support.processes.stack import ROOT, Stack, call, wait_for

UP_S, DOWN_S, TRACE_S, VERIFY_S = 300, 90, 150, 300
SPEEDUP = 3
OVERRIDES = ("passwords", "spark-cluster", "dev", "observability", "building")
PORTS = (
    *("CNS_PORT", "SIENA_1_PORT", "SIENA_2_PORT", "AIR_PORT", "SPARK_PORT", "PROMETHEUS_PORT"),
    *("NAMING_PORT", "POLICY_PORT"),
)
TARGETS = {"gateways": 3, "traffic-control": 1, "analytics": 1}

pytestmark = pytest.mark.timeout(UP_S + TRACE_S + VERIFY_S)


@pytest.fixture(scope="module")
def every(images: dict[str, str]) -> Iterator[Stack]:
    """The stack with the overrides that FES_OVERRIDES names; all of them without."""
    names = os.environ.get("FES_OVERRIDES", " ".join(OVERRIDES)).split()
    call("compose/secrets")
    call("compose/base-images", *names, within_s=UP_S)
    settings = {
        **images,
        **{name: str(free_port()) for name in PORTS},
        "DURATION": str(TRACE_S * SPEEDUP),
    }
    stack = Stack("fes-every", settings, names)
    try:
        stack.record()
        done = stack.compose("up", "--detach", "--wait", within_s=UP_S, check=False)
        told = call("compose/explain", environment=stack.environment, check=False)
        assert told.returncode == 0, done.stderr + told.stdout
        yield stack
    finally:
        stack.take_down(DOWN_S)


def test_prometheus_scrapes_every_part_that_counts(every: Stack) -> None:
    url = f"http://{every.compose('port', 'prometheus', '9090').stdout.strip()}"

    def answers() -> dict[str, int]:
        found = httpx.get(f"{url}/api/v1/query", params={"query": "sum by (job) (up)"}).json()
        return {one["metric"]["job"]: int(one["value"][1]) for one in found["data"]["result"]}

    wait_for(lambda: answers() == TARGETS, "all targets to answer")
    page = httpx.get(f"{url}/consoles/fes.html")
    assert page.status_code == httpx.codes.OK, page.text
    assert "g2" in page.text


def test_the_building_is_ready_and_its_service_is_one_of_the_federation(every: Stack) -> None:
    listed = {one["service"]: one["ready"] for one in every.get("g2", "/v1/adapters")}
    assert listed["building"] is True
    for service in ("naming", "policy"):
        url = f"http://{every.compose('port', service, '8080').stdout.strip()}"
        assert httpx.get(f"{url}/healthz").status_code == httpx.codes.OK, service


def test_brokers_ask_for_a_password_routes_too(every: Stack) -> None:
    told = every.compose("exec", "-T", "g1", "python", "-Ic", ASK, "siena-1", "6222", ROUTE)
    assert "Authorization" in told.stdout, told.stdout
    told = every.compose("exec", "-T", "g1", "python", "-Ic", ASK, "cns", "4222", CLIENT)
    assert "Authorization" in told.stdout, told.stdout


def test_nobody_is_refused_who_has_the_password(every: Stack) -> None:
    for service in ("cns", "siena-1", "siena-2"):
        refused = re.findall(r".*authentication error.*", every.compose("logs", service).stdout)
        assert len(refused) <= 1, refused  # the one of the test above


def test_the_passwords_are_for_nobody_else_on_the_host() -> None:
    assert (ROOT / "compose/secrets.d").stat().st_mode & 0o777 == 0o700


def test_a_walk_through_a_building_passes_in_one_container(every: Stack) -> None:
    """It needs nothing of the stack, whose trace plays meanwhile."""
    words = ("run", "--build", "--rm", "walk", "demo", "--runs", "/var/lib/fes/runs")
    done = every.compose(*words, "--steps", "20", within_s=UP_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith("passed")


def test_a_run_whose_trace_is_over_is_judged(every: Stack) -> None:
    wait_for(lambda: ended(every, "can-sim"), "the trace to be over", TRACE_S + UP_S)
    before = every.left("clock.json")
    done = every.verify(VERIFY_S)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "verdict: pass" in done.stdout
    assert every.left("clock.json") == before, "another run was begun"


def ended(stack: Stack, service: str) -> bool:
    state = stack.containers()[service]["State"]
    return (state["Status"], state["ExitCode"]) == ("exited", 0)


ASK = """
import socket, sys
with socket.create_connection((sys.argv[1], int(sys.argv[2])), 5) as one:
    one.settimeout(5)
    one.recv(65536)
    one.sendall(sys.argv[3].encode())
    while (answer := one.recv(65536)):
        print(answer.decode(errors="replace"))
"""
ROUTE = 'CONNECT {"verbose":false,"pedantic":false,"cluster":"siena"}\r\nINFO {"server_id":"x"}\r\n'
CLIENT = 'CONNECT {"verbose":false,"pedantic":false}\r\nPING\r\n'
