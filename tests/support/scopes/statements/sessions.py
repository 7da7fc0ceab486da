"""Sessions: what is published in reaction goes into the one that it came from."""

import pytest
from fes.errors import ScopeError
from fes.scopes import Client, Edge, Graph, Scope
from fes.scopes.policies.declared import Publishing
from support.scopes.market import (
    QUARTER_US,
    figure3,
    only,
    receivers,
)
from support.scopes.statements.worlds import world_of
from support.scopes.town import RouterOf


def an_order_in_a_session_reaches_its_floor_only(router: RouterOf) -> None:
    world = figure3(router, sessions=True)
    for name in ("pc1", "pc2", "pc3", "pc4"):
        world.audience.subscribe(name, "subject = 'Order'")
    outcome = world.publish("pc1", "Order", share="SAP")
    assert receivers(outcome) == ["db", "me"]
    assert {each.session for each in outcome.deliveries} == {"C1"}


def an_acceptance_reaches_its_customer_only(router: RouterOf) -> None:
    world = figure3(router, sessions=True)
    order = world.publish("pc1", "Order", share="SAP").deliveries[0]
    other = world.publish("pc2", "Order", share="SAP").deliveries[0]
    assert receivers(world.publish("db", "Accept", other.session)) == ["pc2"]
    assert receivers(world.publish("db", "Accept", order.session)) == ["pc1"]
    quote = world.publish("me", "Quote", order.session, share="SAP")
    assert receivers(quote) == ["db", "pc3"]


def y_publishes_only_into_the_session_it_came_from(router: RouterOf) -> None:
    world = world_of(
        router,
        (Scope("S", session=True), Scope("T", session=True), Scope("plain")),
        (
            Edge("x", "S"),
            Edge("y", "S"),
            Edge("y", "T"),
            Edge("u", "T"),
            Edge("y", "plain"),
            Edge("z", "plain"),
        ),
        x="",
        y="",
        u="",
        z="",
    )
    came = only(world.publish("x", "data"))
    assert (came.consumer, came.session) == ("y", "S")
    signed = world.publish("y", "signed", came.session)
    assert receivers(signed) == ["x", "z"]
    assert receivers(world.publish("y", "signed")) == ["u", "x", "z"]


def a_session_far_above_binds_as_well(router: RouterOf) -> None:
    world = world_of(
        router,
        (Scope("S", session=True), Scope("T", session=True), Scope("A"), Scope("B")),
        (
            Edge("A", "S"),
            Edge("B", "T"),
            Edge("y", "A"),
            Edge("y", "B"),
            Edge("x", "A"),
            Edge("s", "S"),
            Edge("t", "T"),
            Edge("b", "B"),
        ),
        s="",
        t="",
        x="",
        y="",
        b="",
    )
    came = [each for each in world.publish("x", "e").deliveries if each.consumer == "y"]
    assert [each.session for each in came] == ["S"]
    assert receivers(world.publish("y", "e", "S")) == ["b", "s", "x"]


def a_client_without_context_is_not_in_two_sessions(router: RouterOf) -> None:
    graph = Graph()
    graph.add(Client("old", carries_context=False))
    for name in ("S", "T"):
        graph.add(Scope(name, session=True))
    graph.add(Scope("A"))
    graph.join(Edge("old", "A"))
    graph.join(Edge("A", "S"))
    with pytest.raises(ScopeError, match=r"old carries no context .*: S, T"):
        graph.join(Edge("A", "T"))
    assert router(graph) is not None


def an_ended_session_releases_or_drops(router: RouterOf) -> None:
    for drops, seen in ((False, ["y"]), (True, [])):
        policy = Publishing(delay_us=QUARTER_US, drop_at_end=drops)
        world = world_of(
            router,
            (Scope("S"), Scope("A", publishing=policy, session=True)),
            (Edge("A", "S"), Edge("x", "A"), Edge("y", "S")),
            y="",
        )
        world.publish("x", "e")
        outcome = world.kept(world.manager.end("A", world.now_us))
        assert receivers(outcome) == seen
        assert len(outcome.dropped) == int(drops)
