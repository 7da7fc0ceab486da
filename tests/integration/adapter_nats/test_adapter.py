"""What plain NATS clients do to the adapter, and what it makes of them, on a real server."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import nats
import pytest
from adapter_nats import NatsAdapter
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import HEADER, Stamp, pack
from fes.adapter.pool import ConnectionPool
from fes.link.messages import Subscribe, Unsubscribe
from fes.model import Event
from fes.testing.conformance.bench import Captured, captured
from fes.testing.conformance.events import publication
from fes.testing.eventually import eventually
from nats.aio.client import Client
from nats.aio.msg import Msg
from support.processes.contexts import adapter_context

pytestmark = pytest.mark.broker

STAMP = Stamp("far", 1, 2, 3, "away")
ROUTES = [{"subject": "sensors.{room}.{quantity}", "event": "Reading"}]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("plain", tmp_path_factory.mktemp("plain"))) as running:
        yield running


@pytest.fixture
async def client(server: NatsServer) -> AsyncIterator[Client]:
    made = await nats.connect(server.url)
    yield made
    await made.close()


@asynccontextmanager
async def gateway(server: NatsServer, **settings: Any) -> AsyncIterator[Captured]:
    context = adapter_context(
        "a", "plain", NatsAdapter, ConnectionPool(), settings=settings, brokers=(server.url,)
    )
    async with captured(NatsAdapter(context)) as found:
        yield found


def counted(gateway: Captured, name: str) -> int:
    counters = gateway.runtime.counted().counters
    return sum(count for key, count in counters.items() if key.endswith(name))


def numbers(gateway: Captured) -> list[Any]:
    return [event.parameter("n") for event in gateway.events()]


async def test_a_foreign_message_is_stamped_and_its_tokens_are_parameters(
    server: NatsServer, client: Client
) -> None:
    async with gateway(server, routes=ROUTES) as found:
        await found.order(Subscribe(1, "subject = 'Reading' AND room = 'hall' AND c > 30", 1))
        for room, value in (("hall", b"35.5"), ("hall", b"21.0"), ("attic", b"40.0")):
            await client.publish(f"sensors.{room}.t", b'{"c": ' + value + b"}")

        await eventually(lambda: found.heard)
        await eventually(lambda: counted(found, "received") == 2)  # the attic's never came

        assert found.events() == [Event.of("Reading", room="hall", quantity="t", c=35.5)]
        assert found.heard[0].stamp.origin.startswith("a.plain")
        assert counted(found, "unstamped") == 2


async def test_an_event_becomes_what_a_plain_client_expects(
    server: NatsServer, client: Client
) -> None:
    got: list[Msg] = []

    async def take(message: Msg) -> None:
        got.append(message)

    await client.subscribe("sensors.>", cb=take)
    await client.flush()
    async with gateway(server, routes=ROUTES) as found:
        event = Event.of("Reading", {"room": "living room", "quantity": "t", "c": 1.0}, {"k": "v"})
        await found.order(publication(event, 1))
        await eventually(lambda: got)
    assert (got[0].subject, got[0].data) == ("sensors.living%20room.t", b'{"c":1.0}')
    assert got[0].headers is not None
    assert got[0].headers["k"] == "v"


async def test_what_cannot_be_read_is_set_aside_and_the_next_is_heard(
    server: NatsServer, client: Client
) -> None:
    """D21."""
    poison = b'{"Time":"2022-12-27T15\xf4\x02\x00'
    async with gateway(server) as found:
        await found.order(Subscribe(1, "subject = 's'", 1))
        await client.publish("s", poison)
        await client.publish("s", b'{"n": 1}', headers={"Event-Stamp": "no stamp"})
        await client.publish("s", b'{"n": 2}')
        await eventually(lambda: found.heard)
        assert numbers(found) == [2]
        aside = found.runtime.inbound.aside
        assert [raw for _, raw in aside] == [poison, b'{"n": 1}']
        assert "not JSON" in aside[0][0]


async def test_an_event_too_large_for_the_server_harms_no_other(
    server: NatsServer, client: Client
) -> None:
    """D23."""
    got: list[bytes] = []

    async def take(message: Msg) -> None:
        got.append(message.data)

    await client.subscribe("s", cb=take)
    await client.flush()
    async with gateway(server, payload="raw") as found:
        for number, size in enumerate((3, 1_048_577, 5), 1):
            found.runtime.receive(publication(Event.of("s", value=bytes(size)), number))
        await eventually(lambda: len(got) == 2)
        assert [len(each) for each in got] == [3, 5]
        assert counted(found, "publish_failed") == 1
        assert counted(found, "link_reconnects") == counted(found, "link_rebuilds") == 0


async def test_a_message_that_several_subscriptions_match_is_heard_once_while_they_change(
    server: NatsServer, client: Client
) -> None:
    """D16."""
    routes = [{"subject": "r.{a}.{b}.{c}", "event": "R"}]
    filters = ("a = '1'", "b = '2'", "c = '3'", "a = '1' AND b = '2'", "a <> '0'")
    async with gateway(server, routes=routes) as found:
        await found.order(Subscribe(1, "subject = 'R' AND c = '3'", 1))
        async with AsyncExitStack() as stack:
            done = asyncio.Event()
            sending = asyncio.create_task(_send_until(client, "r.1.2.3", done))
            stack.push_async_callback(asyncio.gather, sending)
            stack.callback(done.set)
            for at in range(2, 32):
                text = f"subject = 'R' AND {filters[at % len(filters)]}"
                await found.order(Subscribe(at, text, at))
                if at > 3:
                    await found.order(Unsubscribe(at - 2, at))
        sent = sending.result()
        await client.publish("r.1.2.3", b'{"n": -1}')
        await eventually(lambda: found.heard and numbers(found)[-1] == -1)
        assert sent > 30
        assert numbers(found) == [*range(sent), -1]


async def _send_until(client: Client, subject: str, done: asyncio.Event) -> int:
    sent = 0
    while not done.is_set():
        await client.publish(subject, json.dumps({"n": sent}).encode())
        sent += 1
        if sent % 20 == 0:
            await client.flush()
    await client.flush()
    return sent


async def test_who_wants_everything_hears_nothing_of_the_servers_own(
    server: NatsServer, client: Client
) -> None:
    """D13."""
    async with gateway(server) as found:
        await found.order(Subscribe(1, "n > 0", 1))
        await client.publish("$KV.bucket.key", b'{"n": 1}')
        await client.publish("_INBOX.someone", b'{"n": 2}')
        await client.publish("plain", b'{"n": 3}')
        await eventually(lambda: found.heard)
        assert numbers(found) == [3]
        assert counted(found, "servers_own") >= 2
        assert counted(found, "malformed") == 0


async def test_requests_lose_their_reply_and_that_is_counted(
    server: NatsServer, client: Client
) -> None:
    async with gateway(server) as found:
        await found.order(Subscribe(1, "subject = 's'", 1))
        await client.publish("s", b'{"n": 1}', reply="somewhere")
        await eventually(lambda: found.heard)
        assert counted(found, "with_reply") == 1


async def test_an_adapter_that_passes_on_only_what_is_stamped_leaves_the_rest(
    server: NatsServer, client: Client
) -> None:
    async with gateway(server, stamped=True) as found:
        await found.order(Subscribe(1, "subject = 's'", 1))
        await client.publish("s", b'{"n": 1}')
        await client.publish("s", b'{"n": 2}', headers={HEADER: pack(STAMP)})
        await eventually(lambda: found.heard)
        assert numbers(found) == [2]
        assert counted(found, "unstamped") == 1


async def test_cloudevents_are_read_in_either_mode(server: NatsServer, client: Client) -> None:
    whole = {"specversion": "1.0", "id": "1", "source": "/s", "type": "t", "data": {"n": 1}}
    binary = {f"ce-{name}": str(value) for name, value in whole.items() if name != "data"}
    async with gateway(server) as found:
        await found.order(Subscribe(1, "subject = 's' AND @\"ce-source\" = '/s'", 1))
        content_type = {"Content-Type": "application/cloudevents+json"}
        await client.publish("s", json.dumps(whole).encode(), headers=content_type)
        await client.publish("s", b'{"n": 2}', headers=binary)
        await eventually(lambda: len(found.heard) == 2)
        assert numbers(found) == [1, 2]
