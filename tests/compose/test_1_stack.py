"""The stack as it comes up: healthy, guarded, small, and doing its work."""

import json
import re

import httpx
import pytest
from support.processes.stack import Stack, call, wait_for

GATEWAYS = ("g1", "g2", "g3")
ADAPTERS = ("g1-cns", "g1-steam", "g2-steam", "g2-siena", "g3-steam", "g3-siena")
MIB = 2**20
STACK_BYTES, PART_BYTES = 6 * 2**30, 150 * MIB
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
OVERRIDES = ("dev", "spark-cluster", "passwords")


def bytes_of(text: str) -> float:
    """Return what `docker stats` means by `26.7MiB`."""
    found = re.fullmatch(r"([\d.]+)(\w+)", text)
    assert found is not None, text
    return float(found[1]) * UNITS[found[2]]


@pytest.mark.parametrize("override", ["", *OVERRIDES])
def test_every_combination_of_files_is_valid(engine: None, override: str) -> None:
    stack = Stack("fes-test", {}, [override] if override else [])
    done = stack.compose("config", "--quiet")
    assert (done.stdout, done.stderr) == ("", "")


def test_every_service_is_healthy(stack: Stack) -> None:
    states = {name: one["State"] for name, one in stack.containers().items()}
    assert states.pop("plan")["ExitCode"] == 0
    health = {name: state["Health"]["Status"] for name, state in states.items()}
    assert set(health.values()) == {"healthy"}, health
    assert {*GATEWAYS, *ADAPTERS} < set(health)


def test_every_container_is_guarded(stack: Stack) -> None:
    for name, told in stack.containers().items():
        host = told["HostConfig"]
        assert told["Config"]["User"] not in ("", "0", "root"), name
        assert host["ReadonlyRootfs"], name
        assert host["CapDrop"] == ["ALL"], name
        assert not host["CapAdd"], name
        assert "no-new-privileges:true" in host["SecurityOpt"], name
        assert not host["Privileged"], name
        assert host["PidsLimit"] > 0, name
        assert host["Memory"] > 0, name
        assert not any("docker.sock" in mount["Source"] for mount in told["Mounts"]), name
        assert not told["Config"]["Image"].endswith(":latest"), name


def test_inside_a_container_nobody_is_root_and_nothing_can_be_written(stack: Stack) -> None:
    for name in stack.containers():
        if name == "plan":
            continue
        status = stack.compose("exec", "-T", name, "cat", "/proc/1/status").stdout
        assert re.search(r"^CapEff:\s+0+$", status, re.MULTILINE), name
        assert re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE), name
        assert not re.search(r"^Uid:\s+0\b", status, re.MULTILINE), name
        assert stack.compose("exec", "-T", name, "touch", "/x", check=False).returncode != 0, name


def test_the_stack_is_small(stack: Stack) -> None:
    containers = stack.containers()
    assert sum(one["HostConfig"]["Memory"] for one in containers.values()) <= STACK_BYTES
    ids = {one["Id"]: name for name, one in containers.items() if one["State"]["Running"]}
    told = call("docker", "stats", "--no-stream", "--no-trunc", "--format", "{{json .}}", *ids)
    used = {}
    for line in told.stdout.splitlines():
        one = json.loads(line)
        used[ids[one["ID"]]] = bytes_of(one["MemUsage"].split(" / ")[0])
    assert sum(used.values()) <= STACK_BYTES, used
    assert {name: used[name] for name in (*GATEWAYS, *ADAPTERS) if used[name] >= PART_BYTES} == {}


def test_offenders_reach_the_citys_log(stack: Stack) -> None:
    wait_for(
        lambda: "offender_reported" in stack.compose("logs", "traffic-control").stdout,
        "an offender in the log of traffic-control",
    )
    newest = stack.get("traffic-control", "/v1/offenders")["offenders"][-1]
    assert newest["vehicle"] == "FES0001"
    assert newest["path"][:2] == ["cns-v-FES0001", "steam-v-FES0001"]


def test_ports_are_on_loopback_only(stack: Stack) -> None:
    for name, told in stack.containers().items():
        for bound in told["HostConfig"]["PortBindings"].values():
            assert {one["HostIp"] for one in bound} == {"127.0.0.1"}, name


def test_a_gateway_serves_its_documentation(stack: Stack) -> None:
    for name in GATEWAYS:
        assert "swagger" in httpx.get(f"{stack.url(name)}/docs").text.lower()
        assert "/v1/requests" in stack.get(name, "/openapi.json")["paths"]
