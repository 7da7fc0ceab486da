"""What the paper states, and what we decided where it is silent; each a check of one router."""

from collections.abc import Callable

import pytest
from fes.errors import ScopeError
from fes.filter import Filter
from fes.model import Event, Stamp
from fes.scopes import Client, Edge, Graph, Rights, Scope
from fes.scopes.mappings.mapping import Gather, Mapping, Rule
from fes.scopes.mappings.steps import renamed, scaled
from fes.scopes.mappings.xml import from_xml, to_xml
from fes.scopes.policies.declared import Delivery, Publishing, Traverse, Turn
from support.scopes.market import (
    MINUTE_US,
    QUARTER_US,
    World,
    figure3,
    only,
    receivers,
    subjects,
)
from support.scopes.town import RouterOf

Statement = Callable[[RouterOf], None]
NAMES = {"Sym": ("share", "string"), "Qty": ("number", "long"), "Px": ("price", "double")}


def world_of(
    router: RouterOf,
    scopes: tuple[Scope, ...],
    edges: tuple[Edge, ...],
    **subscriptions: str,
) -> World:
    """Return a small world whose components are whatever is named and is no scope."""
    graph = Graph()
    for scope in scopes:
        graph.add(scope)
    for edge in edges:
        if edge.member not in graph:
            graph.add(Client(edge.member))
    for edge in edges:
        graph.join(edge)
    world = World(graph, router)
    for consumer, text in subscriptions.items():
        world.audience.subscribe(consumer, text)
    return world


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


def a_consumer_receives_once_by_the_path_with_fewest_mappings(router: RouterOf) -> None:
    doubled = Mapping((Rule(None, (scaled({"n": (2.0, 0.0)}),)),))
    world = world_of(
        router,
        (Scope("S"), Scope("A"), Scope("B")),
        (
            Edge("A", "S", up=doubled),
            Edge("B", "S"),
            Edge("x", "A"),
            Edge("x", "B"),
            Edge("y", "S"),
        ),
        y="",
    )
    received = only(world.publish("x", "e", n=1))
    assert received.event.parameter("n") == 1
    assert received.stamp.origin == "x"


def of_equal_paths_the_one_declared_first_is_used(router: RouterOf) -> None:
    def times(factor: float) -> Mapping:
        return Mapping((Rule(None, (scaled({"n": (factor, 0.0)}),)),))

    world = world_of(
        router,
        (Scope("S"), Scope("A"), Scope("B")),
        (
            Edge("B", "S", up=times(3.0)),
            Edge("A", "S", up=times(2.0)),
            Edge("x", "A"),
            Edge("x", "B"),
            Edge("y", "S"),
        ),
        y="",
    )
    assert only(world.publish("x", "e", n=1)).event.parameter("n") == 3.0
    world.graph.add(Client("y", each_path=True))
    both = world.publish("x", "e", n=1).deliveries
    assert sorted(each.event.parameter("n") for each in both) == [2.0, 3.0]
    assert len({each.stamp for each in both}) == 2


def a_path_with_more_steps_and_fewer_mappings_is_better(router: RouterOf) -> None:
    mapped = Mapping((Rule(None, (renamed({"n": "m"}),)),))
    graph = Graph()
    for node in (Client("x"), Client("y"), Scope("S"), Scope("A")):
        graph.add(node)
    for edge in (Edge("A", "S", up=mapped), Edge("x", "A"), Edge("y", "S")):
        graph.join(edge)
    graph.add(Scope("G", session=True))
    graph.join(Edge("x", "G"))
    graph.join(Edge("y", "G"))
    world = World(graph, router)
    world.audience.subscribe("y", "")
    assert only(world.publish("x", "e", n=1)).event.parameter("n") == 1


def what_a_mapping_makes_has_a_derived_identity(router: RouterOf) -> None:
    world = world_of(
        router,
        (Scope("S"), Scope("A")),
        (
            Edge("A", "S", up=Mapping((Rule(None, (renamed({"a": "b"}),)),))),
            Edge("x", "A"),
            Edge("y", "S"),
        ),
        y="",
    )
    first = only(world.publish("x", "e", a=1))
    world.restart()
    world._sequence = 0
    again = only(world.publish("x", "e", a=1))
    assert first.stamp == again.stamp
    assert first.stamp.origin.startswith("x~")
    assert first.event.parameter("b") == 1


def documents_outside_are_records_inside(router: RouterOf) -> None:
    inside = Mapping((Rule(None, (from_xml("xml", NAMES, "Order"),)),))
    outside = Mapping((Rule(None, (to_xml("xml", NAMES, "Quote"),)),))
    world = world_of(
        router,
        (Scope("S"), Scope("TF", input=subjects("Order"))),
        (Edge("TF", "S", up=outside, down=inside), Edge("me", "TF"), Edge("c", "S")),
        me="subject = 'Order' AND number > 5",
        c="subject = 'Quote'",
    )
    order = only(world.publish("c", "FIXML", xml='<Order Sym="A&amp;B" Qty="7" Px="1.5"/>'))
    fields = [(each.id, each.value) for each in order.event.parameters]
    assert fields == [("share", "A&B"), ("number", 7), ("price", 1.5)]
    quote = only(world.publish("me", "Quote", share="A&B", price=2.5))
    assert quote.event.parameter("xml") == '<Quote Sym="A&amp;B" Px="2.5"/>'
    for bad in ("<Order", "<!DOCTYPE a [<!ENTITY b 'c'>]><Order/>", "<Order><b/></Order>"):
        assert receivers(world.publish("c", "FIXML", xml=bad)) == []


def several_events_become_one_also_over_a_restart(router: RouterOf) -> None:
    bar = Gather(3, "share", subject="Bar", results=(("high", "max", "price"), ("n", "count", "")))
    world = world_of(
        router,
        (Scope("S"), Scope("A")),
        (Edge("A", "S", up=Mapping((Rule(None, (bar,)),))), Edge("x", "A"), Edge("y", "S")),
        y="",
    )
    world.publish("x", "Tick", share="SAP", price=3.0)
    world.publish("x", "Tick", share="IBM", price=9.0)
    world.publish("x", "Tick", share="SAP", price=5.0)
    world.restart()
    made = only(world.publish("x", "Tick", share="SAP", price=4.0))
    assert (made.event.subject, made.event.parameter("high")) == ("Bar", 5.0)
    assert (made.event.parameter("share"), made.event.parameter("n")) == ("SAP", 3)


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


STATEMENTS: dict[str, Statement] = {
    name: each
    for name, each in list(globals().items())
    if callable(each)
    and getattr(each, "__module__", "") == __name__
    and each.__annotations__ == {"router": RouterOf, "return": None}
}
