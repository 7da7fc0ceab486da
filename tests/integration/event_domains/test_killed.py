"""The service and a broker are killed under load; the domain goes on as it was."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Final

import pytest
from eventservices.cns import ClientType, Connection, StructuredEvent, structured_event
from eventservices.natslink import LinkOptions
from eventservices.ports import free_port
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import Stamp
from integration.event_domains.conftest import Service

pytestmark = [pytest.mark.broker, pytest.mark.timeout(240)]

EVENTS: Final = 600
STRUCTURED: Final = ClientType.STRUCTURED_EVENT
LINK: Final = LinkOptions(open_timeout_s=10.0, probe_interval_s=0.5, probe_timeout_s=2.0)


@pytest.fixture
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    folder = tmp_path_factory.mktemp("nats")
    with NatsServer(ServerSpec("other", folder, jetstream=True, port=free_port())) as started:
        yield started


class Counting:
    """Is a consumer that counts events by name, persistent and best-effort ones apart."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {"kept": Counter(), "quick": Counter()}

    def push_structured_event(self, event: StructuredEvent, _stamp: Stamp | None) -> None:
        self.counts[event.event_type.type_name][event.event_name] += 1


async def test_persistent_events_are_neither_lost_nor_doubled_when_parts_are_killed(
    service: Service, broker: NatsServer, other: NatsServer
) -> None:
    service.ask("POST", "", {})
    for server in (broker, other):
        service.ask("POST", "/0/channels", {"broker": server.url, "channel": "load"})
    body = {"supplier_id": 0, "consumer_id": 1, "ctype": "STRUCTURED_EVENT"}
    service.ask("POST", "/0/connections", body)
    before = service.ask("GET", "/0/channels")
    consumer = Counting()
    async with Connection(broker.url, link=LINK) as here, Connection(other.url, link=LINK) as there:
        channel = await there.open_channel("load", qos={"ConnectionReliability": 1})
        reader = channel.for_consumers().obtain_notification_push_supplier(STRUCTURED)
        await reader.connect_structured_push_consumer(consumer, durable="reader", repetitions=True)
        source = await here.open_channel("load", qos={"ConnectionReliability": 1})
        supplier = source.for_suppliers().obtain_notification_push_consumer(STRUCTURED)
        await supplier.connect_structured_push_supplier()

        async def publish() -> None:
            for number in range(EVENTS):
                persistent = {"EventReliability": 1}
                kept = structured_event(("D", "kept"), str(number), variable_header=persistent)
                await supplier.push_structured_event(kept)
                with contextlib.suppress(ConnectionError):
                    await supplier.push_structured_event(
                        structured_event(("D", "quick"), str(number))
                    )

        def came() -> int:
            return len(consumer.counts["kept"])

        async def until(count: int) -> None:
            while came() < min(count, EVENTS):
                if publishing.done():
                    publishing.result()
                await asyncio.sleep(0.01)

        publishing = asyncio.create_task(publish())
        await until(50)
        service.kill()
        await asyncio.to_thread(service.start)
        await until(came() + 50)
        other.kill()
        await asyncio.to_thread(other.start)
        await until(came() + 50)
        service.kill()
        await asyncio.to_thread(service.start)
        await publishing
        await until(EVENTS)
    assert consumer.counts["kept"] == {str(number): 1 for number in range(EVENTS)}
    assert set(consumer.counts["quick"].values()) <= {1}
    after = service.ask("GET", "/0/channels")
    assert [each["id"] for each in after] == [each["id"] for each in before]
    assert [each["id"] for each in service.ask("GET", "/0/connections")] == [0]
    service.wait(service.runs)
