"""What is due is done again until it is answered, and costs nothing afterwards."""

from typing import Any

from eventservices.bus.core import BusCore, BusSettings
from eventservices.bus.core.effects import Send
from eventservices.bus.wire.messages import (
    EBHello,
    EBSubscribe,
    EBSubscribed,
)

BEGIN_US = 1_000_000_000
SECOND_US = 1_000_000
NAME = "ie.tcd.Door"


def core(**settings: Any) -> BusCore:
    made = BusCore("a", "town", BusSettings(**settings), BEGIN_US)
    made.receive("b", EBHello(BEGIN_US, 1), BEGIN_US)
    return made


def sent(bus: BusCore) -> list[Any]:
    return [each.message for each in bus.take().outputs if isinstance(each, Send)]


def test_a_request_is_sent_again_until_it_is_answered_and_no_longer() -> None:
    bus = core()
    bus.subscribe("client", 1, NAME, None, user="", device="", durable="", now_us=BEGIN_US)
    bus.found(NAME, ("b",), BEGIN_US)
    (request,) = [each for each in sent(bus) if isinstance(each, EBSubscribe)]
    later_us = BEGIN_US + SECOND_US
    for _ in range(3):
        later_us += SECOND_US
        bus.tick(later_us)
        assert request in sent(bus)
    bus.receive("b", EBSubscribed(NAME, request.sink, request.version), later_us)
    bus.tick(later_us + SECOND_US)
    assert not any(isinstance(each, EBSubscribe) for each in sent(bus))
    assert bus._interest._waiting == set()

    bus.receive("b", EBHello(BEGIN_US + 1, 1), later_us)  # it was restarted
    (request,) = [each for each in sent(bus) if isinstance(each, EBSubscribe)]
    bus.tick(later_us + 2 * SECOND_US)
    assert request in sent(bus)
