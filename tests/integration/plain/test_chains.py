"""Three systems in a row by one gateway: what it published at the middle one goes on to the last.

The gateway receives it there again as anybody does (rule F8), or its adapter leaves its own
publications out; then the last system requests them of the first one, too.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from eventservices.servers import NatsServer, ServerSpec
from fes.testing.eventually import eventually
from support.processes.foreign import Kafka, Mosquitto
from support.processes.plain_clients import NatsClient
from support.processes.running import Run

pytestmark = [pytest.mark.broker, pytest.mark.timeout(240)]

FILE = """
version: 1
system: row
brokers:
  first: {{kind: nats, url: "{first}"}}
  middle: {{kind: {kind}, url: "{url}"}}
  last: {{kind: nats, url: "{last}"}}
event_services:
  first: {{kind: nats, brokers: [first]}}
  middle: {{kind: {kind}, brokers: [middle], settings: {settings}}}
  last: {{kind: nats, brokers: [last]}}
gateways: {{gate: {{adapters: {{first: {{}}, middle: {{}}, last: {{}}}}}}}}
requests:
  - {{gateway: gate, type: subscription, source: middle, dist_list: first, filter: Reading}}
  - {{gateway: gate, type: subscription, source: last, dist_list: "{of}", filter: Reading}}
http: {{port: 0}}
"""


def kafka(folder: Path, stack: ExitStack) -> tuple[str, str]:
    broker = Kafka(folder)
    broker.start()
    stack.callback(broker.stop)
    broker.create("Reading", "FES_ControlEvent")
    return broker.url, "{}"


def mqtt5(folder: Path, stack: ExitStack) -> tuple[str, str]:
    broker = Mosquitto(folder)
    broker.start()
    stack.callback(broker.stop)
    return broker.mqtt_url, '{protocol: "5"}'


def nats(folder: Path, stack: ExitStack) -> tuple[str, str]:
    return stack.enter_context(NatsServer(ServerSpec("middle", folder / "middle"))).url, "{}"


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as made:
        yield made


@pytest.mark.parametrize(
    ("made", "of"),
    [
        (nats, "middle"),
        (nats, "middle, first"),
        (kafka, "middle, first"),
        (mqtt5, "middle, first"),
    ],
)
async def test_what_the_gateway_published_at_the_middle_system_comes_once_to_the_last(
    tmp_path: Path, stack: ExitStack, made: Any, of: str
) -> None:
    url, settings = made(tmp_path, stack)
    servers = [
        stack.enter_context(NatsServer(ServerSpec(name, tmp_path / name)))
        for name in ("first", "last")
    ]
    path = tmp_path / "federation.yaml"
    kind = "mqtt" if made is mqtt5 else made.__name__
    ends = {"first": servers[0].url, "last": servers[1].url}
    path.write_text(FILE.format(kind=kind, url=url, settings=settings, of=of, **ends), "utf-8")
    first, last = (NatsClient(each) for each in servers)
    run = Run(tmp_path, path)
    stack.callback(run.stop)
    run.start()
    await first.open("nothing")
    await last.open("Reading")
    sent = 0

    async def crossed(number: int) -> bool:
        nonlocal sent
        sent += 1
        await first.publish("Reading", {"n": sent})
        return len(last.got) >= number

    await eventually(lambda: crossed(1), 60.0, "an event of the first system")
    await eventually(lambda: crossed(20), 60.0, "more of them")
    numbers = [got.value["n"] for got in last.got]
    assert sorted(set(numbers)) == sorted(numbers)
    await first.close()
    await last.close()
