from collections import deque
from typing import Any

import pytest
from eventservices.stamp import Stamp
from eventservices.steam.codec import encode
from eventservices.steam.counters import Counters
from eventservices.steam.event import Notification
from eventservices.steam.fanout import KEPT_BYTES, Fanout, SetAside
from eventservices.steam.geometry import Position
from eventservices.steam.proximity import around

TOPIC = "air/event/1_2/Speed"
PAYLOAD = encode(
    Notification(
        Stamp("v", 1, 1, 0, "v"), "v", Position(0.0, 0.0), 1.0, around(1.0), "Speed", {"rate": 1}
    )
)


class Fixture:
    """A fan-out without a link, and what came of it."""

    def __init__(self) -> None:
        self.counters = Counters()
        self.set_aside: deque[SetAside] = deque(maxlen=2)
        self.fanout = Fanout(self.counters, self.set_aside)
        self.heard: list[Any] = []


@pytest.fixture
def fixture() -> Fixture:
    return Fixture()


def test_all_who_listen_are_given_the_same_object(fixture: Fixture) -> None:
    others: list[Any] = []
    fixture.fanout.join("event", [TOPIC], fixture.heard.append)
    fixture.fanout.join("event", [TOPIC], others.append)
    fixture.fanout.deliver(TOPIC, PAYLOAD)
    assert fixture.heard[0] is others[0]


def test_who_left_hears_no_more(fixture: Fixture) -> None:
    fixture.fanout.join("event", [TOPIC], fixture.heard.append)
    fixture.fanout.leave([TOPIC], fixture.heard.append)
    fixture.fanout.deliver(TOPIC, PAYLOAD)
    assert not fixture.heard
    assert fixture.counters.unclaimed == 1


def test_a_wildcard_and_an_exact_topic_make_one_delivery_for_one_listener(
    fixture: Fixture,
) -> None:
    for pattern in (TOPIC, "air/event/1_2/+", "air/event/#"):
        fixture.fanout.join("event", [pattern], fixture.heard.append)
    fixture.fanout.deliver(TOPIC, PAYLOAD)
    assert len(fixture.heard) == 1


@pytest.mark.parametrize(
    ("topic", "payload"),
    [
        (TOPIC, b"hello"),
        ("air/event/1_2/Alarm", PAYLOAD),
        ("air/event/1_2/a/b/c", PAYLOAD),
        (b"\xff", PAYLOAD),
    ],
)
def test_what_is_malformed_is_set_aside_and_the_next_message_is_delivered(
    fixture: Fixture, topic: str, payload: bytes
) -> None:
    fixture.fanout.join("event", ["air/event/#"], fixture.heard.append)
    fixture.fanout.deliver(topic, payload)
    fixture.fanout.deliver(TOPIC, PAYLOAD)
    assert fixture.counters.malformed == 1
    assert fixture.set_aside[0].payload == payload
    assert fixture.set_aside[0].reason
    assert len(fixture.heard) == 1


def test_what_is_set_aside_is_bounded(fixture: Fixture) -> None:
    fixture.fanout.join("event", [TOPIC], fixture.heard.append)
    for _ in range(3):
        fixture.fanout.deliver(TOPIC, b"\xc1" * (KEPT_BYTES + 1))
    assert fixture.counters.malformed == 3
    assert [len(one.payload) for one in fixture.set_aside] == [KEPT_BYTES, KEPT_BYTES]


def test_a_listener_that_raises_does_not_reach_the_connection(fixture: Fixture) -> None:
    def fail(_message: object) -> None:
        raise RuntimeError("listener")

    fixture.fanout.join("event", [TOPIC], fail)
    fixture.fanout.deliver(TOPIC, PAYLOAD)
    assert fixture.counters.callback_errors == 1


def test_a_listener_that_raises_does_not_keep_the_message_from_the_next(fixture: Fixture) -> None:
    def fail(_message: object) -> None:
        raise RuntimeError("no")

    fixture.fanout.join("event", [TOPIC], fail)
    fixture.fanout.join("event", [TOPIC], fixture.heard.append)
    fixture.fanout.deliver(TOPIC, PAYLOAD)
    assert len(fixture.heard) == 1
    assert fixture.counters.callback_errors == 1


def test_what_the_broker_brings_is_counted_whoever_listens(fixture: Fixture) -> None:
    fixture.fanout.deliver(TOPIC, PAYLOAD)
    fixture.fanout.join("event", [TOPIC], fixture.heard.append)
    fixture.fanout.deliver(TOPIC, PAYLOAD)
    fixture.fanout.deliver(TOPIC, b"")
    assert fixture.fanout.delivered == 3


@pytest.mark.parametrize("pattern", ["air/event/1_2/+", "air/event/#"])
def test_who_listens_with_a_wildcard_hears_beside_others(fixture: Fixture, pattern: str) -> None:
    others: list[Any] = []
    fixture.fanout.join("event", [TOPIC], fixture.heard.append)
    fixture.fanout.join("event", [pattern], others.append)
    fixture.fanout.deliver(TOPIC, PAYLOAD)
    assert (len(fixture.heard), len(others)) == (1, 1)
    fixture.fanout.leave([pattern], others.append)
    fixture.fanout.deliver(TOPIC, PAYLOAD)
    assert (len(fixture.heard), len(others)) == (2, 1)


def test_a_wildcard_of_another_kind_takes_nothing(fixture: Fixture) -> None:
    others: list[Any] = []
    fixture.fanout.join("beacon", ["air/beacon/1_2/+", "air/beacon/#"], others.append)
    fixture.fanout.deliver(TOPIC, PAYLOAD)
    fixture.fanout.join("event", [TOPIC], fixture.heard.append)
    fixture.fanout.deliver(TOPIC, PAYLOAD)
    assert (len(fixture.heard), len(others)) == (1, 0)
    assert fixture.counters.unclaimed == 1
