"""What a stream of JetStream promises, and what persistent events do not rest on."""

import asyncio
from collections.abc import Iterator

import pytest
from eventservices.cns import ClientType, Connection, StructuredEvent, structured_event
from eventservices.cns.persistent import publisher, streams
from eventservices.cns.persistent.names import stream_name
from eventservices.cns.subjects import channel_token
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import Stamp
from fes.testing.eventually import eventually
from integration.cns.stored import durable_consumer, opened
from support.processes.proxy import Proxy

pytestmark = pytest.mark.broker


class Display:
    """Keeps the numbers of the events that it gets."""

    def __init__(self) -> None:
        self.numbers: list[object] = []

    def push_structured_event(self, event: StructuredEvent, _: Stamp | None) -> None:
        self.numbers.append(event.filterable_data["number"])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    folder = tmp_path_factory.mktemp("streams")
    with NatsServer(ServerSpec("streams", folder, jetstream=True)) as started:
        yield started


def reading(number: int) -> StructuredEvent:
    return structured_event(("", "Reading"), filterable_data={"number": number})


async def stored(connection: Connection, channel: str) -> int:
    """Return how many messages the channel's stream has taken in so far."""
    jetstream = connection.link.client.jetstream()
    info = await jetstream.stream_info(stream_name(channel_token(channel)))
    return info.state.last_seq


async def test_an_acknowledgement_that_stays_out_is_no_reason_to_store_an_event_twice(
    store: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows what became of it; the same identity is sent again over a new connection."""
    monkeypatch.setattr(publisher, "ANSWER_TIMEOUT_S", 0.3)
    display = Display()
    async with (
        Proxy(store.port) as proxy,
        Connection(f"nats://127.0.0.1:{proxy.port}", name="car") as car,
        Connection(store.url, name="city") as city,
    ):
        await durable_consumer(await opened(city, "unanswered"), display)
        channel = await opened(car, "unanswered")
        supplier = channel.default_supplier_admin.obtain_notification_push_consumer(
            ClientType.STRUCTURED_EVENT
        )
        await supplier.connect_structured_push_supplier(origin="car")
        await supplier.push_structured_event(reading(1))
        made = proxy.connections

        proxy.deafen()
        pushing = asyncio.create_task(supplier.push_structured_event(reading(2)))
        await eventually(lambda: display.numbers == [1, 2], what="the broker has it")
        await asyncio.wait_for(pushing, 20)

        assert proxy.connections > made
        assert await stored(city, "unanswered") == 2
        await supplier.push_structured_event(reading(3))
        await eventually(lambda: display.numbers == [1, 2, 3])


async def test_an_identity_that_comes_after_the_brokers_window_is_delivered_once_all_the_same(
    store: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "DUPLICATE_WINDOW_S", 0.1)
    display = Display()
    async with (
        Connection(store.url, name="car") as car,
        Connection(store.url, name="city") as city,
    ):
        await durable_consumer(await opened(city, "late"), display)
        channel = await opened(car, "late")
        supplier = channel.default_supplier_admin.obtain_notification_push_consumer(
            ClientType.STRUCTURED_EVENT
        )
        await supplier.connect_structured_push_supplier(origin="car")
        stamp = await supplier.push_structured_event(reading(1))

        async def stored_again() -> bool:
            await supplier.push_structured_event(reading(1), stamp=stamp)
            return await stored(city, "late") >= 3

        await eventually(stored_again, what="the broker has forgotten the identity")
        await supplier.push_structured_event(reading(2))
        await eventually(lambda: 2 in display.numbers)
        assert display.numbers == [1, 2]
