"""What is due is done again until it is answered, and costs nothing afterwards."""

from typing import Any

from eventservices.bus.core import BusCore, BusSettings
from eventservices.bus.core.effects import Reply, Send
from eventservices.bus.wire.messages import (
    EBHello,
    EBNotify,
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


def test_a_persistent_event_is_stored_for_all_sinks_also_for_one_that_caught_up() -> None:

    bus = core()
    bus.advertise("client", 1, NAME, BEGIN_US)
    first = EBSubscribe(NAME, 1, 1, None, "", "", durable=True)
    bus.receive("b", first, BEGIN_US)
    source = next(each.number for each in bus.take().outputs if isinstance(each, Reply))
    bus.notify(
        "client", 2, source, {"n": 1}, attributes={}, persistent=True, stamp=None, now_us=BEGIN_US
    )
    late = EBSubscribe(NAME, 2, 1, None, "", "", durable=True, since_us=BEGIN_US)
    bus.receive("b", late, BEGIN_US)
    stored = {key: row for key, row in bus.take().rows.items() if row is not None}

    again = BusCore("a", "town", BusSettings(), BEGIN_US + SECOND_US, stored)
    again.tick(BEGIN_US + SECOND_US)
    (message,) = [each for each in sent(again) if isinstance(each, EBNotify)]
    assert (message.sinks, message.event.values) == ((1, 2), {"n": 1})
