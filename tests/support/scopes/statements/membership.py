"""Membership: who may join, and when it counts."""

import pytest
from fes.errors import ScopeError
from fes.scopes import Client, Edge, Rights, Scope
from fes.scopes.mappings.mapping import Gather, Mapping, Rule
from fes.scopes.policies.declared import Delivery, Publishing, Traverse, Turn
from support.scopes.market import (
    MINUTE_US,
    receivers,
)
from support.scopes.statements.worlds import world_of
from support.scopes.town import RouterOf


def who_may_join_as_what(router: RouterOf) -> None:
    rights = Rights(producers=("me*",), consumers=None)
    world = world_of(router, (Scope("TF", rights=rights),), (), y="")
    for name in ("me1", "spy", "y"):
        world.graph.add(Client(name))
    with pytest.raises(ScopeError, match="TF does not admit spy as producer"):
        world.graph.join(Edge("spy", "TF"))
    world.graph.join(Edge("spy", "TF", produces=False))
    world.graph.join(Edge("me1", "TF"))
    world.graph.join(Edge("y", "TF", produces=False))
    assert receivers(world.publish("spy", "e")) == []
    assert receivers(world.publish("me1", "e")) == ["y"]


def a_right_is_checked_again_at_delivery(router: RouterOf) -> None:
    policy = Publishing(delay_us=MINUTE_US)
    world = world_of(
        router,
        (Scope("S"), Scope("A", publishing=policy)),
        (Edge("A", "S"), Edge("x", "A"), Edge("y", "S"), Edge("z", "S")),
        y="",
        z="",
    )
    world.publish("x", "e")
    world.graph.add(Scope("S", rights=Rights(None, ("z",))))
    assert receivers(world.wait(MINUTE_US)) == ["z"]


def who_joins_later_does_not_see_what_was_published_before(router: RouterOf) -> None:
    world = world_of(
        router,
        (Scope("S"), Scope("A", publishing=Publishing(delay_us=MINUTE_US))),
        (Edge("A", "S"), Edge("x", "A"), Edge("y", "S")),
        y="",
        late="",
    )
    world.publish("x", "e")
    world.graph.add(Client("late"))
    world.graph.join(Edge("late", "S"))
    outcome = world.wait(MINUTE_US)
    assert receivers(outcome) == ["y"]
    assert [str(reason) for reason, _ in outcome.dropped] == ["joined after the event"]
    assert receivers(world.publish("x", "e")) == []
    assert receivers(world.wait(MINUTE_US)) == ["late", "y"]


def a_withdrawn_membership_stops_what_waits(router: RouterOf) -> None:
    world = world_of(
        router,
        (Scope("S"), Scope("A", publishing=Publishing(delay_us=MINUTE_US))),
        (Edge("A", "S"), Edge("x", "A"), Edge("y", "S")),
        y="",
    )
    world.publish("x", "e")
    world.graph.leave("A", "S")
    outcome = world.wait(MINUTE_US)
    assert receivers(outcome) == []
    assert [str(reason) for reason, _ in outcome.dropped] == ["membership was withdrawn"]


def an_event_service_is_where_its_named_clients_are(router: RouterOf) -> None:
    """What one client of it may see, all receive; what they publish comes from one component."""
    scopes = Scope("S"), Scope("T"), Scope("One", delivery=Delivery(Turn.TURNS))
    world = world_of(router, scopes, (Edge("x", "T"), Edge("y", "One")), svc="", x="", y="")
    world.graph.add(Client("svc", "svc"))
    for name in ("ann", "bob"):
        world.graph.add(Client(name, "svc", name))
        world.graph.join(Edge(name, "S"))
    assert receivers(world.publish("x", "e")) == []
    world.graph.join(Edge("bob", "T"))
    world.graph.join(Edge("bob", "One"))
    assert receivers(world.publish("x", "e")) == ["svc"]
    assert receivers(world.publish("svc", "e")) == ["x", "y"]
    assert receivers(world.publish("y", "e")) == ["svc"]
    world.graph.leave("bob", "T")
    assert receivers(world.publish("x", "e")) == []
    assert receivers(world.publish("svc", "e")) == ["y"]


def what_is_mapped_for_a_named_client_is_not_of_its_own_event_service(router: RouterOf) -> None:
    """Several into one: what the service itself published is not among them."""
    gather = Gather(2, "", 3, "", (("n", "count", "n"),))
    world = world_of(router, (Scope("S"),), (Edge("x", "S"),), svc="")
    world.graph.add(Client("svc", "svc"))
    for name in ("ann", "bob"):
        world.graph.add(Client(name, "svc", name))
    world.graph.join(Edge("bob", "S", consumes=False))
    world.graph.join(Edge("ann", "S", down=Mapping((Rule(None, (gather,)),))))
    assert receivers(world.publish("x", "e", n=1)) == []
    assert receivers(world.publish("svc", "e", n=2)) == []
    assert receivers(world.publish("x", "e", n=3)) == ["svc"]


def a_named_client_asks_for_each_path_and_carries_context_for_its_service(
    router: RouterOf,
) -> None:
    scopes = Scope("S"), Scope("A"), Scope("B"), Scope("P", session=True), Scope("Q", session=True)
    more = Mapping((Rule(None, (lambda event: (event.with_attributes({"by": "A"}),),)),))
    edges = Edge("x", "S"), Edge("A", "S", down=more), Edge("B", "S")
    world = world_of(router, scopes, edges, svc="")
    world.graph.add(Client("svc", "svc"))
    world.graph.add(Client("ann", "svc", "ann", carries_context=False, each_path=True))
    assert receivers(world.publish("x", "e")) == []
    world.graph.join(Edge("svc", "A"))
    world.graph.join(Edge("svc", "B"))
    assert receivers(world.publish("x", "e")) == ["svc"]
    world.graph.leave("svc", "A")
    world.graph.join(Edge("ann", "A"))
    assert receivers(world.publish("x", "e")) == ["svc", "svc"]
    world.graph.join(Edge("svc", "P"))
    with pytest.raises(ScopeError, match="ann carries no context"):
        world.graph.join(Edge("svc", "Q"))
    with pytest.raises(ScopeError, match="ann carries no context"):
        world.graph.join(Edge("ann", "Q"))


def a_scope_looks_for_a_named_client_where_it_is_a_member(router: RouterOf) -> None:
    """A client is not a subscope: it is as near as a component, and as busy as its service."""
    scopes = (
        Scope("Top", traverse=Traverse.TOP_DOWN, delivery=Delivery(Turn.LOAD)),
        Scope("Sub"),
    )
    edges = Edge("x", "Top"), Edge("Sub", "Top"), Edge("z", "Sub"), Edge("y", "Top")
    world = world_of(router, scopes, edges, svc="", z="", y="")
    world.graph.add(Client("svc", "svc"))
    world.graph.add(Client("ann", "svc", "ann"))
    world.graph.join(Edge("ann", "Top"))
    world.audience.loads = {"svc": 2, "y": 1, "z": 0}
    assert receivers(world.publish("x", "e")) == ["y"]
    world.audience.loads = {"svc": 2, "y": 3, "z": 0}
    assert receivers(world.publish("x", "e")) == ["svc"]
    world.graph.add(Scope("Top", traverse=Traverse.BOTTOM_UP))
    assert receivers(world.publish("x", "e")) == ["z"]
