"""Events that mappings and policies apply to: repeated, refused, delayed, and at replicas."""

from typing import Any

import pytest
from fes.control import RequestType
from fes.gateway import AdapterSettings
from fes.gateway.inputs import Inject, LinkUp, Tick
from fes.gateway.outputs import Decided
from fes.gateway.replication import INBOX
from fes.link.messages import Confirmed, Publish, Taken
from fes.model import Event, Stamp
from fes.model.attributes import RELIABILITY, START_TIME, TIMEOUT
from fes.scopes import Edge, Graph, Scope
from fes.scopes.mappings.mapping import Mapping, Rule
from fes.scopes.mappings.steps import scaled
from fes.scopes.policies.declared import Delivery, Publishing, Turn
from support.gateways.cores import NOW, SECOND, heard, orders, request, topology_of
from support.gateways.custodies import say_given
from support.gateways.replicated import Replicas, numbers, replicas
from support.scopes.single import SERVICES, Gateway, published, two

HALF = Mapping((Rule(None, (scaled({"rate": (0.5, 0.0)}),)),))
KEPT = Event.of("Speed", rate=80.0).with_attributes({RELIABILITY: 1})


def in_turns() -> Graph:
    """Return a market that gives each event to south or west in turn."""
    graph = two(Scope("floor"))
    graph.add(Scope("market", delivery=Delivery(Turn.TURNS)))
    graph.join(Edge("west", "market"))
    return graph


def subscribed(graph: Graph, **settings: Any) -> Gateway:
    """Return a gateway at persistent event services, where south and west have subscribed."""
    gateway = Gateway(graph, **settings)
    for name in SERVICES:
        gateway.give(LinkUp(persistent=True), name)
    gateway.subscribe("south", 1)
    gateway.subscribe("west", 2)
    return gateway


def managed_by_two(graph: Graph) -> Replicas:
    """Return two replicas of a gateway that manages scopes; the first leads."""
    return replicas(
        "a",
        "b",
        adapters={name: AdapterSettings(f"g1.{name}", name) for name in SERVICES},
        services=SERVICES,
        topology=topology_of(*SERVICES),
        scopes=graph,
        scope_manager="g1",
        gateways={"g1": SERVICES},
    )


def received(outputs: list[Any]) -> list[str]:
    return [name for name in SERVICES if published(outputs, name)]


def keep(gateway: Gateway, sequence: int) -> tuple[bool, list[str]]:
    """Have a persistent event received; return whether it was accepted, and who receives it."""
    outputs = gateway.hear(sequence, KEPT, persistent=True, token=sequence)
    (taken,) = [each for each in orders(outputs, "north") if isinstance(each, Taken)]
    return taken.taken, received(outputs)


def confirm(gateway: Gateway, outputs: list[Any], service: str) -> list[Any]:
    rows = [each.row for each in orders(outputs, service) if isinstance(each, Publish)]
    return [made for row in rows for made in gateway.give(Confirmed(row), service)]


def test_a_repeated_best_effort_event_is_given_to_nobody_else() -> None:
    gateway = subscribed(in_turns())
    assert [received(gateway.hear(sequence)) for sequence in (1, 1, 2)] == [["south"], [], ["west"]]


