"""A domain of channels of the CNS and a topic of JMS: events both ways, and the cycle is found."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from eventservices.cns import structured_event
from eventservices.ports import free_port
from eventservices.servers import NatsServer
from fes.testing.eventually import eventually
from integration.adapter_jms.test_cns_bridge import channel_client
from integration.event_domains.conftest import Service
from support.processes.activemq import ActiveMq
from support.processes.running import Run
from support.processes.stomping import JmsClient

pytestmark = [pytest.mark.broker, pytest.mark.timeout(300)]

FILE = """
version: 1
system: domain
brokers:
  nats: {{kind: nats, url: "{nats}"}}
  mq: {{kind: jms, url: "{mq}"}}
event_services:
  cns-1: {{kind: cns, brokers: [nats], settings: {{channel: one}}}}
  jms-1: {{kind: jms, brokers: [mq]}}
  cns-2: {{kind: cns, brokers: [nats], settings: {{channel: two}}}}
gateways:
  gate: {{adapters: {{cns-1: {{}}, jms-1: {{}}, cns-2: {{}}}}}}
http: {{host: 127.0.0.1, port: {port}}}
"""


@pytest.fixture
def mq(tmp_path: Path) -> Iterator[ActiveMq]:
    running = ActiveMq(tmp_path)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def gateway(tmp_path: Path, broker: NatsServer, mq: ActiveMq) -> Iterator[str]:
    """Run a gateway at all three; returns its address."""
    port = free_port()
    path = tmp_path / "federation.yaml"
    path.write_text(FILE.format(nats=broker.url, mq=mq.url, port=port), "utf-8")
    run = Run(tmp_path, path)
    run.start()
    yield f"http://127.0.0.1:{port}"
    run.stop()


def join(service: Service, supplier: int, consumer: int, status: int | None = None) -> object:
    body = {"supplier_id": supplier, "consumer_id": consumer}
    return service.ask("POST", "/0/connections", body, status=status)


async def test_events_cross_both_ways_and_a_cycle_is_found_with_its_members(
    service: Service, broker: NatsServer, mq: ActiveMq, gateway: str
) -> None:
    service.ask("POST", "", {"qos": {"CycleDetection": 1, "DiamondDetection": 1}})
    for name, channel in (("cns-1", "one"), ("jms-1", "jms-1"), ("cns-2", "two")):
        at = "" if name == "jms-1" else broker.url
        body = {"broker": at, "channel": channel, "service": name, "gateway": gateway}
        service.ask("POST", "/0/channels", body)

    service.wait(lambda: httpx.get(f"{gateway}/readyz", trust_env=False).is_success, 90.0)
    join(service, 0, 1)
    join(service, 1, 2)
    for ends, cycle in (((2, 0), [0, 1, 2]), ((1, 0), [0, 1]), ((2, 1), [1, 2])):
        problem = join(service, *ends, status=409)
        assert isinstance(problem, dict)
        assert problem["error"] == "CycleCreationForbidden"
        assert sorted(problem["data"]["cyc"]) == cycle

    async with (
        channel_client(broker.url, "one") as (_, pushing),
        channel_client(broker.url, "two") as (second, _),
    ):
        with JmsClient(mq.port) as jms:
            jms.subscribe("/topic/Speed")

            async def crossed() -> bool:
                event = structured_event(("", "Speed"), "Speed", filterable_data={"rate": 50.0})
                await pushing.push_structured_event(event)
                jms.send_as("/topic/Limit", b'{"limit": 30}', {})
                types = {each.event_type.type_name for each in second.events}
                return bool(jms.messages) and types >= {"Speed", "Limit"}

            await eventually(crossed, 60.0, "events of the first channel, and of JMS")
            assert json.loads(jms.messages[0][1]) == {"rate": 50.0}
