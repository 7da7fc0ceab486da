"""What can work starts and stays; what is not ready is reported and tried again."""

import json
import socket
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from eventservices.ports import free_port
from eventservices.servers import NatsServer, ServerSpec
from fes.testing.eventually import eventually
from serving.loopback import ask
from support.processes.ending import Command, nothing_left

READY_S = 60.0
PATIENCE_S = "25"

PARTIAL = """
version: 1
system: partial
brokers:
  left: {kind: nats}
  right: {kind: nats}
  cloud: {kind: nats, url: "nats://127.0.0.1:%d"}
event_services:
  cns-l: {kind: cns, brokers: [left], settings: {channel: west}}
  siena-r: {kind: siena, brokers: [right], settings: {index: FES_Subject}}
  siena-cloud: {kind: siena, brokers: [cloud], settings: {index: FES_Subject}}
gateways:
  g: {adapters: {cns-l: {}, siena-r: {}}}
  up: {adapters: {siena-r: {}, siena-cloud: {}}}
applications:
  local: {command: [sleep, "600", "{url:right}"]}
  named: {command: [sleep, "600"], after: [g]}
  away: {command: [sleep, "600", "{url:cloud}"]}
"""


def command(text: str, folder: Path, *more: str) -> Command:
    (folder / "file.yaml").write_text(text)
    # `sleep` takes sums of times, and no addresses: a shell sleeps in its place
    changed = text.replace("command: [sleep,", "command: [sh, -c, 'sleep 600', sh,")
    (folder / "file.yaml").write_text(changed)
    return Command(
        ("fes.cli.main", "run", "file.yaml", "--run", "run", "--patience", PATIENCE_S, *more),
        folder,
    )


def endpoints(folder: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((folder / "run/endpoints.json").read_text())
    return told


@pytest.mark.timeout(300)
async def test_a_broker_that_is_away_at_the_start_keeps_nobody_else_from_working(
    tmp_path: Path,
) -> None:
    port = free_port()
    with closing(command(PARTIAL % port, tmp_path)) as running:

        def started(name: str) -> bool:
            return f"application: {name}" in running.said

        for name in ("local", "named"):
            await eventually(partial(started, name), within_s=READY_S)
        url = endpoints(tmp_path)["gateways"]["g"]["url"]
        assert ask("GET", f"{url}/readyz", timeout_s=5).status_code == 200

        def reported() -> str:
            lines = [line for line in running.said.splitlines() if "not ready: up.sie" in line]
            return next((line for line in lines if f"127.0.0.1:{port}" in line), "")

        # On a busy machine it is reported before the first attempt has failed, and once more after.
        line = await eventually(reported, within_s=READY_S)
        assert ", for " in line
        assert "see run/logs/gateways-siena.log; it is tried again" in line
        assert "application: away" not in running.said
        with NatsServer(ServerSpec("cloud", tmp_path / "cloud", port=port)):
            await eventually(
                lambda: "ready: up.siena-cloud, after" in running.said, within_s=READY_S
            )
            await eventually(lambda: "application: away" in running.said, within_s=READY_S)
        ports = running.ports()
        await running.end("SIGTERM")
        await nothing_left(running, ports)
        assert running.process.returncode == 130


NOTHING = """
version: 1
system: nothing
brokers: {cloud: {kind: nats, url: "nats://127.0.0.1:%d"}}
event_services:
  a: {kind: siena, brokers: [cloud], settings: {index: FES_Subject}}
  b: {kind: cns, brokers: [cloud], settings: {channel: b}}
gateways: {g: {adapters: {a: {}, b: {}}}}
"""


@pytest.mark.parametrize("more", [(), ("--require-all",)])
@pytest.mark.timeout(300)
async def test_a_run_of_which_nothing_can_work_ends_with_one_line(
    more: tuple[str, ...], tmp_path: Path
) -> None:
    text = (PARTIAL if more else NOTHING) % free_port()
    with closing(command(text, tmp_path, *more)) as running:
        await eventually(lambda: running.process.poll() is not None, within_s=3 * READY_S)
        assert running.process.returncode == 1
        (line,) = [line for line in running.said.splitlines() if "failed: " in line]
        assert "no answer from nats://127.0.0.1" in line
        assert "{" not in line
        await nothing_left(running, set())


HTTP = """
version: 1
system: http
event_services:
  a: {kind: memory}
  b: {kind: memory}
  c: {kind: siena, brokers: [x], settings: {index: S}}
brokers: {x: {kind: nats}}
gateways:
  g: {adapters: {a: {}, b: {}}}
  h: {adapters: {a: {}, c: {}}, http: {host: "%(own)s", port: %(own_port)d}}
http: {host: "%(host)s", port: %(port)d}
"""


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "0.0.0.0", "localhost"])  # noqa: S104 - an argument that is tried, not served
async def test_the_interface_of_a_run_and_of_a_gateway_is_where_the_file_says(
    host: str, tmp_path: Path
) -> None:
    if host == "::1" and not has_ipv6():
        pytest.skip("no IPv6 on this machine")
    port, own_port = free_port(), free_port()
    text = HTTP % {"host": host, "port": port, "own": host, "own_port": own_port}
    client = "[::1]" if host == "::1" else "127.0.0.1"
    with closing(command(text, tmp_path)) as running:
        await eventually(lambda: "gateways: 2 in 2" in running.said, within_s=READY_S)
        front = f"http://{client}:{port}"
        for name in ("g", "h"):
            answer = ask("GET", f"{front}/gateways/{name}/v1/adapters", timeout_s=10)
            assert answer.status_code == 200
            assert {one["service"] for one in answer.json()} >= {"a"}
        assert ask("GET", f"{front}/gateways", timeout_s=5).json() == ["/gateways/g", "/gateways/h"]
        assert ask("GET", f"{front}/readyz", timeout_s=5).json()["status"] == "ready"
        assert ask("GET", f"{front}/gateways/x/v1/adapters", timeout_s=5).status_code == 404
        own = ask("GET", f"http://{client}:{own_port}/v1/adapters", timeout_s=5)
        assert {one["service"] for one in own.json()} == {"a", "c"}
        request = {"type": "subscription", "source": "a", "dist_list": "b", "filter": ""}
        made = ask("POST", f"{front}/gateways/g/v1/requests", request, timeout_s=5)
        assert made.status_code == 202, made.text
        await running.end("SIGTERM")


async def test_an_address_that_is_taken_is_told_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        text = HTTP % {"host": "127.0.0.1", "port": port, "own": "127.0.0.1", "own_port": 0}
        with closing(command(text, tmp_path)) as running:
            await eventually(lambda: running.process.poll() is not None, within_s=READY_S)
            assert running.process.returncode == 1
            (line,) = [line for line in running.said.splitlines() if "failed: " in line]
            assert f"127.0.0.1:{port}: Address already in use" in line
