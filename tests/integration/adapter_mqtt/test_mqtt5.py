"""What MQTT 5 has beyond 3.1.1, on Mosquitto."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import gmqtt
import pytest
from adapter_mqtt import MqttAdapter
from eventservices.stamp import HEADER, unpack
from fes.adapter.pool import ConnectionPool
from fes.link.messages import Subscribe
from fes.model import Event, Field, Type
from fes.testing.conformance.bench import Captured, captured
from fes.testing.conformance.events import publication
from fes.testing.eventually import eventually
from support.processes.contexts import adapter_context
from support.processes.foreign import Mosquitto

pytestmark = pytest.mark.broker

ROUTE = {"topic": "doors/{door}", "event": "Door", "retain": True}


class Native:
    """A client that knows `gmqtt` alone."""

    def __init__(self, server: Mosquitto, name: str) -> None:
        self.server = server
        self.client = gmqtt.Client(name, clean_session=True)
        self.got: list[tuple[str, bytes, dict[str, Any]]] = []
        self.granted = 0
        self.client.on_message = self._take
        self.client.on_subscribe = self._subscribed

    def _take(self, _: object, topic: str, payload: bytes, __: int, told: dict[str, Any]) -> int:
        self.got.append((topic, payload, told))
        return 0

    def _subscribed(self, *_: object) -> None:
        self.granted += 1

    async def listen(self, topic: str) -> None:
        before = self.granted
        self.client.subscribe(topic, qos=0)
        await eventually(lambda: self.granted > before)


@asynccontextmanager
async def native(server: Mosquitto, name: str = "native") -> AsyncIterator[Native]:
    made = Native(server, name)
    await made.client.connect(server.host, server.mqtt_port, version=5)
    yield made
    await made.client.disconnect()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Mosquitto]:
    made = Mosquitto(tmp_path)
    made.start()
    yield made
    made.stop()


@pytest.fixture
async def client(server: Mosquitto) -> AsyncIterator[Native]:
    async with native(server) as made:
        yield made


@asynccontextmanager
async def gateway(server: Mosquitto, name: str = "a", **settings: Any) -> AsyncIterator[Captured]:
    context = adapter_context(
        name,
        "plain",
        MqttAdapter,
        ConnectionPool(),
        settings={"protocol": "5", **settings},
        brokers=(server.mqtt_url,),
    )
    async with captured(MqttAdapter(context)) as found:
        yield found


def counted(gateway: Captured, name: str) -> int:
    return gateway.runtime.counted().counters.get(f"native_{name}", 0)


def numbers(gateway: Captured) -> list[Any]:
    return [event.parameter("n") for event in gateway.events()]


async def test_properties_are_attributes(server: Mosquitto, client: Native) -> None:
    async with gateway(server) as found:
        await found.order(Subscribe(1, "subject = 'ask'", 1))
        client.client.publish(
            "ask",
            b'{"n": 1}',
            qos=0,
            content_type="application/json",
            message_expiry_interval=60,
            response_topic="answers/7",
            correlation_data=b"\x01\x02",
            user_property=[("site", "north"), ("site", "again")],
        )
        await eventually(lambda: found.heard)
        told = {field.id: field.value for field in found.events()[0].attributes}
        assert told == {
            "site": "north",
            "Timeout": 60.0,
            "ResponseTopic": "answers/7",
            "CorrelationData": b"\x01\x02",
        }
        assert counted(found, "repeated_properties") == 1


async def test_attributes_are_properties_and_the_stamp_is_one(
    server: Mosquitto, client: Native
) -> None:
    await client.listen("ask")
    event = Event(
        "ask",
        (Field("n", Type.LONG, 1),),
        (
            Field("site", Type.STRING, "north"),
            Field("Timeout", Type.DOUBLE, 60.5),
            Field("ResponseTopic", Type.STRING, "answers/7"),
            Field("CorrelationData", Type.OCTETS, b"\x01\x02"),
        ),
    )
    async with gateway(server) as found:
        await found.order(publication(event, 7))
        await eventually(lambda: client.got)
    topic, payload, told = client.got[0]
    assert (topic, payload) == ("ask", b'{"n":1}')
    user = dict(told["user_property"])
    assert unpack(user.pop(HEADER)).sequence == 7
    assert user == {"site": "north", "Timeout": "60.5"}
    assert told["content_type"] == ["application/json"]
    assert told["message_expiry_interval"] == [61]
    assert told["response_topic"] == ["answers/7"]
    assert told["correlation_data"] == [b"\x01\x02"]


async def test_what_the_adapter_publishes_does_not_come_back(
    server: Mosquitto, client: Native
) -> None:
    """D14: the broker sends it to the others alone."""
    async with gateway(server) as found:
        await found.order(Subscribe(1, "subject = 'Speed'", 1))
        await found.order(publication(Event.of("Speed", n=1), 1))
        client.client.publish("Speed", b'{"n": 2}', qos=0)
        await eventually(lambda: found.heard)
        assert numbers(found) == [2]
        assert found.runtime.inbound.counters["received"] == 1


async def test_a_message_that_a_gateway_stamped_keeps_its_identity_at_the_next(
    server: Mosquitto,
) -> None:
    """D14: so two gateways between two systems make no copy and no loop."""
    async with gateway(server, "a", stamped=True) as one, gateway(server, "b") as other:
        await one.order(Subscribe(1, "subject = 'Speed'", 1))
        await other.order(publication(Event.of("Speed", n=1), 5))
        await eventually(lambda: one.heard)
        assert one.heard[0].stamp.identity == ("far/away", 3, 5)


async def test_what_is_unstamped_is_left_to_the_gateway_that_stamps(
    server: Mosquitto, client: Native
) -> None:
    async with gateway(server, "a", stamped=True) as one, gateway(server, "b") as other:
        for each in (one, other):
            await each.order(Subscribe(1, "subject = 'Speed'", 1))
        client.client.publish("Speed", b'{"n": 1}', qos=0)
        await eventually(lambda: other.heard and counted(one, "unstamped"))
        assert not one.heard


async def test_what_is_kept_is_told_once_and_marked(server: Mosquitto, client: Native) -> None:
    client.client.publish("doors/front", b'{"open": true}', qos=1, retain=True)
    await client.listen("doors/front")
    await eventually(lambda: client.got)
    async with gateway(server, routes=[ROUTE]) as found:
        await found.order(Subscribe(1, "subject = 'Door'", 1))
        await eventually(lambda: found.heard)
        await found.order(Subscribe(2, "subject = 'Door' OR subject = 'x'", 2))
        client.client.publish("x", b"{}", qos=0)
        await eventually(lambda: len(found.heard) == 2)
        door, other = found.events()
        assert door.attribute("Retained") is True
        assert door.parameter("door") == "front"
        assert other.subject == "x"


async def test_a_deletion_crosses_both_ways(server: Mosquitto, client: Native) -> None:
    await client.listen("doors/#")
    async with gateway(server, routes=[ROUTE]) as found:
        await found.order(Subscribe(1, "subject = 'Door'", 1))
        client.client.publish("doors/front", b'{"open": true}', qos=0, retain=True)
        client.client.publish("doors/front", b"", qos=0, retain=True)
        await eventually(lambda: len(found.heard) == 2)
        gone = found.events()[1]
        assert gone.attribute("RetainedDeleted") is True
        assert [field.id for field in gone.parameters] == ["door"]

        await found.order(publication(Event.of("Door", door="back", open=True), 1))
        deletion = Event(
            "Door",
            (Field("door", Type.STRING, "back"),),
            (Field("RetainedDeleted", Type.BOOLEAN, True),),
        )
        await found.order(publication(deletion, 2))
        await eventually(lambda: [1 for t, p, _ in client.got if (t, p) == ("doors/back", b"")])
    async with native(server, "late") as late:
        await late.listen("doors/#")
        await late.listen("end")
        client.client.publish("end", b"", qos=0)
        await eventually(lambda: late.got)
        assert [topic for topic, _, _ in late.got] == ["end"]


async def test_what_was_deleted_during_an_outage_is_told_after_it(
    server: Mosquitto, client: Native, tmp_path: Path
) -> None:
    """The broker keeps one message over its restart, and another is gone."""
    async with gateway(server, routes=[ROUTE]) as found:
        await found.order(Subscribe(1, "subject = 'Door'", 1))
        for door in ("front", "back"):
            client.client.publish(f"doors/{door}", b'{"open": true}', qos=0, retain=True)
        await eventually(lambda: len(found.heard) == 2)

        server.stop()
        same = Mosquitto(tmp_path)  # of the same store, where the adapter does not find it
        same.start()
        async with native(same, "meanwhile") as other:
            other.client.publish("doors/back", b"", qos=1, retain=True)
            await other.listen("done")
        same.stop()
        server.start()
        await eventually(lambda: len(found.heard) == 3, 30.0, "the deletion")
        gone = found.events()[2]
        assert (gone.parameter("door"), gone.attribute("RetainedDeleted")) == ("back", True)
        assert counted(found, "retained_deleted") == 1
        assert counted(found, "retained_known") == 1


async def test_a_shared_subscription_divides_the_messages(
    server: Mosquitto, client: Native
) -> None:
    async with (
        gateway(server, "a", share="replicas") as one,
        gateway(server, "b", share="replicas") as other,
    ):
        for each in (one, other):
            await each.order(Subscribe(1, "subject = 'Speed'", 1))
        for n in range(40):
            client.client.publish("Speed", b'{"n": %d}' % n, qos=0)
        await eventually(lambda: len(one.heard) + len(other.heard) == 40)
        assert sorted([*numbers(one), *numbers(other)]) == list(range(40))
        assert one.heard
        assert other.heard


async def test_bytes_stay_bytes_and_integers_keep_their_digits(
    server: Mosquitto, client: Native
) -> None:
    """D20, D21 and D22."""
    async with gateway(server) as found:
        await found.order(Subscribe(1, "subject IN ('raw', 'big', 'ok')", 1))
        octets = bytes.fromhex("84f4bd1e595b1121")
        client.client.publish("raw", octets, qos=0, content_type="application/octet-stream")
        client.client.publish("ok", b'{"Time":"2022-12-27T15\xf4\x02\x00', qos=0)
        client.client.publish("big", b'{"userId":1688888483063664642,"x":1.0}', qos=0)
        client.client.publish("ok", b'{"ok":1}', qos=0)
        await eventually(lambda: len(found.heard) == 3)
        raw, big, last = found.events()
        assert [field.value for field in raw.parameters] == [octets]
        assert big.parameter("userId") == 1688888483063664642
        assert isinstance(big.parameter("x"), float)
        assert last.parameter("ok") == 1
        assert found.runtime.inbound.counters["malformed"] == 1


async def test_an_event_that_is_too_large_is_refused_and_the_next_goes(
    server: Mosquitto, client: Native
) -> None:
    """D23."""
    await client.listen("Speed")
    async with gateway(server, max_bytes=4096) as found:
        for number, size in ((1, 10), (2, 5000), (3, 10)):
            await found.order(publication(Event.of("Speed", n=number, t="x" * size), number))
        await eventually(lambda: len(client.got) == 2)
        assert found.runtime.outbound.counters["publish_failed"] == 1
