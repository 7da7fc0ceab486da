"""What a JetStream stream keeps: acknowledged once the gateway keeps it, given again if not."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import nats
import pytest
from adapter_nats import NatsAdapter
from adapter_nats.stream import BATCH
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import Stamp
from fes.adapter.context import Subscription
from fes.adapter.inbound.ordered import MOST_BYTES
from fes.adapter.pool import ConnectionPool
from fes.errors import AdapterError
from fes.filter import Filter
from fes.mapping import Native
from fes.model import Field, Type
from fes.testing.eventually import eventually
from nats.js.api import DeliverPolicy
from nats.js.client import JetStreamContext
from support.processes.contexts import adapter_context
from support.sinks import NotingSink

pytestmark = pytest.mark.broker

KEPT = (Field("Reliability", Type.LONG, 1),)


class Gateway(NotingSink):
    """Answers for messages, or not."""

    def __init__(self) -> None:
        super().__init__()
        self.natives: list[Native] = []
        self.stamps: list[Any] = []
        self.answers: list[Any] = []
        self.takes = True

    def heard(self, native: Native, stamp: Any, answer: Any = None) -> None:
        if not self.takes:
            answer(False)
            return
        self.natives.append(native)
        self.stamps.append(stamp)
        self.answers.append(answer)
        answer(True)

    @property
    def numbers(self) -> list[int]:
        return [native.parameters[0].value for native in self.natives]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("kept", tmp_path, jetstream=True)) as running:
        yield running


@asynccontextmanager
async def stream(server: NatsServer) -> AsyncIterator[JetStreamContext]:
    client = await nats.connect(server.url)
    context = client.jetstream()
    try:
        await context.stream_info("ORDERS")
    except nats.js.errors.NotFoundError:
        await context.add_stream(name="ORDERS", subjects=["orders.>"])
    yield context
    await client.close()


def adapter(server: NatsServer, **settings: Any) -> NatsAdapter:
    given = {"stream": "ORDERS", **settings}
    context = adapter_context(
        "g", "shop", NatsAdapter, ConnectionPool(), settings=given, brokers=(server.url,)
    )
    return NatsAdapter(context)


def order(number: int) -> Native:
    return Native("orders.new", (Field("n", Type.LONG, number),), KEPT)


async def test_what_the_gateway_takes_is_acknowledged_and_what_it_does_not_comes_again(
    server: NatsServer,
) -> None:
    async with stream(server) as native:
        made, gateway = adapter(server), Gateway()
        await made.connect(gateway)
        await made.subscribe(Subscription(1, Filter.of("subject = 'orders.new'")))
        gateway.takes = False
        for n in range(5):
            await native.publish("orders.new", b'{"n": %d}' % n)
        await native.publish("orders.old", b'{"n": 9}')
        await eventually(lambda: made.counters["unanswered"] == 5)
        gateway.takes = True
        await eventually(lambda: len(gateway.natives) == 5)
        assert gateway.numbers == [0, 1, 2, 3, 4]
        assert all(KEPT[0] in native.attributes for native in gateway.natives)
        await eventually(lambda: acknowledged(native))
        await made.disconnect()


async def test_what_comes_while_the_adapter_is_away_waits_and_has_one_identity(
    server: NatsServer,
) -> None:
    """A gateway that took a message, and whose acknowledgement was lost, knows it again."""
    async with stream(server) as native:
        first, gateway = adapter(server), Gateway()
        await first.connect(gateway)
        await first.subscribe(Subscription(1, Filter.of("subject = 'orders.new'")))
        await native.publish("orders.new", b'{"n": 1}')
        await eventually(lambda: gateway.natives)
        await first.disconnect()
        await native.publish("orders.new", b'{"n": 2}')

        second, again = adapter(server), Gateway()
        await second.connect(again)
        await second.subscribe(Subscription(1, Filter.of("subject = 'orders.new'")))
        await eventually(lambda: again.natives)
        assert again.numbers[-1] == 2
        one, two = gateway.stamps[0], again.stamps[-1]
        assert (one.origin, two.origin) == ("shop/ORDERS", "shop/ORDERS")
        assert (one.epoch, one.sequence, two.sequence) == (two.epoch, 1, 2)
        await second.disconnect()


async def test_what_a_killed_process_had_fetched_comes_before_what_is_newer(
    server: NatsServer,
) -> None:
    """The server itself would deliver it after 30 s, and what is newer at once."""
    async with stream(server) as native:
        first, silent = adapter(server), Gateway()
        await first.connect(silent)
        await first.subscribe(Subscription(1, Filter.of("subject = 'orders.new'")))
        await native.publish("orders.new", b'{"n": 0}')
        await eventually(lambda: silent.natives)
        silent.takes = False
        for n in (1, 2):
            await native.publish("orders.new", b'{"n": %d}' % n)
        await eventually(lambda: first.counters["unanswered"] == 2)
        await first.disconnect()
        for n in (3, 4):
            await native.publish("orders.new", b'{"n": %d}' % n)

        second, gateway = adapter(server), Gateway()
        await second.connect(gateway)
        await second.subscribe(Subscription(1, Filter.of("subject = 'orders.new'")))
        await eventually(lambda: len(gateway.natives) >= 4)
        assert [n for n in gateway.numbers if n] == [1, 2, 3, 4]
        assert len(await native.consumers_info("ORDERS")) == 1
        await second.disconnect()


async def test_what_was_there_before_the_subscription_does_not_come_after_a_kill_either(
    server: NatsServer,
) -> None:
    async with stream(server) as native:
        await native.publish("orders.new", b'{"n": 0}')
        first, silent = adapter(server), Gateway()
        silent.takes = False
        await first.connect(silent)
        await first.subscribe(Subscription(1, Filter.of("subject = 'orders.new'")))
        await native.publish("orders.new", b'{"n": 1}')
        await eventually(lambda: first.counters["unanswered"] == 1)
        await first.disconnect()
        await native.publish("orders.new", b'{"n": 2}')

        second, gateway = adapter(server), Gateway()
        await second.connect(gateway)
        await second.subscribe(Subscription(1, Filter.of("subject = 'orders.new'")))
        await eventually(lambda: len(gateway.natives) >= 2)
        assert gateway.numbers == [1, 2]
        await second.disconnect()


async def test_what_the_server_sent_and_did_not_arrive_comes_before_what_is_newer(
    server: NatsServer,
) -> None:
    """As where the connection breaks; here somebody else fetches it, and does not acknowledge."""
    async with stream(server) as native:
        first = adapter(server)
        await first.connect(Gateway())
        await first.subscribe(Subscription(1, Filter.of("subject = 'orders.new'")))
        (consumer,) = await native.consumers_info("ORDERS")
        await first.disconnect()
        await native.publish("orders.new", b'{"n": 1}')
        second, gateway = adapter(server), Gateway()
        await second.connect(gateway)
        await second.subscribe(Subscription(1, Filter.of("subject = 'orders.new'")))
        await eventually(lambda: gateway.numbers == [1])
        await eventually(lambda: acknowledged(native))

        client = await nats.connect(server.url)
        thief = await client.subscribe("thief")
        request = json.dumps({"batch": 100, "expires": 60_000_000_000}).encode()
        await client.publish(f"$JS.API.CONSUMER.MSG.NEXT.ORDERS.{consumer.name}", request, "thief")
        await eventually(lambda: waiting(native))
        for n in range(2, 10):  # the server serves both in turn
            await native.publish("orders.new", b'{"n": %d}' % n)
        await thief.next_msg(10.0)
        await eventually(lambda: len(set(gateway.numbers)) >= 9)
        assert list(dict.fromkeys(gateway.numbers)) == list(range(1, 10))
        await client.close()
        assert second.counters["stream_restarts"] >= 1
        await second.disconnect()


async def test_a_consumer_that_somebody_deletes_is_missed(
    server: NatsServer,
) -> None:
    async with stream(server) as native:
        made, gateway = adapter(server), Gateway()
        await made.connect(gateway)
        await made.subscribe(Subscription(1, Filter.of("subject = 'orders.new'")))
        (consumer,) = await native.consumers_info("ORDERS")
        await native.delete_consumer("ORDERS", consumer.name)

        async def missed() -> bool:
            try:
                await made.probe()
            except AdapterError as error:
                return "consumer" in str(error)
            return False

        await eventually(missed)
        await made.disconnect()


async def test_of_two_consumers_that_a_kill_left_the_older_ends(server: NatsServer) -> None:
    async with stream(server) as native:
        first = adapter(server)
        await first.connect(Gateway())
        await first.subscribe(Subscription(1, Filter.of("subject = 'orders.new'")))
        (older,) = await native.consumers_info("ORDERS")
        await first.disconnect()
        for n in (1, 2):
            await native.publish("orders.new", b'{"n": %d}' % n)
        fresh = replace(
            older.config,
            name=None,
            durable_name=f"{older.name}-b",
            deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=1,
        )
        await native.add_consumer("ORDERS", fresh)

        second, gateway = adapter(server), Gateway()
        await second.connect(gateway)
        await second.subscribe(Subscription(1, Filter.of("subject = 'orders.new'")))
        await eventually(lambda: len(gateway.natives) >= 2)
        assert gateway.numbers == [1, 2]
        (left,) = await native.consumers_info("ORDERS")
        assert left.name == f"{older.name}-b"
        await second.disconnect()


async def test_a_persistent_event_is_kept_once_it_is_published(server: NatsServer) -> None:
    async with stream(server) as native:
        made = adapter(server)
        await made.connect(Gateway())
        stamp = stamp_of(1)
        await made.publish(order(1), stamp)
        await made.publish(order(1), stamp)  # as after an answer that was lost
        info = await native.stream_info("ORDERS")
        assert info.state.messages == 1
        with pytest.raises(AdapterError, match="no stream stores subject 'elsewhere'"):
            await made.publish(Native("elsewhere", (), KEPT), stamp_of(2))
        await made.disconnect()


async def test_nothing_is_lost_over_restarts_of_the_server(server: NatsServer) -> None:
    """D18."""
    made, gateway = adapter(server), Gateway()
    async with stream(server) as native:
        await made.connect(gateway)
        await made.subscribe(Subscription(1, Filter.of("subject = 'orders.new'")))
        await native.publish("orders.new", b'{"n": 1}')
        await eventually(lambda: gateway.natives)
    server.kill()
    server.start()
    async with stream(server) as native:
        await native.publish("orders.new", b'{"n": 2}')
        await eventually(lambda: 2 in gateway.numbers, 30.0, "the message after the restart")
        assert {s.sequence: n for s, n in zip(gateway.stamps, gateway.numbers, strict=True)} == {
            1: 1, 2: 2,
        }  # fmt: skip
    await made.disconnect()


async def test_the_last_unsubscription_leaves_no_consumer(server: NatsServer) -> None:
    async with stream(server) as native:
        made = adapter(server)
        await made.connect(Gateway())
        for number in (1, 2):
            await made.subscribe(Subscription(number, Filter.of("subject = 'orders.new'")))
        await made.unsubscribe(Subscription(1, Filter.of("")))
        assert len(await native.consumers_info("ORDERS")) == 1
        await made.unsubscribe(Subscription(2, Filter.of("")))
        assert await native.consumers_info("ORDERS") == []
        await made.disconnect()


async def test_a_stream_that_is_not_there_is_named(server: NatsServer) -> None:
    made = adapter(server, stream="NONE")
    with pytest.raises(AdapterError, match="there is no stream 'NONE'"):
        await made.connect(Gateway())


def stamp_of(number: int) -> Stamp:

    return Stamp("far", 1, number, 0, "elsewhere")


async def acknowledged(native: JetStreamContext) -> bool:
    (consumer,) = await native.consumers_info("ORDERS")
    return consumer.num_ack_pending == 0 and consumer.num_pending == 0


async def waiting(native: JetStreamContext) -> bool:
    """Return whether both requests for messages wait at the server."""
    (consumer,) = await native.consumers_info("ORDERS")
    return (consumer.num_waiting or 0) >= 2


async def test_large_messages_that_the_gateway_has_no_room_for_stay_at_the_server(
    server: NatsServer,
) -> None:
    text = "x" * 100_000
    async with stream(server) as native:
        made, gateway = adapter(server), Gateway()
        await made.connect(gateway)
        await made.subscribe(Subscription(1, Filter.of("subject = 'orders.new'")))
        gateway.takes = False
        for n in range(200):
            await native.publish("orders.new", b'{"n": %d, "text": "%s"}' % (n, text.encode()))
        await eventually(lambda: made.counters["unanswered_bytes"] > MOST_BYTES - 2 * len(text))
        most = made.counters["unanswered"]
        assert most <= MOST_BYTES // len(text) + BATCH, "of 20 MB some 4 are fetched"
        gateway.takes = True
        await eventually(lambda: len(gateway.natives) == 200)
        assert gateway.numbers == list(range(200))
        await eventually(lambda: made.counters["unanswered_bytes"] == 0)
        await made.disconnect()
