"""Membership: who may join, and when it counts."""

import pytest
from fes.errors import ScopeError
from fes.scopes import Client, Edge, Rights, Scope
from fes.scopes.policies.declared import Publishing
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
