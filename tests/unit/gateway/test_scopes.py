"""Scopes at a gateway: what travels, what is delivered, and what its journal keeps."""

import pytest
from fes.control import RequestType
from fes.filter import Filter
from fes.gateway.inputs import Inject
from fes.gateway.outputs import Decided
from fes.link.messages import Announce, Publish, Subscribe, Taken
from fes.model import Event, Stamp
from fes.scopes import Edge, Graph, Scope
from fes.scopes.mappings.mapping import Mapping, Rule
from fes.scopes.mappings.steps import scaled
from fes.scopes.policies.declared import Delivery, Publishing, Turn
from fes.scopes.sessions import SESSION
from support.gateways.cores import NOW, SECOND, heard, inject, orders, request
from support.scopes.single import SERVICES, Gateway, published, two

KNOTS = Mapping((Rule(None, (scaled({"rate": (0.5, 0.0)}),)),))


def test_what_an_interface_blocks_is_not_asked_for_at_the_source() -> None:
    gateway = Gateway(two(Scope("floor", output=(Filter.of("rate > 50"),))))
    gateway.subscribe("south", 1)
    (text,) = gateway.filters()
    travels = Filter.of(text)
    assert not travels.matches(Event.of("Speed", rate=40.0))
    assert travels.matches(Event.of("Speed", rate=60.0))
    assert not travels.matches(Event.of("Noise", rate=60.0))
    assert published(gateway.hear(1, Event.of("Speed", rate=60.0)), "south")


def test_a_request_does_not_reach_what_is_not_visible() -> None:
    gateway = Gateway(two(Scope("floor")))
    gateway.subscribe("west", 1)
    gateway.subscribe("west", 2, kind=RequestType.ANNOUNCEMENT)
    assert gateway.filters() == []
    gateway.subscribe("south", 3)
    outputs = gateway.hear(1)
    assert published(outputs, "south")
    assert not published(outputs, "west")


def test_an_announcement_is_confined_too() -> None:
    gateway = Gateway(two(Scope("floor")))
    given = request(RequestType.ANNOUNCEMENT, source="west", dist_list="north")
    _, outputs = gateway.core.handle(Inject(given), NOW)
    assert not [order for order in orders(outputs) if isinstance(order, Announce)]


def test_an_announcement_of_what_is_visible_is_made() -> None:
    gateway = Gateway(two(Scope("floor")))
    given = request(RequestType.ANNOUNCEMENT, source="south", dist_list="north")
    _, outputs = gateway.core.handle(Inject(given), NOW)
    assert [order for order in orders(outputs, "north") if isinstance(order, Announce)]


def test_without_scopes_everything_passes() -> None:
    gateway = Gateway(Graph())
    gateway.subscribe("south", 1)
    assert [Filter.of(text) for text in gateway.filters()] == [
        Filter.of("subject = 'Speed' AND rate > 30")
    ]


def test_a_mapping_is_applied_before_the_subscription() -> None:
    gateway = Gateway(two(Scope("floor"), up=KNOTS))
    gateway.subscribe("south", 1)
    assert not published(gateway.hear(1, Event.of("Speed", rate=40.0)), "south")
    (event,) = published(gateway.hear(2, Event.of("Speed", rate=80.0)), "south")
    assert event.parameter("rate") == 40.0


def test_what_a_mapping_made_keeps_its_identity_over_a_restart() -> None:
    gateway = Gateway(two(Scope("floor"), up=KNOTS))
    gateway.subscribe("south", 1)
    first = list(orders(gateway.hear(1, Event.of("Speed", rate=80.0)), "south"))
    gateway.start()
    again = list(orders(gateway.hear(1, Event.of("Speed", rate=80.0)), "south"))
    stamps = [o.stamp for o in (*first, *again) if isinstance(o, Publish)]
    assert len(stamps) == 2
    assert stamps[0] == stamps[1]
    assert stamps[0].origin.startswith("car~")


def test_what_waits_outlives_a_restart_and_comes_once() -> None:
    gateway = Gateway(two(Scope("floor", publishing=Publishing(delay_us=60 * SECOND))))
    gateway.subscribe("south", 1)
    assert not published(gateway.hear(1), "south")
    gateway.start()
    assert not published(gateway.wait(59 * SECOND), "south")
    assert len(published(gateway.wait(SECOND), "south")) == 1
    gateway.start()
    assert not published(gateway.wait(SECOND), "south")
    assert not [key for key in gateway.rows if key.startswith("scope")]


def test_one_of_n_stays_one_over_a_restart() -> None:
    graph = two(Scope("floor"))
    graph.add(Scope("market", delivery=Delivery(Turn.TURNS)))
    graph.join(Edge("west", "market"))
    gateway = Gateway(graph)
    gateway.subscribe("south", 1)
    gateway.subscribe("west", 2)
    received = []
    for sequence in range(1, 5):
        outputs = gateway.hear(sequence)
        received.append([name for name in SERVICES if published(outputs, name)])
        gateway.start()
    assert received == [["south"], ["west"], ["south"], ["west"]]


