"""MQTT, NATS and Kafka joined by several gateways, each part of which is away for a while."""

import asyncio
import os
import signal
from collections import Counter
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from eventservices.servers import NatsServer, ServerSpec
from fes.testing.eventually import eventually
from support.processes.foreign import Kafka, Mosquitto
from support.processes.halted import halt, resume
from support.processes.plain_clients import KafkaClient, MqttClient, NatsClient, PlainClient
from support.processes.running import Run

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(600)]

TOPIC = "Reading"
AWAY_S = 2.0
"""How long a broker is away."""

PAIR = """
version: 1
system: outages
brokers:
  house: {{kind: mqtt, url: "{house}"}}
  yard: {{kind: nats, url: "{yard}"}}
event_services:
  house: {{kind: mqtt, brokers: [house], settings: {{protocol: "5"}}}}
  yard: {{kind: nats, brokers: [yard]}}
gateways:
  one: {{adapters: {{house: {{}}, yard: {{}}}}}}
  two:
    adapters:
      house: {{settings: {{stamped: true}}}}
      yard: {{settings: {{stamped: true}}}}
requests:
  - {{gateway: one, type: subscription, source: house, dist_list: yard, filter: Reading}}
  - {{gateway: one, type: subscription, source: yard, dist_list: house, filter: Reading}}
  - {{gateway: two, type: subscription, source: house, dist_list: yard, filter: Reading}}
  - {{gateway: two, type: subscription, source: yard, dist_list: house, filter: Reading}}
http: {{port: 0}}
"""

TRIANGLE = """
version: 1
system: outages
brokers:
  house: {{kind: mqtt, url: "{house}"}}
  yard: {{kind: nats, url: "{yard}"}}
  log: {{kind: kafka, url: "{log}"}}
event_services:
  house: {{kind: mqtt, brokers: [house], settings: {{protocol: "5"}}}}
  yard: {{kind: nats, brokers: [yard]}}
  log: {{kind: kafka, brokers: [log]}}
gateways:
  one: {{adapters: {{house: {{}}, yard: {{}}}}}}
  two: {{adapters: {{yard: {{settings: {{stamped: true}}}}, log: {{}}}}}}
  three: {{adapters: {{log: {{}}, house: {{settings: {{stamped: true}}}}}}}}
requests:
  - {{gateway: one, type: subscription, source: house, dist_list: "yard, log", filter: Reading}}
  - {{gateway: one, type: subscription, source: yard, dist_list: "house, log", filter: Reading}}
  - {{gateway: two, type: subscription, source: log, dist_list: "house, yard", filter: Reading}}
http: {{port: 0}}
"""

GATEWAYS = {PAIR: ("one", "two"), TRIANGLE: ("one", "two", "three")}


class Systems:
    """The brokers, a plain client of each, and what was published."""

    def __init__(self, folder: Path, file: str, stack: ExitStack) -> None:
        self.house = Mosquitto(folder)
        self.house.start()
        stack.callback(self.house.stop)
        self.yard = stack.enter_context(NatsServer(ServerSpec("yard", folder / "yard")))
        urls = {"house": self.house.mqtt_url, "yard": self.yard.url}
        self.clients: dict[str, PlainClient] = {
            "house": MqttClient(self.house),
            "yard": NatsClient(self.yard),
        }
        self.away: dict[str, Callable[[], Awaitable[None]]] = {
            "house": self._house_away,
            "yard": self._yard_away,
        }
        if file == TRIANGLE:
            self.log = Kafka(folder)
            self.log.start()
            stack.callback(self.log.stop)
            self.log.create(TOPIC, "FES_ControlEvent")
            urls["log"] = self.log.url
            self.clients["log"] = KafkaClient(self.log)
            self.away["log"] = self._log_away
        self.path = folder / "federation.yaml"
        self.path.write_text(file.format(**urls), "utf-8")
        self.sent = 0

    async def publish(self) -> set[int]:
        """Publish one event at each system; return their numbers."""
        first = self.sent
        for client in self.clients.values():
            await client.publish(TOPIC, {"n": self.sent})
            self.sent += 1
        return set(range(first, self.sent))

    def got(self, name: str) -> Counter[int]:
        return Counter(each.value["n"] for each in self.clients[name].got)

    def have(self, numbers: set[int]) -> bool:
        return all(numbers <= self.got(name).keys() for name in self.clients)

    async def crosses(self) -> bool:
        """Publish events at each, and return whether all have come to all, and none twice.

        While a gateway starts, the others do not know yet that it is back: an event may get a copy.
        """
        sent = set.union(*[await self.publish() for _ in range(5)])
        for _ in range(20):
            await asyncio.sleep(0.05)
            if self.have(sent):
                await asyncio.sleep(0.2)  # a copy would follow
                return not any(self.got(name)[n] > 1 for name in self.clients for n in sent)
        return False

    async def _house_away(self) -> None:
        self.house.kill()
        await asyncio.sleep(AWAY_S)
        self.house.start()

    async def _yard_away(self) -> None:
        self.yard.kill()
        await asyncio.sleep(AWAY_S)
        self.yard.start()

    async def _log_away(self) -> None:
        """Halt it: the broker of the tests keeps all in memory, and would forget it if killed."""
        halt(self.log)
        await asyncio.sleep(AWAY_S)
        resume(self.log)


def is_replaced(run: Run, pid: int, gateways: int) -> bool:
    """Return whether a gateway that was killed is started again."""
    now = run.gateways()
    return pid not in now and len(now) == gateways


@pytest.mark.parametrize("file", [PAIR, TRIANGLE], ids=["two gateways", "triangle"])
async def test_each_event_comes_once_everywhere_whatever_part_was_away(
    file: str, tmp_path: Path
) -> None:
    """D14 and D16: no loop, no copy, and after each outage all is as before."""
    with ExitStack() as stack:
        systems = Systems(tmp_path, file, stack)
        run = Run(tmp_path, systems.path, apart=GATEWAYS[file])
        run.start()
        stack.callback(run.stop)
        for client in systems.clients.values():
            await client.open(TOPIC)
        try:
            calm: set[int] = set()
            all_of_them = len(GATEWAYS[file])

            async def all_comes_once(after: str) -> None:
                await eventually(systems.crosses, 120.0, f"an event of each everywhere: {after}")
                sent = set.union(*[await systems.publish() for _ in range(20)])
                await eventually(lambda: systems.have(sent), 60.0, f"all everywhere: {after}")
                calm.update(sent)

            await all_comes_once("the start")
            for name, away in systems.away.items():
                await away()
                await all_comes_once(f"broker {name} was away")
            for number, pid in enumerate(sorted(run.gateways())):
                os.kill(pid, signal.SIGKILL)
                await eventually(partial(is_replaced, run, pid, all_of_them))
                await all_comes_once(f"gateway {number} was killed")
            for name in systems.clients:
                doubled = {n: times for n, times in systems.got(name).items() if times > 1}
                assert not doubled.keys() & calm, f"{name} got some twice: {doubled}"
                assert all(times <= all_of_them for times in doubled.values()), "it goes round"
        finally:
            run.stop()
            for client in systems.clients.values():
                await client.close()
