"""What plain MQTT clients do to the adapter, and what it makes of them, on a real broker."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import gmqtt
import pytest
from adapter_mqtt import MqttAdapter
from eventservices.servers import NatsServer, ServerSpec
from fes.adapter.plain.codec import PlainCodec
from fes.adapter.pool import ConnectionPool
from fes.link.messages import Subscribe, Unsubscribe
from fes.model import Event
from fes.testing.conformance.bench import Captured, captured
from fes.testing.conformance.events import publication
from fes.testing.eventually import eventually
from support.processes.contexts import adapter_context
from support.processes.foreign import Mosquitto

pytestmark = pytest.mark.broker

ROUTES = [
    {"topic": "sensors/{room}/{quantity}", "event": "Reading"},
    {"topic": "doors/{door}", "event": "Door", "payload": "text", "value": "state", "retain": True},
]


Broker = NatsServer | Mosquitto


class Native:
    """A client that knows `gmqtt` alone."""

    def __init__(self, name: str) -> None:
        self.client = gmqtt.Client(name, clean_session=True)
        self.got: list[tuple[str, bytes, int]] = []
        self.granted = 0
        self.client.on_message = self._take
        self.client.on_subscribe = self._subscribed

    def _take(self, _: object, topic: str, payload: bytes, __: int, properties: Any) -> int:
        self.got.append((topic, payload, properties["retain"]))
        return 0

    def _subscribed(self, *_: object) -> None:
        self.granted += 1

    async def listen(self, topic: str) -> None:
        before = self.granted
        self.client.subscribe(topic, qos=0)
        await eventually(lambda: self.granted > before)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        self.client.publish(topic, payload, qos=0, retain=retain)


@pytest.fixture(scope="module", params=["mosquitto", "nats"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Broker]:
    folder = tmp_path_factory.mktemp("plain")
    if request.param == "nats":
        with NatsServer(ServerSpec("plain", folder, mqtt=True)) as running:
            yield running
        return
    broker = Mosquitto(folder)
    broker.start()
    yield broker
    broker.stop()


@asynccontextmanager
async def native(server: Broker, name: str = "native") -> AsyncIterator[Native]:
    made = Native(name)
    await made.client.connect(server.host, server.mqtt_port, version=4)
    yield made
    await made.client.disconnect()


@pytest.fixture
async def client(server: Broker) -> AsyncIterator[Native]:
    async with native(server) as made:
        yield made


@asynccontextmanager
async def gateway(server: Broker, name: str = "a", **settings: Any) -> AsyncIterator[Captured]:
    urls = (server.mqtt_url,)
    context = adapter_context(
        name, "plain", MqttAdapter, ConnectionPool(), settings=settings, brokers=urls
    )
    async with captured(MqttAdapter(context)) as found:
        yield found


def counted(gateway: Captured, name: str) -> int:
    return gateway.runtime.counted().counters.get(f"native_{name}", 0)


def numbers(gateway: Captured) -> list[Any]:
    return [event.parameter("n") for event in gateway.events()]


async def test_a_foreign_message_is_stamped_and_its_levels_are_parameters(
    server: Broker, client: Native
) -> None:
    async with gateway(server, routes=ROUTES) as found:
        await found.order(Subscribe(1, "subject = 'Reading' AND room = 'hall' AND c > 30", 1))
        for room, value in (("attic", b"40.0"), ("hall", b"21.0"), ("hall", b"35.5")):
            client.publish(f"sensors/{room}/t", b'{"c": ' + value + b"}")

        await eventually(lambda: found.heard)

        assert found.events() == [Event.of("Reading", room="hall", quantity="t", c=35.5)]
        assert found.heard[0].stamp.origin.startswith("a.plain")
        assert found.runtime.inbound.counters["received"] == 2  # the attic's never came


async def test_an_own_publication_that_comes_back_is_no_new_event(
    server: Broker, client: Native
) -> None:
    """D14: as often as it was published, and not once more."""
    async with gateway(server) as found:
        await found.order(Subscribe(1, "subject = 'Speed'", 1))
        await client.listen("Speed")
        event = Event.of("Speed", n=1)
        await found.order(publication(event, 1))
        await found.order(publication(event, 2))
        await eventually(lambda: counted(found, "own") == 2)
        client.publish("Speed", client.got[0][1])  # an equal message of somebody else
        await eventually(lambda: found.heard)
        assert numbers(found) == [1]
        assert counted(found, "own") == 2


async def test_what_is_published_where_nobody_listens_is_not_awaited(
    server: Broker, client: Native
) -> None:
    async with gateway(server) as found:
        await client.listen("Speed")
        await found.order(publication(Event.of("Speed", n=1), 1))
        await eventually(lambda: client.got)
        await found.order(Subscribe(1, "subject = 'Speed'", 1))
        client.publish("Speed", client.got[0][1])
        await eventually(lambda: found.heard)
        assert numbers(found) == [1]


async def test_overlapping_filters_hear_a_message_once_while_they_change(
    server: Broker, client: Native
) -> None:
    """D16: this broker sends a copy for each subscription."""
    routes = [{"topic": "r/{a}/{b}/{c}", "event": "R"}]
    filters = ("a = '1'", "b = '2'", "c = '3'", "a = '1' AND b = '2'", "a <> '0'")
    async with gateway(server, routes=routes) as found:
        await found.order(Subscribe(1, "subject = 'R' AND c = '3'", 1))
        sent = 0
        for at in range(2, 22):
            for _ in range(20):
                client.publish("r/1/2/3", f'{{"n": {sent}}}'.encode())
                sent += 1
            text = f"subject = 'R' AND {filters[at % len(filters)]}"
            await found.order(Subscribe(at, text, at))
            if at > 3:
                await found.order(Unsubscribe(at - 2, at))
        await eventually(lambda: len(found.heard) >= sent)
        client.publish("r/1/2/3", b'{"n": -1}')
        await eventually(lambda: numbers(found)[-1] == -1)
        assert numbers(found) == [*range(sent), -1]


async def test_a_filter_of_levels_matches_its_parent_and_no_text_prefix(
    server: Broker, client: Native
) -> None:
    """D11, D12: of subjects that begin so."""
    async with gateway(server) as found:
        await found.order(Subscribe(1, "subject LIKE 'home/log/%' OR subject = 'home/log'", 1))
        for number, topic in enumerate(("home/login/2", "home/log", "home/log/x")):
            client.publish(topic, f'{{"n": {number}}}'.encode())
        await eventually(lambda: len(found.heard) == 2)
        assert numbers(found) == [1, 2]
        assert found.runtime.inbound.counters["received"] == 2


async def test_a_retained_message_is_marked_and_comes_once(server: Broker, client: Native) -> None:
    client.publish("state/lamp", b'{"n": 1}', retain=True)
    async with native(server, "other") as other:
        await other.listen("state/lamp")
        await eventually(lambda: other.got)
    async with gateway(server) as found:
        await found.order(Subscribe(1, "subject = 'state/lamp'", 1))
        await eventually(lambda: found.heard)
        assert found.events()[0].attribute("Retained") is True
        await found.order(Subscribe(2, "subject LIKE 'state/%'", 2))  # it is sent again
        client.publish("state/lamp", b'{"n": 2}')
        await eventually(lambda: len(found.heard) == 2)
        assert numbers(found) == [1, 2]
        assert found.events()[1].attribute("Retained") is None
        assert counted(found, "retained_known") == 1


async def test_a_rule_has_the_broker_keep_what_is_published_and_it_is_no_new_event_later(
    server: Broker,
) -> None:
    async with gateway(server, routes=ROUTES) as found:
        await found.order(publication(Event.of("Door", door="front", state="open"), 1))
        await eventually(lambda: found.runtime.outbound.counters["published"] == 1)
    async with native(server, "late") as late:
        await late.listen("doors/#")
        await eventually(lambda: late.got)
        assert late.got == [("doors/front", b"open", 1)]
        async with gateway(server, routes=ROUTES) as again:
            await again.order(Subscribe(1, "subject = 'Door'", 1))
            late.publish("doors/back", b"shut")
            await eventually(lambda: again.heard)
            assert again.events() == [Event.of("Door", door="back", state="shut")]
            assert counted(again, "retained_known") == 1


async def test_an_unreadable_payload_and_one_too_large_harm_no_other(
    server: Broker, client: Native
) -> None:
    """D20, D21, D23."""
    await client.listen("out")
    async with gateway(server, payload="raw", max_bytes=2000) as found:
        for number, octets in enumerate((b"\x84\xf4\xbd", bytes(2001), b"\xff"), 1):
            await found.order(publication(Event.of("out", value=octets), number))
        await eventually(lambda: len(client.got) == 2)
        assert [payload for _, payload, _ in client.got] == [b"\x84\xf4\xbd", b"\xff"]
        assert found.runtime.outbound.counters["publish_failed"] == 1
        assert counted(found, "link_reconnects") == 0
    async with gateway(server, payload="text") as found:
        await found.order(Subscribe(1, "subject = 't'", 1))
        client.publish("t", b"\xff\xfe")
        client.publish("t", b"good")
        await eventually(lambda: found.heard)
        assert found.events() == [Event.of("t", value="good")]
        assert found.runtime.inbound.counters["malformed"] == 1


async def test_what_plain_json_cannot_carry_is_counted(server: Broker, client: Native) -> None:
    await client.listen("Speed")
    async with gateway(server) as found:
        event = Event.of("Speed", {"raw": b"\0"}, {"Priority": 7, "note": "x"})
        await found.order(publication(event, 1))
        await eventually(lambda: client.got)
        assert client.got[0][1] == b'{"raw":"AA=="}'
        assert counted(found, "types_lost") == 1
        assert counted(found, "attributes_lost") == 2


async def test_an_error_that_nobody_expected_ends_nothing(
    server: Broker, client: Native, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with gateway(server) as found:
        await found.order(Subscribe(1, "subject = 's'", 1))
        with monkeypatch.context() as patched:
            patched.setattr(PlainCodec, "to_native", lambda *_: 1 / 0)
            client.publish("s", b'{"n": 1}')
            await eventually(lambda: counted(found, "unexpected_errors") == 1)
        client.publish("s", b'{"n": 2}')
        await eventually(lambda: found.heard)
        assert numbers(found) == [2]


async def test_who_wants_everything_hears_nothing_of_the_brokers_own(
    server: Broker, client: Native
) -> None:
    """D13."""
    async with gateway(server) as found:
        await found.order(Subscribe(1, "n > 2", 1))
        client.publish("$SYS/broker/uptime", b'{"n": 4}')
        client.publish("plain", b'{"n": 3}')
        await eventually(lambda: found.heard)
        assert numbers(found) == [3]
