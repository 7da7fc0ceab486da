"""What the broker keeps, for how long, in which order, and over its restart."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fes.adapter.context import Subscription
from fes.errors import AdapterError, UnavailableError
from fes.filter import Filter
from fes.mapping import Native
from fes.model import Event, Field, Type
from fes.testing.eventually import eventually
from integration.adapter_jms.natives import Gateway, adapter, connected, subscribed
from integration.adapter_jms.test_messages import stamp_of
from support.processes.activemq import PASSWORD, USER, ActiveMq
from support.processes.stomping import JmsClient

pytestmark = pytest.mark.broker

KEPT = {"persistent": "true"}


@pytest.fixture
def own(tmp_path: Path) -> Iterator[ActiveMq]:
    """Run a broker that a test may kill."""
    running = ActiveMq(tmp_path)
    running.start()
    yield running
    running.stop()


def publish(broker: ActiveMq, destination: str, *numbers: int, **headers: str) -> None:
    with JmsClient(broker.port) as client:
        for n in numbers:
            client.send_as(destination, b'{"n": %d}' % n, {**KEPT, "n": str(n), **headers})
        client.flush()


async def test_what_the_gateway_accepts_is_acknowledged_and_what_it_does_not_comes_again(
    broker: ActiveMq,
) -> None:
    async with subscribed(broker, "subject = 'kept.a'", "kept", persistent=True) as (made, gateway):
        gateway.accepts = False
        publish(broker, "/topic/kept.a", 0, 1, 2)
        await eventually(lambda: made.counters["unanswered"] == 3)
        gateway.accepts = True
        await eventually(lambda: gateway.values("n") == [0, 1, 2])
        await eventually(lambda: made.counters["unanswered"] == 0)
        reliable = Field("Reliability", Type.LONG, 1)
        assert all(reliable in each.attributes for each in gateway.natives)


async def test_a_durable_subscription_keeps_what_its_selector_selects_while_the_adapter_is_away(
    broker: ActiveMq,
) -> None:
    text, properties = "subject = 'kept.b' AND n > 1", {"n": "int"}
    async with subscribed(broker, text, "away", persistent=True, properties=properties):
        publish(broker, "/topic/kept.b", 0)
    publish(broker, "/topic/kept.b", 1, 2, 3)
    async with subscribed(broker, text, "away", persistent=True, properties=properties) as (
        made,
        gateway,
    ):
        await eventually(lambda: gateway.values("n") == [2, 3])
        assert made.counters["unstamped"] == 2  # the broker sent no other
        await made.unsubscribe(Subscription(1, Filter.of(text)))
    publish(broker, "/topic/kept.b", 4)
    async with subscribed(broker, text, "away", persistent=True, properties=properties) as (
        _,
        gateway,
    ):
        publish(broker, "/topic/kept.b", 5)
        await eventually(lambda: gateway.values("n") == [5])


async def test_nothing_is_lost_and_nothing_is_another_over_a_kill_of_the_broker(
    own: ActiveMq,
) -> None:
    """D18; the second message was not acknowledged when the broker was killed."""
    async with subscribed(own, "subject = 'kept.c'", persistent=True) as (made, gateway):
        publish(own, "/topic/kept.c", 1)
        await eventually(lambda: gateway.values("n") == [1])
        gateway.accepts = False
        publish(own, "/topic/kept.c", 2)
        await eventually(lambda: made.counters["unanswered"] == 1)
        own.kill()
        own.start()
        await eventually(lambda: made.counters["link_reconnects"] >= 1, 60.0)
        gateway.accepts = True
        publish(own, "/topic/kept.c", 3)
        await eventually(lambda: gateway.values("n") == [1, 2, 3], 60.0, "all three")
        await eventually(lambda: made.counters["unanswered"] == 0)
        await made.probe()
        assert made.counters["link_errors"] == 0, "an acknowledgement of the lost connection"
    own.kill()
    own.start()
    async with subscribed(own, "subject = 'kept.c'", persistent=True) as (_, again):
        publish(own, "/topic/kept.c", 4)
        await eventually(lambda: again.values("n") == [4], 60.0, "nothing but the last")


async def test_a_message_that_comes_again_has_the_identity_that_it_had(own: ActiveMq) -> None:
    gateway = Gateway()
    first = adapter(own, persistent=True)
    await first.connect(gateway)
    await first.subscribe(Subscription(1, Filter.of("subject = 'kept.d'")))
    # The gateway has committed it, and the broker is killed before the acknowledgement arrives.
    answers: list[Any] = []
    gateway.heard = lambda native, stamp, answer=None: answers.append((stamp, answer))  # type: ignore[method-assign] # in the place of the method
    publish(own, "/topic/kept.d", 1)
    await eventually(lambda: answers)
    own.kill()
    own.start()
    await eventually(lambda: first.counters["copies"] == 1, 60.0, "the copy")
    answers[0][1](True)
    await first.disconnect()
    async with subscribed(own, "subject = 'kept.d'", persistent=True) as (_, again):
        publish(own, "/topic/kept.d", 2)
        await eventually(lambda: again.values("n") == [2])


async def test_a_persistent_event_is_in_the_queue_after_a_kill_and_comes_to_one_client(
    own: ActiveMq,
) -> None:
    routes = [{"queue": "orders.{shop}", "event": "Order"}]
    order = (Field("shop", Type.STRING, "a"), Field("n", Type.LONG, 7))
    async with connected(own, routes=routes) as (made, _):
        await made.publish(
            Native("Order", order, (Field("Reliability", Type.LONG, 1),)), stamp_of(1)
        )
    own.kill()
    own.start()
    async with subscribed(own, "subject = 'Order'", "other", routes=routes) as (_, gateway):
        await eventually(lambda: gateway.natives)
        assert gateway.natives[0].parameters == order


async def test_own_messages_do_not_come_back_from_a_queue(broker: ActiveMq) -> None:
    routes = [{"queue": "jobs", "event": "Job"}]
    async with subscribed(broker, "subject = 'Job'", routes=routes) as (made, gateway):
        await made.publish(Native("Job", (Field("n", Type.LONG, 1),)), stamp_of(1))
        publish(broker, "/queue/jobs", 2)
        await eventually(lambda: gateway.values("n") == [2])
        with JmsClient(broker.port) as client:
            client.subscribe("/queue/jobs")
            await eventually(lambda: client.messages)


async def test_an_expired_message_is_not_delivered(broker: ActiveMq) -> None:
    text = "subject = 'kept.e'"
    async with subscribed(broker, text, "late", persistent=True):
        pass
    soon = str(int(time.time() * 1000) + 300)
    publish(broker, "/topic/kept.e", 1, expires=soon)
    publish(broker, "/topic/kept.e", 2)
    await eventually(lambda: time.time() * 1000 > int(soon) + 100)
    async with subscribed(broker, text, "late", persistent=True) as (made, gateway):
        await eventually(lambda: gateway.values("n") == [2])
        await made.unsubscribe(Subscription(1, Filter.of(text)))


async def test_what_is_more_urgent_comes_first_from_a_queue(broker: ActiveMq) -> None:
    routes = [{"queue": "urgent", "event": "Alarm"}]
    async with connected(broker, routes=routes) as (made, _):
        for n, priority in enumerate((-32767, 0, 32767, 6553)):
            attributes = (Field("Priority", Type.LONG, priority),)
            await made.publish(
                Native("Alarm", (Field("n", Type.LONG, n),), attributes), stamp_of(n + 1)
            )
        await made.probe()
    async with subscribed(broker, "subject = 'Alarm'", "other", routes=routes) as (_, gateway):
        await eventually(lambda: len(gateway.natives) == 4)
    assert gateway.values("n") == [2, 3, 1, 0]


async def test_several_subscriptions_bring_a_message_once(broker: ActiveMq) -> None:
    properties = {"n": "int"}
    async with subscribed(broker, "subject = 'over' AND n > 1", properties=properties) as (
        made,
        gateway,
    ):
        await made.subscribe(Subscription(2, Filter.of("subject = 'over' AND n < 3")))
        publish(broker, "/topic/over", 0, 1, 2, 3)
        await eventually(lambda: made.counters["copies"] == 1)
        await eventually(lambda: sorted(gateway.values("n")) == [0, 1, 2, 3])
        assert made.counters["subscriptions"] == 2


async def test_a_wrong_password_is_reported_in_one_line_without_it(tmp_path: Path) -> None:
    guarded = ActiveMq(tmp_path, anonymous=False)
    guarded.start()
    try:
        good = f"stomp://{USER}:{quote(PASSWORD, safe='')}@127.0.0.1:{guarded.port}"
        made = adapter(guarded, url=good)
        await made.connect(Gateway())
        await made.probe()
        await made.disconnect()
        for url in (f"stomp://{USER}:s3cret@127.0.0.1:{guarded.port}", guarded.url):
            with pytest.raises(AdapterError) as error:
                await adapter(guarded, url=url).connect(Gateway())
            assert not isinstance(error.value, UnavailableError)
            text = str(error.value)
            assert text.startswith("the broker refuses it: User name [")
            assert "s3cret" not in text
            assert "\n" not in text
    finally:
        guarded.stop()


async def test_a_broker_that_is_not_there_and_one_that_does_not_answer_are_away(
    tmp_path: Path,
) -> None:
    silent = ActiveMq(tmp_path)
    with pytest.raises(UnavailableError, match="no broker answers at"):
        await adapter(silent).connect(Gateway())
    with (
        socket.create_server(("127.0.0.1", silent.port)),
        pytest.raises(UnavailableError, match="does not accept the connection in time"),
    ):
        await adapter(silent).connect(Gateway())


async def test_a_withdrawal_while_the_broker_is_away_is_carried_out_when_it_is_back(
    own: ActiveMq,
) -> None:
    """A durable subscription that nobody ends would collect messages without a bound."""
    one = Subscription(1, Filter.of("subject = 'kept.e'"))
    async with subscribed(own, one.filter.text, persistent=True) as (made, _):
        own.kill()
        with pytest.raises(UnavailableError):
            await made.unsubscribe(one)
        own.start()
        await eventually(lambda: made.counters["link_reconnects"] >= 1, 60.0)
        await made.unsubscribe(one)
        assert made.counters["subscriptions"] == 0
    publish(own, "/topic/kept.e", 1)
    async with subscribed(own, one.filter.text, persistent=True) as (_, gateway):
        publish(own, "/topic/kept.e", 2)
        await eventually(lambda: gateway.values("n") == [2])


async def test_more_control_events_arrive_than_the_broker_sends_unacknowledged(
    broker: ActiveMq,
) -> None:
    async with connected(broker, "sends") as (sender, _), connected(broker, "gets") as (_, gateway):
        count = 2 * sender.settings.prefetch
        for n in range(1, count + 1):
            await sender.publish_control(Event("FES_ControlEvent", ()), stamp_of(n))
        await sender.probe()
        await eventually(lambda: len(gateway.events) == count)
