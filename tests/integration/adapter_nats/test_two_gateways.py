"""Two gateways between the same two plain systems: nothing goes round, nothing comes twice."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nats
import pytest
from eventservices.servers import NatsServer, ServerSpec
from fes.testing.eventually import eventually
from nats.aio.client import Client
from nats.aio.msg import Msg

pytestmark = [pytest.mark.broker, pytest.mark.timeout(180)]

FILE = """
version: 1
system: twice
brokers:
  east: {{kind: nats, url: "{east}"}}
  west: {{kind: nats, url: "{west}"}}
event_services:
  east: {{kind: nats, brokers: [east]}}
  west: {{kind: nats, brokers: [west]}}
gateways:
  one: {{adapters: {{east: {{}}, west: {{}}}}}}
  two:
    adapters:
      east: {{settings: {{stamped: {stamped}}}}}
      west: {{settings: {{stamped: true}}}}
requests:
  - {{gateway: one, type: subscription, source: west, dist_list: east,
      filter: "subject = 'Reading'"}}
  - {{gateway: one, type: subscription, source: east, dist_list: west,
      filter: "subject = 'Reading'"}}
  - {{gateway: two, type: subscription, source: west, dist_list: east,
      filter: "subject = 'Reading'"}}
  - {{gateway: two, type: subscription, source: east, dist_list: west,
      filter: "subject = 'Reading'"}}
http: {{port: 0}}
"""


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[NatsServer, NatsServer]]:
    with (
        NatsServer(ServerSpec("east", tmp_path / "east")) as east,
        NatsServer(ServerSpec("west", tmp_path / "west")) as west,
    ):
        yield east, west


def file(folder: Path, servers: tuple[NatsServer, NatsServer], *, stamped: bool = True) -> Path:
    path = folder / "federation.yaml"
    urls = {"east": servers[0].url, "west": servers[1].url}
    path.write_text(FILE.format(**urls, stamped="true" if stamped else "false"))
    return path


async def listened(client: Client) -> list[int]:
    got: list[int] = []

    async def take(message: Msg) -> None:
        got.append(json.loads(message.data)["n"])

    await client.subscribe("Reading", cb=take)
    await client.flush()
    return got


async def publish(client: Client, number: int) -> None:
    await client.publish("Reading", json.dumps({"n": number}).encode())
    await client.flush()


def start(folder: Path, path: Path) -> subprocess.Popen[bytes]:
    words = (sys.executable, "-m", "fes.cli.main", "run", str(path), "--run", str(folder / "run"))
    with (folder / "out").open("wb") as out:
        return subprocess.Popen(words, stdout=out, stderr=out, cwd=folder)


async def test_everyone_gets_everything_once(
    tmp_path: Path, servers: tuple[NatsServer, NatsServer]
) -> None:
    """D14."""
    process = start(tmp_path, file(tmp_path, servers))
    east, west = [await nats.connect(server.url) for server in servers]
    try:
        at_east, at_west = await listened(east), await listened(west)

        async def crosses() -> bool:
            await publish(east, -1)
            await publish(west, -2)
            return -1 in at_west and -2 in at_east

        await eventually(crosses, 90.0, "an event each way")
        for number in range(1, 201):
            await publish(east if number % 2 else west, number)
        await eventually(lambda: {*range(1, 201)} <= set(at_east) & set(at_west), 30.0)
        await publish(west, 1000)
        await publish(east, 1001)
        await eventually(lambda: 1000 in at_east and 1001 in at_west)
        for got in (at_east, at_west):
            assert sorted(number for number in got if 0 < number < 1000) == [*range(1, 201)]
    finally:
        await east.close()
        await west.close()
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def test_two_gateways_that_would_both_stamp_are_refused(
    tmp_path: Path, servers: tuple[NatsServer, NatsServer]
) -> None:
    for stamped, status in ((True, 0), (False, 1)):
        path = file(tmp_path, servers, stamped=stamped)
        words = (sys.executable, "-m", "fes.cli.main", "validate", str(path))
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) is (status == 0), done.stdout + done.stderr
        if status:
            assert "only one gateway may be attached" in done.stdout + done.stderr
            assert "set stamped: true at all others of them" in done.stdout + done.stderr
