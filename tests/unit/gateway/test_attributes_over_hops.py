"""What an event asks for holds at the gateways behind the first, too."""

from typing import Any

from fes.control import RequestType
from fes.gateway import GatewayCore
from fes.gateway.inputs import Tick
from fes.gateway.settings import Instant
from fes.link.messages import HeardControl, Publish, PublishControl
from fes.model import Event, attributes, binary
from support.gateways.cores import NOW, SECOND, core_of, heard, inject, orders, request, topology_of
from support.gateways.custodies import reasons


def after(seconds: int) -> Instant:
    return Instant(NOW.wall_us + seconds * SECOND, NOW.time_us + seconds * SECOND)


def iso(now: Instant) -> str:
    minutes, seconds = divmod(now.time_us // SECOND, 60)
    return f"1970-01-01T00:{minutes:02}:{seconds:02}Z"


def behind() -> GatewayCore:
    """Return the second gateway of a chain: `north`, g1, `south`, g2, `far`."""
    chain = topology_of("north", "south")
    return core_of("south", "far", id="g2", services=("north", "south", "far"), topology=chain)


def forwarded(**asked: Any) -> PublishControl:
    """Return what g1 says at `south` of an event for `far` that it heard at `north`."""
    core = core_of("north", "south")
    inject(core, request(source="far", dist_list="north"))
    (subscription,) = core.applied("north")
    event = Event.of("Speed", {"rate": 40.0}, asked)
    native = heard(
        (subscription.number,),
        body=binary.encode(event),
        expires_us=attributes.expires_us(event, NOW.time_us),
        priority=attributes.priority(event),
    )
    _, outputs = core.handle(native, NOW, "north")
    (order,) = [each for each in orders(list(outputs)) if isinstance(each, PublishControl)]
    return order


def taken(core: GatewayCore, order: PublishControl, now: Instant) -> list[object]:
    return list(core.handle(HeardControl(None, order.body, True), now, "south")[1])


def published(outputs: list[object]) -> list[Publish]:
    return [order for order in orders(outputs, "far") if isinstance(order, Publish)]


def test_a_timeout_counts_from_the_producers_time_over_every_hop() -> None:
    """Rule G26."""
    order = forwarded(Timeout=5.0, StopTime=iso(after(60)))

    (publication,) = published(taken(behind(), order, after(3)))
    assert publication.expires_us == after(5).time_us
    assert publication.stamp.time_us == NOW.time_us
    assert binary.decode(publication.body).attribute("Timeout") == 5.0

    late = taken(behind(), order, after(5))
    assert published(late) == []
    assert reasons(late, "dropped") == ["expired"]


def test_a_stop_time_ends_an_event_at_every_hop() -> None:
    order = forwarded(Timeout=60.0, StopTime=iso(after(5)))

    assert len(published(taken(behind(), order, after(4)))) == 1
    assert reasons(taken(behind(), order, after(5)), "dropped") == ["expired"]


def test_an_event_in_a_publication_waits_for_its_start_time() -> None:
    core = behind()
    event = Event.of("Speed", {"rate": 40.0}, {"StartTime": iso(after(5))})
    control = request(
        RequestType.PUBLICATION, source="north", dist_list="far", event=event, path=("south",)
    )
    inject(core, control, after(1))

    assert published(list(core.handle(Tick(), after(4))[1])) == []
    assert len(published(list(core.handle(Tick(), after(5))[1]))) == 1


def test_an_event_is_as_urgent_at_every_hop() -> None:
    order = forwarded(Priority=7)

    (publication,) = published(taken(behind(), order, after(1)))
    assert (order.priority, publication.priority) == (7, 7)