def test_a_persistent_event_that_is_delivered_again_after_a_restart_is_given_to_nobody_else() -> (
    None
):
    graph = two(Scope("floor"))
    graph.add(Scope("market", delivery=Delivery(Turn.TURNS)))
    graph.join(Edge("west", "market"))
    gateway = Gateway(graph)
    gateway.subscribe("south", 1)
    gateway.subscribe("west", 2)

    received = []
    for sequence in (1, 1, 2):
        numbers = tuple(applied.number for applied in gateway.core.applied("north"))
        kept = heard(numbers, sequence, persistent=True, token=sequence)
        outputs = gateway.give(kept, "north")
        assert any(isinstance(each, Taken) and each.taken for each in orders(outputs, "north"))
        received.append([name for name in SERVICES if published(outputs, name)])
        gateway.start()
    assert received == [["south"], [], ["west"]]

    gateway.wait(gateway.settings.retransmission_us + SECOND)
    gateway.wait(SECOND)
    assert not [key for key in gateway.rows if "handled" in key], "it is forgotten in time"


def test_the_session_travels_with_the_event() -> None:
    graph = two(Scope("floor"))
    graph.add(Scope("market", session=True))
    gateway = Gateway(graph)
    gateway.subscribe("south", 1)
    (event,) = published(gateway.hear(1), "south")
    assert event.attribute(SESSION) == "market"


def test_another_gateway_leaves_them_to_the_one_that_manages() -> None:
    gateway = Gateway(two(Scope("floor"), up=KNOTS), manages=False)
    gateway.subscribe("south", 1)
    outputs = gateway.hear(1, Event.of("Speed", rate=80.0))
    assert not published(outputs, "south")
    reasons = [each.reason for each in outputs if isinstance(each, Decided)]
    assert "scopes: another gateway manages them" in reasons


@pytest.mark.parametrize("rate", [40.0, 60.0])
def test_an_event_with_a_list_is_confined(rate: float) -> None:
    gateway = Gateway(two(Scope("floor", output=(Filter.of("rate > 50"),))))
    event = Event.of("Speed", rate=rate)
    control = request(
        RequestType.PUBLICATION, source="north", dist_list="south,west", event=event, filter=""
    )
    mutations, outputs = gateway.core.handle(Inject(control), NOW)
    gateway.commit(mutations)
    assert len(published(outputs, "south")) == int(rate > 50)
    assert not published(outputs, "west")


@pytest.mark.parametrize("subscribed", ["", "south", "west"])
@pytest.mark.parametrize("waits", [False, True])
def test_what_a_list_names_receives_what_is_managed_and_nobody_else_does(
    subscribed: str, *, waits: bool
) -> None:
    policy = Publishing(delay_us=SECOND) if waits else Publishing()
    graph = two(Scope("floor", publishing=policy), up=KNOTS)
    graph.join(Edge("west", "market"))
    gateway = Gateway(graph)
    if subscribed:
        gateway.subscribe(subscribed, 1, filter="subject = 'Other'")
        gateway.subscribe(subscribed, 2)
    event = Event.of("Speed", rate=80.0)
    control = request(
        RequestType.PUBLICATION,
        source="north",
        dist_list="south",
        event=event,
        filter="",
        sequence=3,
    )
    outputs = gateway.give(Inject(control))
    if waits:
        assert not published(outputs, "south")
        gateway.start()
        outputs = gateway.wait(2 * SECOND)
    (made,) = published(outputs, "south")
    assert made.parameter("rate") == 40.0
    assert not published(outputs, "west")


def test_an_event_that_surfaces_elsewhere_is_judged_by_its_home() -> None:
    graph = two(Scope("floor"))
    graph.add(Scope("other"))
    graph.join(Edge("west", "other"))
    graph.join(Edge("south", "other"))
    gateway = Gateway(graph)
    gateway.subscribe("west", 1, dist_list="south")
    numbers = tuple(applied.number for applied in gateway.core.applied("south"))
    assert numbers
    of_north = heard(numbers, 1)
    assert not published(gateway.give(of_north, "south"), "west")
    of_south = heard(numbers, 2, stamp=Stamp("car", 1, 2, NOW.time_us, "south"))
    assert published(gateway.give(of_south, "south"), "west")


def test_what_was_delivered_and_is_received_there_again_is_not_managed_again() -> None:
    gateway = Gateway(two(Scope("floor"), up=KNOTS))
    gateway.subscribe("south", 1)
    gateway.subscribe("north", 2, dist_list="south")
    outputs = gateway.hear(1, Event.of("Speed", rate=80.0))
    (made,) = [order for order in orders(outputs, "south") if isinstance(order, Publish)]
    numbers = tuple(applied.number for applied in gateway.core.applied("south"))
    again = heard(numbers, 1, stamp=made.stamp, body=made.body)
    assert not published(gateway.give(again, "south"), "south")
    assert not published(gateway.give(again, "south"), "north")


def test_what_a_policy_delivered_unchanged_is_not_managed_again_where_it_surfaces() -> None:
    graph = two(Scope("floor"))
    graph.add(Scope("market", delivery=Delivery(Turn.TURNS)))
    graph.join(Edge("west", "market"))
    gateway = Gateway(graph)
    gateway.subscribe("west", 1, dist_list="south")
    numbers = tuple(applied.number for applied in gateway.core.applied("south"))
    outputs = gateway.give(heard(numbers, 1), "south")
    assert not published(outputs, "west")
    reasons = [each.reason for each in outputs if isinstance(each, Decided)]
    assert "scopes: it was managed where it was published" in reasons


def test_subscribing_orders_what_travels() -> None:
    gateway = Gateway(two(Scope("floor", output=(Filter.of("rate > 50"),))))
    decided = inject(gateway.core, request(source="south"))
    assert [each.to for each in decided if each.decision == "applied"] == ["north"]
    (order,) = list(gateway.core._desired["north"].whole().subscriptions)
    assert isinstance(order, Subscribe)
