"""Interfaces: of scopes and of edges, and what crosses them."""

from fes.scopes import Edge, Scope
from support.scopes.market import (
    receivers,
    subjects,
)
from support.scopes.statements.worlds import world_of
from support.scopes.town import RouterOf


def an_empty_interface_lets_nothing_pass(router: RouterOf) -> None:
    world = world_of(
        router,
        (Scope("S"), Scope("A", output=subjects(), input=subjects())),
        (Edge("A", "S"), Edge("x", "A"), Edge("y", "S"), Edge("z", "A")),
        x="",
        y="",
        z="",
    )
    assert receivers(world.publish("x", "e")) == ["z"]
    assert receivers(world.publish("y", "e")) == []


def the_common_superscopes_own_interface_is_not_crossed(router: RouterOf) -> None:
    world = world_of(
        router,
        (Scope("S", input=subjects(), output=subjects()),),
        (Edge("x", "S"), Edge("y", "S")),
        y="",
    )
    assert receivers(world.publish("x", "e")) == ["y"]


def an_edge_has_its_own_interface(router: RouterOf) -> None:
    world = world_of(
        router,
        (Scope("S"), Scope("T"), Scope("A", output=subjects("a"))),
        (
            Edge("A", "S"),
            Edge("A", "T", output=subjects("b")),
            Edge("x", "A"),
            Edge("s", "S"),
            Edge("t", "T"),
        ),
        s="",
        t="",
    )
    assert receivers(world.publish("x", "a")) == ["s"]
    assert receivers(world.publish("x", "b")) == ["t"]
