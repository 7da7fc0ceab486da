"""Publications at one gateway: to whom an event goes, by which way, and how often."""

from collections.abc import Sequence

import pytest
from fes.control import RequestType, from_event
from fes.distribution import MAX_PATTERNS
from fes.federation.topology import Topology
from fes.gateway import AdapterSettings, GatewayCore
from fes.gateway.inputs import Inject, LinkDown, LinkUp, Ready, Tick
from fes.gateway.outputs import Decided
from fes.gateway.settings import Instant
from fes.link.messages import Announce, Publish, PublishControl, Unannounce
from fes.model import Event, Stamp, binary
from support.gateways.cores import NOW, SECOND, core_of, heard, inject, orders, request, say
from support.scopes.federated import Federated


def asking(core: GatewayCore, *sources: str, at: str = "north") -> tuple[int, ...]:
    """Subscribe for event services; return the numbers."""
    for sequence, source in enumerate(sources, 1):
        inject(core, request(source=source, dist_list=at, sequence=sequence))
    return tuple(applied.number for applied in core.applied(at))


def decisions(outputs: Sequence[object]) -> list[tuple[str, str, str]]:
    return [(o.decision, o.to, o.reason) for o in outputs if isinstance(o, Decided)]


def test_an_event_is_announced_then_published_where_it_was_asked_for() -> None:
    core = core_of("north", "south", "east")
    numbers = asking(core, "south")

    _, outputs = core.handle(heard(numbers, via=("cns",)), NOW, "north")

    announce, publish = orders(outputs, "south")
    assert isinstance(announce, Announce)
    assert isinstance(publish, Publish)
    assert publish.stamp == heard(()).stamp
    assert publish.via == ("cns", "north")
    assert publish.body == heard(()).body
    assert orders(outputs, "east") == []


def test_three_subscriptions_of_one_event_service_give_one_copy() -> None:
    core = core_of("north", "south")
    for number in range(3):
        inject(core, request(filter=f"rate > {number}", sequence=number + 1))
    numbers = tuple(applied.number for applied in core.applied("north"))

    _, outputs = core.handle(heard(numbers), NOW, "north")

    assert len([order for order in orders(outputs) if isinstance(order, Publish)]) == 1


def test_a_repeated_identity_goes_to_each_destination_once() -> None:
    core = core_of("north", "south", "east")
    numbers = asking(core, "south", "east")
    core.handle(heard(numbers), NOW, "north")

    _, outputs = core.handle(heard(numbers), NOW, "north")

    assert orders(outputs) == []
    assert decisions(outputs)[1:] == [
        ("suppressed", "east", "repeated"),
        ("suppressed", "south", "repeated"),
    ]


def test_an_event_never_goes_back_home() -> None:
    core = core_of("north", "south", "east")
    numbers = asking(core, "south", at="east")

    stamp = Stamp("car", 1, 1, 0, "south")
    _, outputs = core.handle(heard(numbers, stamp=stamp), NOW, "east")

    assert orders(outputs) == []
    assert decisions(outputs) == [("dropped", "south", "home is the destination")]


def test_an_event_of_a_withdrawn_subscription_is_dropped() -> None:
    core = core_of("north", "south")
    numbers = asking(core, "south")
    inject(core, request(RequestType.UNSUBSCRIPTION, sequence=9))

    _, outputs = core.handle(heard(numbers), NOW, "north")

    assert decisions(outputs) == [("dropped", "", "no subscription")]


def test_an_event_for_afar_travels_as_a_control_event_that_names_the_next_gateway() -> None:
    core = core_of("north", "south")
    numbers = asking(core, "far")

    _, outputs = core.handle(heard(numbers), NOW, "north")

    (order,) = orders(outputs, "south")
    assert isinstance(order, PublishControl)
    told = from_event(binary.decode(order.body), None)
    assert told.next_gateway == "g2"
    assert told.dist_list == "far"
    assert told.stamp == heard(()).stamp
    assert (told.via, told.path) == (("north",), ("south",))


@pytest.mark.parametrize("count", [MAX_PATTERNS, MAX_PATTERNS + 1, 2 * MAX_PATTERNS + 1])
def test_an_event_for_more_event_services_than_a_list_may_name_reaches_them_all(count: int) -> None:
    """Rule G30."""
    names = [f"s{number}" for number in range(count)]
    memory = "{kind: memory}"
    federated = Federated(
        f"""
version: 1
system: test
event_services: {{{", ".join(f"{name}: {memory}" for name in ("a", "bus", *names))}}}
gateways:
  g1: {{adapters: {{a: {{}}, bus: {{}}}}}}
  g2: {{adapters: {{{", ".join(f"{name}: {{}}" for name in ("bus", *names))}}}}}
"""
    )
    federated.wait(3)
    for number, name in enumerate(names, 1):
        federated.subscribe(name, number, "g2", "a")
    federated.wait(3)
    assert sorted(federated.publish("a", 1, Event.of("Quote", n=1), "g1")) == sorted(names)


def test_only_the_gateway_that_is_named_takes_a_publication() -> None:
    """Rule R8."""
    core = core_of("north", "south")
    control = request(
        RequestType.PUBLICATION, source="north", dist_list="south", path=("east", "north")
    )
    for name, taken in (("g2", 0), ("g1", 1), ("", 0)):
        message = control.__class__(
            **{**{f: getattr(control, f) for f in control.__struct_fields__}, "next_gateway": name}
        )
        found = [d for d in say(core, message, "north") if d.decision == "applied"]
        assert len(found) == taken, name


