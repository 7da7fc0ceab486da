"""Replicas as processes: killed at random under load, and started again by `fes run`."""

import asyncio
import json
import os
import random
import signal
import sys
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from eventservices.servers import NatsServer, ServerSpec
from eventservices.siena import Client, Connection, Notification, where
from eventservices.stamp import Stamp
from fes.testing.eventually import eventually

pytestmark = pytest.mark.anyio

FILE = """
version: 1
system: test
brokers: {{nats: {{kind: nats, url: "{url}"}}}}
event_services:
  west: {{kind: siena, brokers: [nats], settings: {{index: FES_Subject}}}}
  east: {{kind: siena, brokers: [nats], settings: {{index: FES_Subject}}}}
gateways:
  g: {{adapters: {{west: {{}}, east: {{}}}}, store: {store}}}
requests:
  - {{gateway: g, type: subscription, source: east, dist_list: west,
      filter: "subject = 'Speed' AND rate > 30"}}
"""
SQLITE = "{kind: sqlite}"
JETSTREAM = '{{kind: jetstream, url: "{url}"}}'
REPLICAS = 3
ORIGINS = 12
START_S = 60.0
LOAD_S = 60.0
PAUSE_S = 0.02
KILLS = 5
BETWEEN_S = (2.0, 6.0)
SETTLE_S = 10.0


@dataclass
class Town:
    """A gateway with three replicas between two SIENA services."""

    folder: Path
    process: asyncio.subprocess.Process
    west: Connection
    east: Connection
    got: list[tuple[str, int]] = field(default_factory=list)

    def take(self, _: Notification, stamp: Stamp | None) -> None:
        """Note what the consumer in the east is given."""
        assert stamp is not None
        self.got.append((stamp.origin, stamp.sequence))

    def endpoints(self) -> dict[str, Any]:
        """Return where each replica is."""
        path = self.folder / "endpoints.json"
        told = json.loads(path.read_text()) if path.exists() else {"gateways": {}}
        found: dict[str, Any] = told["gateways"].get("g", {}).get("replicas", {})
        return found

    def ask(self, replica: str, path: str) -> Any:
        """Return what a replica answers."""
        url = self.endpoints()[replica]["url"]
        return httpx.get(url + path, timeout=5).raise_for_status().json()

    def living(self) -> dict[str, list[str]]:
        """Return what each replica says of who lives; of those that answer."""
        found = {}
        for name in self.endpoints():
            with suppress(httpx.HTTPError):
                found[name] = [one["name"] for one in self.ask(name, "/v1/replicas")]
        return found

    def applied(self, filter_: str) -> list[str]:
        """Return the replicas at which a subscription is applied."""
        found = []
        for name in self.endpoints():
            with suppress(httpx.HTTPError):
                listed = self.ask(name, "/v1/subscriptions")
                found += [name for one in listed if one["filter"] == filter_ and _applied(one)]
        return found

    def logged(self, adapter: str, decision: str) -> set[tuple[str, int]]:
        """Return the origins and sequence numbers of the events that an adapter decided so."""
        found = set()
        for path in self.folder.glob(f"logs/eventlog-{adapter}.*.jsonl"):
            for line in path.read_text().splitlines():
                record = json.loads(line)
                if record["decision"] == decision and record.get("id"):
                    origin, _, sequence = record["id"].split("/")
                    found.add((origin, int(sequence)))
        return found


def _applied(subscription: dict[str, Any]) -> bool:
    return [at["state"] for at in subscription["applied"]] == ["applied"]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module", params=["sqlite", "jetstream"])
async def town(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Town]:
    """A federation by `fes run`, once for each store."""
    folder = tmp_path_factory.mktemp(request.param)
    with (
        NatsServer(ServerSpec("events", folder)) as events,
        NatsServer(ServerSpec("journals", folder, jetstream=True)) as journals,
    ):
        store = SQLITE if request.param == "sqlite" else JETSTREAM.format(url=journals.url)
        (folder / "federation.yaml").write_text(FILE.format(url=events.url, store=store))
        async with running(folder, events.url) as found:
            yield found


def _connection(url: str, service: str) -> Connection:
    return Connection([url], service, index="FES_Subject")


