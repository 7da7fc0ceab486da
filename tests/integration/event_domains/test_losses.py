"""Best-effort events that are lost while parts are killed are counted exactly, and reported."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, Final

import pytest
from eventservices.cns import ClientType, Connection, StructuredEvent, structured_event
from eventservices.missing import Missing
from eventservices.natslink import LinkOptions
from eventservices.servers import NatsServer
from eventservices.stamp import Stamp
from integration.event_domains.conftest import Service

pytestmark = [pytest.mark.broker, pytest.mark.timeout(240)]

STRUCTURED: Final = ClientType.STRUCTURED_EVENT
LINK: Final = LinkOptions(open_timeout_s=10.0, probe_interval_s=0.5, probe_timeout_s=2.0)
Interruption = Callable[[Service, NatsServer], Coroutine[Any, Any, None]]


class Receiving:
    """Is a consumer that counts what it received, and what lies between."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.missing = Missing()

    def push_structured_event(self, event: StructuredEvent, stamp: Stamp | None) -> None:
        self.names.append(event.event_name)
        assert stamp is not None
        self.missing.came(stamp)


async def kill_the_service(service: Service, _broker: NatsServer) -> None:
    service.kill()
    await asyncio.to_thread(service.start)


async def kill_the_broker(_service: Service, broker: NatsServer) -> None:
    broker.kill()
    await asyncio.to_thread(broker.start)


@pytest.mark.parametrize("interrupt", [kill_the_service, kill_the_broker])
async def test_what_is_lost_while_a_part_is_killed_is_counted(
    service: Service, broker: NatsServer, interrupt: Interruption
) -> None:
    service.ask("POST", "", {})
    for name in ("near", "far"):
        service.ask("POST", "/0/channels", {"broker": broker.url, "channel": name})
    body = {"supplier_id": 0, "consumer_id": 1, "ctype": "STRUCTURED_EVENT"}
    service.ask("POST", "/0/connections", body)
    consumer, published = Receiving(), 0
    async with Connection(broker.url, link=LINK) as connection:
        far = await connection.open_channel("far")
        reader = far.for_consumers().obtain_notification_push_supplier(STRUCTURED)
        await reader.connect_structured_push_consumer(consumer)
        near = await connection.open_channel("near")
        supplier = near.for_suppliers().obtain_notification_push_consumer(STRUCTURED)
        await supplier.connect_structured_push_supplier()

        async def publish(until: Callable[[], bool]) -> None:
            nonlocal published
            while not until():
                published += 1
                with contextlib.suppress(ConnectionError):
                    event = structured_event(("D", "T"), str(published))
                    await supplier.push_structured_event(event)
                await asyncio.sleep(0.001)

        await publish(lambda: len(consumer.names) >= 50)
        for _ in range(2):
            interrupting = asyncio.create_task(interrupt(service, broker))
            await publish(interrupting.done)
            await interrupting
            enough = len(consumer.names) + 50
            await publish(lambda: len(consumer.names) >= enough)  # noqa: B023 - awaited here
        last = str(published)
        while last not in consumer.names[-1:]:  # noqa: ASYNC110 - of events that a callback counts
            await asyncio.sleep(0.01)
    lost = published - len(consumer.names)
    assert len(set(consumer.names)) == len(consumer.names)
    assert lost > 0
    assert consumer.missing.total == lost
    counters = service.ask("GET", "/0/connections/0")["counters"]
    counted = counters["lost"] + counters["missing"]
    if interrupt is kill_the_service:
        assert counted - counters["in_doubt"] <= lost <= counted, counters
    else:  # what the broker had of the far channel when it was killed is beyond the service
        assert 0 < counted <= lost + counters["in_doubt"], counters
    metrics = await asyncio.to_thread(service.metrics)
    assert f'outcome="missing"}} {counters["missing"]:.1f}' in metrics
