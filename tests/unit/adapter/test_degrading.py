"""Events that ask an event service for what it does not do are counted, and cross."""

from fes.adapter.outbound.degraded import Degrading
from fes.model import Event


def counted(honours: tuple[str, ...], **attributes: object) -> dict[str, int]:
    degrading = Degrading(honours)
    degrading.count(Event.of("Speed", {}, attributes))
    return degrading.counters


def test_what_it_does_not_do_is_counted() -> None:
    asked = {"Priority": 3, "Proximity": "0,1,0,0,300", "note": "x"}
    assert counted((), **asked) == {"degraded_priority": 1, "degraded_proximity": 1}


def test_what_it_does_is_not() -> None:
    assert counted(("Proximity",), Proximity="0,1,0,0,300") == {"degraded_priority": 0}
    assert counted(("Priority", "Proximity"), Priority=3) == {}


def test_the_priority_that_every_event_has_asks_for_nothing() -> None:
    assert counted((), Priority=0) == {"degraded_priority": 0, "degraded_proximity": 0}


def test_a_priority_that_is_none_asks_for_nothing() -> None:
    for value in ("high", 40_000, 1.5):
        assert counted(("Proximity",), Priority=value) == {"degraded_priority": 0}
