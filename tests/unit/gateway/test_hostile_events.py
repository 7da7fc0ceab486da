"""Events whose bodies are none harm no other event."""

import pytest
from fes.gateway import GatewayCore
from fes.gateway.outputs import Decided
from fes.link.messages import Announce, Done, Heard, Order, Publish, Unannounce
from fes.model import Event, binary
from msgspec.structs import replace
from support.gateways.cores import NOW, core_of, heard, inject, orders, request

ANY = "rate > 30"


def asked(source: str = "south") -> GatewayCore:
    """Return a core at `north` and `south` that passes events on to an event service."""
    core = core_of("north", "south")
    inject(core, request(source=source, filter=ANY))
    return core


def told(
    core: GatewayCore, message: Heard | Done, service: str = "north"
) -> tuple[list[Decided], list[Order]]:
    """Return what a core decides on a message, and what it orders at `south`."""
    _, outputs = core.handle(message, NOW, service)
    decisions = [output for output in outputs if isinstance(output, Decided)]
    return decisions, orders([*outputs], "south")


@pytest.mark.parametrize("source", ["south", "far"])
def test_a_body_that_is_no_event_is_refused_wherever_it_must_be_read(source: str) -> None:
    decisions, ordered = told(asked(source), replace(heard((1,)), body=b"\xc1"))

    assert [one.decision for one in decisions] == ["matched", "refused"]
    assert "not an event" in decisions[-1].reason
    assert not ordered


def test_a_body_of_another_subject_is_not_announced() -> None:
    body = binary.encode(Event.of("Other", rate=40.0))
    decisions, ordered = told(asked(), replace(heard((1,)), body=body))

    assert "is not an event of subject 'Speed'" in decisions[-1].reason
    assert not ordered


def test_a_reserved_subject_is_refused() -> None:
    decisions, ordered = told(asked(), replace(heard((1,)), subject="FES_ControlEvent"))

    assert [(one.decision, one.reason) for one in decisions] == [("refused", "reserved subject")]
    assert not ordered


def test_an_announcement_that_failed_is_asked_for_again_by_the_next_publication() -> None:
    core = asked()
    _, ordered = told(core, heard((1,)))
    first = next(one for one in ordered if isinstance(one, Announce))

    _, ordered = told(core, Done(first.number, error="no room"), "south")
    assert ordered == [Unannounce(first.number)]

    _, ordered = told(core, heard((1,), 2))
    assert [type(one) for one in ordered] == [Announce, Publish]