@asynccontextmanager
async def running(folder: Path, url: str) -> AsyncIterator[Town]:
    """Run the federation; give it once the subscription is applied at every replica."""
    command = [sys.executable, "-m", "fes.cli.main", "run", str(folder / "federation.yaml")]
    command += ["--run", str(folder / "run"), "--replicas", f"g={REPLICAS}"]
    with (folder / "fes-run.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        async with _connection(url, "west") as west, _connection(url, "east") as east:
            town = Town(folder / "run", process, west, east)
            text = "subject = 'Speed' AND rate > 30"
            await eventually(lambda: len(town.applied(text)) == REPLICAS, START_S, "to begin")
            consumer = east.client("consumer")
            await consumer.subscribe(where(("FES_Subject", "=", "Speed")), town.take)
            yield town
    finally:
        process.send_signal(signal.SIGINT)
        await asyncio.wait_for(process.wait(), 30)


async def test_a_request_injected_at_one_replica_is_applied_at_all(town: Town) -> None:
    def everywhere(text: str) -> bool:
        return len(town.applied(text)) == REPLICAS

    await eventually(lambda: list(town.living().values()) == [["r1", "r2", "r3"]] * 3, 15)
    for name in town.endpoints():
        text = f"subject = 'Asked{name}'"
        body = {"type": "subscription", "source": "east", "dist_list": "west", "filter": text}
        url = town.endpoints()[name]["url"]
        async with httpx.AsyncClient(timeout=5) as http:
            answer = await http.post(f"{url}/v1/requests", json=body)
        assert answer.status_code == httpx.codes.ACCEPTED, answer.text
        await eventually(partial(everywhere, text), 15, f"{text} at all")


@pytest.mark.timeout(5 * LOAD_S)
async def test_replicas_killed_at_random_double_nothing_and_every_loss_is_accounted_for(
    town: Town,
) -> None:
    sent: dict[tuple[str, int], float] = {}
    kills: list[tuple[float, float]] = []
    town.got.clear()
    publishers = [town.west.client(f"car{number}") for number in range(ORIGINS)]
    enough = asyncio.Event()
    loading = asyncio.create_task(_load(publishers, sent, enough))
    rng = random.Random(7)
    deadline = time.monotonic() + LOAD_S
    while time.monotonic() < deadline or len(kills) < KILLS:
        await asyncio.sleep(rng.uniform(*BETWEEN_S))
        kills.append(await _kill_one(town, rng))
    enough.set()
    await loading
    await asyncio.sleep(1.0)
    await eventually(lambda: _is_still(town), 20, "the last events to arrive")

    assert len(town.got) == len(set(town.got)), "an event came twice"
    by_origin: dict[str, list[int]] = defaultdict(list)
    for origin, sequence in town.got:
        by_origin[origin].append(sequence)
    assert all(numbers == sorted(numbers) for numbers in by_origin.values()), "out of order"
    lost = sent.keys() - set(town.got)
    assert len(town.got) > len(sent) / 2
    heard, published = town.logged("g.west", "received"), town.logged("g.east", "published")
    assert lost == (sent.keys() - published), "lost where nobody tells"
    assert sent.keys() <= heard
    away = [each for each in lost if not _is_excused(sent[each], kills)]
    assert not away, (away[:5], kills)


async def _load(
    publishers: list[Client], sent: dict[tuple[str, int], float], enough: asyncio.Event
) -> None:
    numbers = [0] * len(publishers)
    while not enough.is_set():
        for index, publisher in enumerate(publishers):
            numbers[index] += 1
            wanted = numbers[index] % 4 != 0
            rate = 40.0 if wanted else 20.0
            await publisher.publish({"FES_Subject": "Speed", "rate": rate})
            if wanted:
                sent[f"car{index}", numbers[index]] = time.monotonic()
        await asyncio.sleep(PAUSE_S)


async def _kill_one(town: Town, rng: random.Random) -> tuple[float, float]:
    """Kill a replica; return from when until when it, or its part, was away."""
    name = rng.choice(sorted(town.endpoints()))
    began = time.monotonic()
    pid = town.endpoints()[name]["pid"]
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    await eventually(lambda: town.endpoints()[name]["pid"] not in (None, pid), 30, "a restart")
    await eventually(lambda: len(town.living()) == REPLICAS, 30, "all to answer")
    return began, time.monotonic()


async def _is_still(town: Town) -> bool:
    before = len(town.got)
    await asyncio.sleep(0.5)
    return len(town.got) == before


def _is_excused(at: float, kills: list[tuple[float, float]]) -> bool:
    return any(began - 1.0 <= at <= ended + SETTLE_S for began, ended in kills)
