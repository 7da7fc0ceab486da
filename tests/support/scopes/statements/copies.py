"""Copies: one for each consumer, and what a mapping makes."""

from fes.scopes import Client, Edge, Graph, Scope
from fes.scopes.mappings.mapping import Gather, Mapping, Rule
from fes.scopes.mappings.steps import renamed, scaled
from fes.scopes.mappings.xml import from_xml, to_xml
from support.scopes.market import (
    World,
    only,
    receivers,
    subjects,
)
from support.scopes.statements.worlds import world_of
from support.scopes.town import RouterOf

NAMES = {"Sym": ("share", "string"), "Qty": ("number", "long"), "Px": ("price", "double")}


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
