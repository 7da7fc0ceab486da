"""What is visible to whom, in figures 2 and 3."""

import pytest
from fes.errors import ScopeError
from fes.model import Event, Stamp
from fes.scopes import Edge, Scope
from support.scopes.market import (
    MINUTE_US,
    QUARTER_US,
    World,
    figure3,
    only,
    receivers,
)
from support.scopes.statements.worlds import world_of
from support.scopes.town import RouterOf


def figure2_sees_up_to_a_common_superscope(router: RouterOf) -> None:
    world = world_of(
        router,
        (Scope("S"), Scope("T")),
        (Edge("x", "S"), Edge("y", "S"), Edge("y", "T"), Edge("u", "T")),
        x="",
        y="",
        u="",
    )
    visible = world.graph.visible
    assert visible("y", "u")
    assert visible("u", "y")
    assert visible("x", "x")
    assert not visible("x", "u")
    assert receivers(world.publish("y", "e")) == ["u", "x"]
    assert receivers(world.publish("x", "e")) == ["y"]


def a_cycle_is_refused_with_its_members(router: RouterOf) -> None:
    graph = world_of(router, (Scope("A"), Scope("B"), Scope("C")), (Edge("A", "B"),)).graph
    graph.join(Edge("B", "C"))
    with pytest.raises(ScopeError, match=r"cycle: C -> A -> B -> C"):
        graph.join(Edge("C", "A"))
    with pytest.raises(ScopeError, match="cycle"):
        graph.join(Edge("A", "A"))


def a_simple_component_is_never_a_superscope(router: RouterOf) -> None:
    graph = world_of(router, (Scope("A"),), (Edge("x", "A"),)).graph
    with pytest.raises(ScopeError, match="x is a simple component"):
        graph.join(Edge("A", "x"))


def sap_quotes_of_the_floor_reach_c3_and_not_c4(router: RouterOf) -> None:
    world = figure3(router)
    assert receivers(world.publish("me", "Quote", share="SAP")) == ["db", "pc3"]
    assert receivers(world.publish("me2", "Quote", share="SAP")) == ["pc3", "pc4"]


def the_order_book_never_leaves_the_floor(router: RouterOf) -> None:
    world = figure3(router)
    for name in ("pc1", "pc2", "pc3", "pc4", "me2"):
        world.audience.subscribe(name, "subject = 'OrderBook'")
    assert receivers(world.publish("me", "OrderBook")) == ["db"]


def private_customers_see_quotes_after_a_quarter_of_an_hour(router: RouterOf) -> None:
    world = figure3(router)
    first = world.publish("me", "Quote", share="SAP")
    assert receivers(first) == ["db", "pc3"]
    assert first.waiting == 1
    assert receivers(world.wait(14 * MINUTE_US)) == []
    world.restart()
    late = only(world.wait(MINUTE_US))
    assert (late.consumer, late.stamp) == ("pc2", first.deliveries[0].stamp)
    assert receivers(world.wait(QUARTER_US)) == []
    assert not world.rows


def accepts_do_not_wait(router: RouterOf) -> None:
    world = figure3(router)
    assert receivers(world.publish("db", "Accept")) == ["pc1", "pc2", "pc3"]


def what_waits_obeys_its_timeout(router: RouterOf) -> None:
    world = figure3(router)
    for seconds, seen in ((600.0, []), (1000.0, ["pc2"])):
        event = Event.of("Quote", {"share": "SAP"}, {"Timeout": seconds})
        world._sequence += 1
        stamp = Stamp("me", 1, world._sequence, world.now_us, "me")
        world.kept(world.manager.publish("me", event, stamp, world.now_us))
        late = world.wait(QUARTER_US)
        assert receivers(late) == seen
        if seen:
            assert only(late).event.attribute("Timeout") == pytest.approx(100.0)
        else:
            assert [str(reason) for reason, _ in late.dropped] == ["expired while it waited"]


def c3_tells_two_markets_apart(router: RouterOf) -> None:
    graph = figure3(router).graph
    for market in ("M1", "M2"):
        graph.add(Scope(market, session=True))
    world = World(graph, router)
    world.audience.subscribe("pc3", "subject = 'Quote'")
    one = only(world.publish("me", "Quote", share="SAP"))
    other = only(world.publish("me2", "Quote", share="SAP"))
    assert (one.session, other.session) == ("M1", "M2")
