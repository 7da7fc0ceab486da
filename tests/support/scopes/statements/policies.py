"""Transmission policies: delivery, traverse and publishing."""

from fes.filter import Filter
from fes.scopes import Edge, Scope
from fes.scopes.policies.declared import Delivery, Publishing, Traverse, Turn
from support.scopes.market import (
    MINUTE_US,
    World,
    only,
    receivers,
)
from support.scopes.statements.worlds import world_of
from support.scopes.town import RouterOf


def engines(router: RouterOf, delivery: Delivery) -> World:
    """Return a scope with three engines of which one receives each order."""
    world = world_of(
        router,
        (Scope("S"), Scope("TF", delivery=delivery)),
        (Edge("c", "S"), Edge("TF", "S"), *(Edge(f"me{at}", "TF") for at in range(3))),
        **{f"me{at}": "subject = 'Order'" for at in range(3)},
    )
    world.audience.subscribe("c", "")
    return world


def one_of_n_by_turns_stays_one_over_a_restart(router: RouterOf) -> None:
    world = engines(router, Delivery(Turn.TURNS))
    chosen = []
    for _ in range(4):
        chosen.append(only(world.publish("c", "Order")).consumer)
        world.restart()
    assert chosen == ["me0", "me1", "me2", "me0"]
    world.audience.absent.add("me1")
    assert only(world.publish("c", "Order")).consumer == "me2"
    assert receivers(world.publish("c", "Note")) == []


def one_of_n_from_inside_is_one_too(router: RouterOf) -> None:
    world = engines(router, Delivery(Turn.TURNS))
    assert len(receivers(world.publish("me1", "Order"))) == 2
    assert "c" in receivers(world.publish("me1", "Order"))


def a_scope_does_not_choose_the_member_that_an_event_came_from(router: RouterOf) -> None:
    world = world_of(
        router,
        (Scope("S", delivery=Delivery(Turn.TURNS)), Scope("A")),
        (Edge("A", "S"), Edge("x", "A"), Edge("a", "A"), Edge("b", "S")),
        a="",
        b="",
    )
    assert [receivers(world.publish("x", "e")) for _ in range(2)] == [["a", "b"]] * 2


def one_of_n_by_hash_shares_out_by_share(router: RouterOf) -> None:
    world = engines(router, Delivery(Turn.HASH, "share"))
    by_share = {
        share: {only(world.publish("c", "Order", share=share)).consumer for _ in range(3)}
        for share in map(str, range(20))
    }
    assert all(len(engines) == 1 for engines in by_share.values())
    assert len(set.union(*by_share.values())) == 3


def one_of_n_by_load_and_by_who_had_it(router: RouterOf) -> None:
    world = engines(router, Delivery(Turn.LOAD))
    world.audience.loads = {"me0": 5, "me1": 1, "me2": 3}
    assert only(world.publish("c", "Order")).consumer == "me1"
    sticky = engines(router, Delivery(Turn.STICKY, "share"))
    first = only(sticky.publish("c", "Order", share="SAP")).consumer
    assert only(sticky.publish("c", "Order", share="IBM")).consumer != first
    sticky.restart()
    assert only(sticky.publish("c", "Order", share="SAP")).consumer == first


def traverse(router: RouterOf, policy: Traverse) -> World:
    """Return a scope with a member, a subscope, and one below that."""
    return world_of(
        router,
        (Scope("S"), Scope("A", traverse=policy), Scope("B"), Scope("C")),
        (
            Edge("x", "S"),
            Edge("A", "S"),
            Edge("B", "A"),
            Edge("C", "B"),
            Edge("a", "A"),
            Edge("b", "B"),
            Edge("c", "C"),
        ),
        a="subject = 'both'",
        c="subject IN ('both', 'deep')",
    )


def top_down_searches_members_first(router: RouterOf) -> None:
    world = traverse(router, Traverse.TOP_DOWN)
    assert receivers(world.publish("x", "both")) == ["a"]
    assert receivers(world.publish("x", "deep")) == ["c"]


def bottom_up_searches_the_deepest_first(router: RouterOf) -> None:
    world = traverse(router, Traverse.BOTTOM_UP)
    assert receivers(world.publish("x", "both")) == ["c"]
    world.audience.filters["c"] = []
    assert receivers(world.publish("x", "both")) == ["a"]


def publishing_chooses_the_superscope(router: RouterOf) -> None:
    choose = {"S": Filter.of("n > 1"), "T": Filter.of("n <= 1")}
    world = world_of(
        router,
        (Scope("S"), Scope("T"), Scope("A", publishing=Publishing(choose))),
        (Edge("A", "S"), Edge("A", "T"), Edge("x", "A"), Edge("s", "S"), Edge("t", "T")),
        s="",
        t="",
    )
    assert receivers(world.publish("x", "e", n=2)) == ["s"]
    assert receivers(world.publish("x", "e", n=1)) == ["t"]


def publishing_waits_for_a_condition_in_a_bounded_queue(router: RouterOf) -> None:
    policy = Publishing(
        until=Filter.of("subject = 'Open'"), which=Filter.of("subject = 'Order'"), waiting=2
    )
    world = world_of(
        router,
        (Scope("S"), Scope("A", publishing=policy)),
        (Edge("A", "S"), Edge("x", "A"), Edge("y", "S")),
        y="subject = 'Order'",
    )
    dropped = [world.publish("x", "Order", n=at).dropped for at in range(3)]
    assert [len(each) for each in dropped] == [0, 0, 1]
    world.restart()
    released = world.publish("x", "Open").deliveries
    assert [each.event.parameter("n") for each in released] == [1, 2]


def a_delayed_path_repeats_nothing(router: RouterOf) -> None:
    policy = Publishing(delay_us=MINUTE_US)
    world = world_of(
        router,
        (Scope("S"), Scope("A", publishing=policy)),
        (Edge("A", "S"), Edge("x", "A"), Edge("y", "A"), Edge("y", "S"), Edge("z", "S")),
        y="",
        z="",
    )
    assert receivers(world.publish("x", "e")) == ["y"]
    world.restart()
    assert receivers(world.wait(MINUTE_US)) == ["z"]