def test_an_expired_event_and_one_that_went_too_far_are_dropped() -> None:
    """Rule F2."""
    core = core_of("north", "south", max_hops=2)
    numbers = asking(core, "south")

    _, expired = core.handle(heard(numbers, expires_us=NOW.time_us), NOW, "north")
    _, far = core.handle(heard(numbers, 2, via=("a", "b")), NOW, "north")
    _, near = core.handle(heard(numbers, 3, via=("a",)), NOW, "north")

    assert decisions(expired)[1:] == [("dropped", "", "expired")]
    assert decisions(far)[1:] == [("dropped", "", "hop limit")]
    assert decisions(near)[1:] == [("applied", "south", "")]


def test_an_event_for_an_adapter_that_is_away_is_dropped_and_counted() -> None:
    core = core_of("north", "south")
    numbers = asking(core, "south")
    core.handle(LinkDown(), NOW, "south")

    _, outputs = core.handle(heard(numbers), NOW, "north")

    assert decisions(outputs)[1:] == [("dropped", "south", "link down")]


def test_a_fabricated_announcement_is_a_lease_that_publications_renew() -> None:
    """Rule F5."""
    core = core_of("north", "south", announcement_us=10 * SECOND)
    numbers = asking(core, "south")
    later = Instant(NOW.wall_us + 8 * SECOND, NOW.time_us)
    core.handle(heard(numbers), NOW, "north")
    _, again = core.handle(heard(numbers, 2), later, "north")
    assert [type(order) for order in orders(again, "south")] == [Publish]

    _, kept = core.handle(Tick(), Instant(NOW.wall_us + 17 * SECOND, 0))
    _, ended = core.handle(Tick(), Instant(NOW.wall_us + 18 * SECOND, 0))

    assert orders(kept) == []
    assert [type(order) for order in orders(ended, "south")] == [Unannounce]


def test_what_a_client_announced_is_not_announced_again() -> None:
    core = core_of("north", "south")
    inject(core, request(RequestType.ANNOUNCEMENT, source="north", dist_list="south", sequence=5))
    numbers = asking(core, "south")

    _, outputs = core.handle(heard(numbers), NOW, "north")

    assert [type(order) for order in orders(outputs, "south")] == [Publish]


def test_a_publication_is_injected_to_an_explicit_list() -> None:
    """Rule F1."""
    core = core_of("north", "south", "east")
    control = request(
        RequestType.PUBLICATION, source="north", dist_list="s*, east", event=Event.of("Note", x=1)
    )

    _, outputs = core.handle(Inject(control), NOW)

    published = [o.order for o in outputs if hasattr(o, "order") and isinstance(o.order, Publish)]
    assert [binary.decode(order.body) for order in published] == [Event.of("Note", x=1)] * 2
    assert orders(outputs, "north") == []


def test_a_persistent_event_is_degraded_and_says_so() -> None:
    core = core_of("north", "south")
    numbers = asking(core, "south")

    _, outputs = core.handle(heard(numbers, persistent=True), NOW, "north")

    assert ("degraded", "south", "") in decisions(outputs)


def test_an_access_point_of_a_medium_is_told_as_passed() -> None:
    core = core_of(
        "north",
        "air",
        adapters={
            "north": AdapterSettings("g1.north", "north"),
            "air": AdapterSettings("g1.air", "air", on_medium=True),
        },
    )
    numbers = asking(core, "air")

    _, outputs = core.handle(heard(numbers), NOW, "north")

    (publish,) = (order for order in orders(outputs, "air") if isinstance(order, Publish))
    assert publish.via == ("north", "air")


@pytest.mark.parametrize(("destination", "reason"), [("south", "link down"), ("far", "no route")])
def test_what_a_broken_link_dropped_is_not_marked_as_sent(destination: str, reason: str) -> None:
    """Rule F4."""
    core = core_of("north", "south")
    numbers = asking(core, destination)
    core.handle(LinkDown(), NOW, "south")
    _, dropped = core.handle(heard(numbers), NOW, "north")
    core.handle(LinkUp(), NOW, "south")

    _, sent = core.handle(heard(numbers), NOW, "north")
    _, again = core.handle(heard(numbers), NOW, "north")

    assert decisions(dropped)[1:] == [("dropped", destination, reason)]
    assert decisions(sent)[1][0] in ("applied", "forwarded")
    assert decisions(again)[1:] == [("suppressed", destination, "repeated")]


def test_an_event_that_travels_as_a_control_event_waits_as_events_do() -> None:
    core = core_of("north", "south")
    numbers = asking(core, "far")

    _, outputs = core.handle(heard(numbers), NOW, "north")

    (order,) = orders(outputs, "south")
    assert isinstance(order, PublishControl)
    assert order.publication


def test_an_event_without_a_way_goes_to_all_who_may_know_one() -> None:
    """Rule R10."""
    core = core_of("north", "east", "south", topology=_ring_of_five())
    numbers = asking(core, "far")
    core.handle(Ready(ready=False), NOW, "south")

    _, outputs = core.handle(heard(numbers), NOW, "north")
    _, again = core.handle(heard(numbers), NOW, "north")

    told = [(d.to, d.what) for d in outputs if isinstance(d, Decided) and d.decision == "forwarded"]
    assert told == [("far", "east"), ("far", "south")]
    assert decisions(again)[1:] == [("suppressed", "far", "repeated")]


def _ring_of_five() -> Topology:
    own = tuple(("g1", name) for name in ("north", "east", "south"))
    return Topology((*own, ("g3", "east"), ("g2", "south"), ("g2", "far")))