def test_a_repetition_prolongs_what_is_remembered_of_a_persistent_event() -> None:
    gateway = subscribed(in_turns())
    horizon_us = gateway.settings.retransmission_us
    assert keep(gateway, 1) == (True, ["south"])
    for _ in range(3):
        gateway.wait(horizon_us * 3 // 4)
        assert keep(gateway, 1) == (True, []), "the one before had no answer yet"


def test_a_repetition_soon_after_writes_nothing() -> None:
    gateway = subscribed(in_turns())
    keep(gateway, 1)
    before = {key: value for key, value in gateway.rows.items() if "handled" in key}
    gateway.wait(1)
    keep(gateway, 1)
    assert {key: value for key, value in gateway.rows.items() if "handled" in key} == before != {}


def test_what_is_not_kept_needs_no_room_in_custody() -> None:
    gateway = Gateway(two(Scope("floor"), up=HALF), custody_bytes=1)
    gateway.subscribe("south", 1)
    assert keep(gateway, 1) == (True, ["south"])


def test_a_persistent_event_is_refused_before_a_policy_decides_about_it() -> None:
    gateway = subscribed(in_turns(), custody=1)
    assert keep(gateway, 1) == (True, ["south"])
    assert keep(gateway, 2) == (False, []), "there may be no room at south"
    for row in list(gateway.core.delivery.custody):
        gateway.give(Confirmed(row.number), row.destination)
    assert keep(gateway, 2) == (True, ["west"]), "the turn is not lost"


def test_a_persistent_event_is_accepted_for_all_or_for_none() -> None:
    graph = two(Scope("floor"), up=HALF)
    graph.join(Edge("west", "market"))
    gateway = subscribed(graph, custody=1)
    assert keep(gateway, 1) == (True, ["south", "west"])
    (row,) = [each for each in gateway.core.delivery.custody if each.destination == "south"]
    gateway.give(Confirmed(row.number), "south")
    assert keep(gateway, 2) == (False, [])


def test_what_waited_is_accepted_where_custody_is_full() -> None:
    gateway = subscribed(two(Scope("floor", publishing=Publishing(delay_us=SECOND))), custody=1)
    for sequence in (1, 2):
        assert keep(gateway, sequence) == (True, [])
    assert len(published(gateway.wait(2 * SECOND), "south")) == 2
    assert keep(gateway, 3) == (False, []), "the source waits"


@pytest.mark.parametrize(
    "graph",
    [
        two(Scope("floor")),
        two(Scope("floor"), up=HALF),
        two(Scope("floor", publishing=Publishing(delay_us=SECOND))),
    ],
)
def test_a_managed_event_waits_for_its_start_time(graph: Graph) -> None:
    gateway = subscribed(graph)
    event = Event.of("Speed", rate=80.0).with_attributes({START_TIME: "1970-01-01T00:16:50Z"})
    outputs = gateway.hear(1, event, starts_us=1_010 * SECOND)
    assert received(outputs) == []
    assert received(gateway.wait(9 * SECOND)) == []
    assert received(gateway.wait(SECOND)) == ["south"]


@pytest.mark.parametrize("timeout", [10, 10.0])
@pytest.mark.parametrize("delay_us", [0, SECOND])
def test_what_is_left_of_a_timeout_counts_from_its_publication(
    delay_us: int, timeout: float
) -> None:
    gateway = subscribed(two(Scope("floor", publishing=Publishing(delay_us=delay_us)), up=HALF))
    published_us = gateway.now.time_us - 4 * SECOND
    stamp = Stamp("car", 1, 1, published_us, "north")
    event = Event.of("Speed", rate=80.0).with_attributes({TIMEOUT: timeout})
    outputs = gateway.hear(1, event, stamp=stamp, expires_us=published_us + 10 * SECOND)
    outputs += gateway.wait(2 * SECOND)
    (order,) = [each for each in orders(outputs, "south") if isinstance(each, Publish)]
    assert order.expires_us == published_us + 10 * SECOND


def test_the_one_that_received_fewest_is_chosen() -> None:
    graph = two(Scope("floor"))
    graph.add(Scope("market", delivery=Delivery(Turn.LOAD)))
    graph.join(Edge("west", "market"))
    gateway = subscribed(graph)
    reached = [received(gateway.hear(sequence)) for sequence in (1, 2, 3)]
    assert reached == [["south"], ["west"], ["south"]]


def test_a_replica_that_leads_no_longer_releases_nothing() -> None:
    graph = two(Scope("floor", publishing=Publishing(delay_us=SECOND)))
    one = managed_by_two(graph)
    one.take("a", Inject(request(source="south", sequence=1, requester="south")))
    one.take("a", heard(numbers(one, "a")), "north")
    one.cores["a"].step_down()
    one.lead("b")
    reached = []
    for name in ("a", "b", "a"):
        later = NOW._replace(time_us=NOW.time_us + 2 * SECOND)
        reached.append(received(one.take(name, Tick(), now=later)))
    assert reached == [[], ["south"], []]


def test_what_waited_with_a_malformed_attribute_does_not_stop_the_others() -> None:
    gateway = subscribed(two(Scope("floor", publishing=Publishing(delay_us=SECOND))))
    gateway.hear(1, Event.of("Speed", rate=80.0).with_attributes({TIMEOUT: "soon"}))
    gateway.hear(2, Event.of("Speed", rate=80.0))
    outputs = gateway.wait(2 * SECOND)
    assert received(outputs) == ["south"]
    reasons = [each.reason for each in outputs if isinstance(each, Decided)]
    assert any(reason.startswith("scopes: attribute 'Timeout'") for reason in reasons), reasons


def test_a_follower_has_the_leader_manage_a_best_effort_event_of_its_origins() -> None:
    one = managed_by_two(in_turns())
    for sequence, source in enumerate(("south", "west"), 1):
        one.take("a", Inject(request(source=source, sequence=sequence, requester=source)))

    reached = []
    for sequence, replica in enumerate("abbab", 1):
        one.told.clear()
        one.take(replica, heard(numbers(one, replica), sequence), "north")
        by = {name for name, each in one.told if orders([each], "south") + orders([each], "west")}
        assert by == {"a"}, "the state of policies is the leader's"
        reached.append(received([each for _, each in one.told]))
    one.told.clear()
    control = request(RequestType.PUBLICATION, source="north", dist_list="south", sequence=9)
    one.take("b", say_given(control), "north")
    assert received([each for name, each in one.told if name == "a"]) == ["south"], "it is listed"
    assert reached == [["south"], ["west"], ["south"], ["west"], ["south"]]
    assert not any(key.startswith(INBOX) for key in one.state)
