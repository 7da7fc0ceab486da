"""The broker is killed under a persistent stream: none lost, none doubled, order kept."""

import asyncio
from functools import partial

import pytest
from eventservices.cns import ClientType, Connection, EventChannel
from eventservices.natslink import LinkOptions
from eventservices.servers import NatsServer
from integration.cns.conftest import Eventually
from integration.cns.stored import Numbers, durable_consumer, numbered, opened

pytestmark = pytest.mark.broker

EVENTS = 20_000
BATCH = 250
KILLS = 3
PATIENCE_S = 60.0


async def supply(channel: EventChannel) -> None:
    proxy = channel.default_supplier_admin.obtain_notification_push_consumer(
        ClientType.SEQUENCE_EVENT
    )
    await proxy.connect_sequence_push_supplier(origin="supplier")
    for start in range(0, EVENTS, BATCH):
        batch = [numbered(number) for number in range(start, start + BATCH)]
        await proxy.push_structured_events(batch)


def reached(consumer: Numbers, goal: int) -> bool:
    return len(consumer.got) >= goal


async def kill(server: NatsServer, consumer: Numbers, eventually: Eventually) -> list[int]:
    """Kill the broker in the midst of events, and start it again on the same port."""
    landed = []
    for part in range(1, KILLS + 1):
        goal = part * EVENTS // (KILLS + 1)
        await eventually(partial(reached, consumer, goal))
        await asyncio.to_thread(server.kill)
        assert server.status == -9
        landed.append(len(consumer.got))
        await asyncio.to_thread(server.start)
    return landed


async def test_a_stream_of_20_000_events_survives_the_death_of_its_broker(
    mortal_server: NatsServer, eventually: Eventually
) -> None:
    link = LinkOptions(probe_interval_s=0.5, probe_timeout_s=1.0)
    consumer = Numbers()
    async with (
        Connection(mortal_server.url, name="consumer", link=link) as here,
        Connection(mortal_server.url, name="supplier", link=link) as there,
        asyncio.timeout(PATIENCE_S),
    ):
        proxy = await durable_consumer(await opened(here, "channel"), consumer)
        supplying = asyncio.create_task(supply(await opened(there, "channel")))
        landed = await kill(mortal_server, consumer, eventually)
        await supplying
        await eventually(lambda: len(consumer.got) >= EVENTS)

    assert all(0 < count < EVENTS for count in landed), "each kill struck in the midst"
    assert there._storage.keeper.breaks > 0  # two kills may be one break for who connects anew
    assert consumer.got == list(range(EVENTS))
    assert proxy.failed == 0
