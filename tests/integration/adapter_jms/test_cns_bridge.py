"""CNS and JMS as the Mannheim bridge connects them, with the example's file, over a kill."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from eventservices.cns import ClientType, Connection, StructuredEvent, structured_event
from eventservices.servers import NatsServer, ServerSpec
from fes.testing.eventually import eventually
from integration.adapter_cns.natives import Client
from support.processes.activemq import ActiveMq
from support.processes.running import Run
from support.processes.stomping import JmsClient

pytestmark = [pytest.mark.broker, pytest.mark.timeout(300)]

EXAMPLE = Path(__file__).parents[3] / "examples/cns-jms/federation.yaml"


@asynccontextmanager
async def channel_client(url: str, channel: str = "traffic") -> AsyncIterator[tuple[Client, Any]]:
    """Connect a native client of a channel: what it receives, and what it pushes with."""
    client = Client()
    async with Connection(url) as connection, await connection.open_channel(channel) as opened:
        pushing = opened.for_suppliers().obtain_notification_push_consumer(
            ClientType.STRUCTURED_EVENT
        )
        await pushing.connect_structured_push_supplier()
        receiving = opened.for_consumers().obtain_notification_push_supplier(
            ClientType.STRUCTURED_EVENT
        )
        await receiving.connect_structured_push_consumer(client)
        yield client, pushing


def speed(rate: float, plate: str, priority: int = 0) -> StructuredEvent:
    return structured_event(
        ("Traffic", "Speed"),
        "measured",
        filterable_data={"rate": rate, "license_no": plate},
        variable_header={"Priority": priority, "Timeout": 600_000_000},
    )


async def test_structured_events_become_messages_and_messages_structured_events(
    tmp_path: Path, broker: ActiveMq
) -> None:
    with NatsServer(ServerSpec("vehicles", tmp_path / "nats")) as server:
        path = tmp_path / "federation.yaml"
        text = EXAMPLE.read_text("utf-8")
        text = text.replace("stomp://127.0.0.1:61613", broker.url)
        path.write_text(
            text.replace(
                "vehicles: {kind: nats}", f'vehicles: {{kind: nats, url: "{server.url}"}}'
            ),
            "utf-8",
        )
        run = Run(tmp_path, path)
        run.start()
        try:
            async with channel_client(server.url) as (native, pushing):
                await _crosses(broker, native, pushing)
        finally:
            run.stop()


async def _crosses(broker: ActiveMq, native: Client, pushing: Any) -> None:
    with JmsClient(broker.port) as jms:
        jms.subscribe("/topic/traffic.speed", selector="JMSType = 'Speed' AND rate > 46.0")

        async def arrived() -> bool:
            await pushing.push_structured_event(speed(30.0, "slow"))
            await pushing.push_structured_event(speed(50.0, "fast", 32767))
            return bool(jms.messages)

        await eventually(arrived, 60.0, "a message of a structured event")
        for headers, body in tuple(jms.messages):
            assert (headers["type"], headers["license_no"], headers["rate"]) == (
                "Speed", "fast", "50.0",
            )  # fmt: skip
            assert (headers["priority"], headers["EventName"]) == ("9", "measured")
            assert int(headers["expires"]) > int(headers["timestamp"])
            assert b'"rate":50.0' in body

        def limited() -> bool:
            found = {"type": "Limit", "region": "west", "priority": "8"}
            jms.send_as("/topic/traffic.limit", b'{"zone": "a"}', {**found, "limit": "60.0"})
            jms.send_as("/topic/traffic.limit", b'{"zone": "b"}', {**found, "limit": "30.0"})
            return any(each.event_type.type_name == "Limit" for each in native.events)

        await eventually(limited, 60.0, "a structured event of a message")
        limits = [each for each in native.events if each.event_type.type_name == "Limit"]
        assert {each.filterable_data["limit"] for each in limits} == {30.0}
        assert limits[0].filterable_data["zone"] == "b"
        header = limits[0].header.variable_header
        assert (header["Priority"], header["JMSType"], header["region"]) == (26214, "Limit", "west")
