"""To each replica what belongs to it: the newest view decides, and without one all is as before."""

import pytest
from fes.control import CONTROL_SUBJECT, RequestType
from fes.link.messages import (
    Counted,
    Heard,
    HeardControl,
)
from fes.model import Event
from unit.adapter.replicated import Bench, Replica, control, controls, linked, origin_of, stamp

PUBLICATION = RequestType.PUBLICATION
HELLO = Event.of(CONTROL_SUBJECT, Type=16, Source="home", Text="{}")


def test_a_best_effort_event_goes_to_the_owner_of_its_origin_under_its_numbers() -> None:
    bench = linked("A", "B", "C", filters=("x", "y"))
    for name in "ABC":
        assert bench.hear("y", "x", origin=origin_of(name, "ABC"))

    for name, replica in bench.replicas.items():
        (heard,) = replica.heard
        assert heard.stamp.origin == origin_of(name, "ABC")
        assert heard.matched == (replica.wants["y"], replica.wants["x"])
        assert heard.desired == replica.version


@pytest.mark.parametrize("more", [{"persistent": True}, {"token": 7}])
def test_persistent_events_go_to_the_leader(more: dict[str, int]) -> None:
    bench = linked("A", "B")
    assert bench.hear("x", origin=origin_of("B", "AB"), **more)

    assert len(bench["A"].heard) == 1
    assert not bench["B"].heard


def test_signals_and_counters_go_to_all() -> None:
    bench = linked("A", "B", "C")
    assert bench.hear_control(HELLO)
    assert bench.board.tell(Counted(ready=True, reason="", counters={}))

    for replica in bench.replicas.values():
        assert [type(message) for message in replica.got] == [HeardControl, Counted]


@pytest.mark.parametrize(
    "event",
    [
        control(RequestType.SUBSCRIPTION),
        control(PUBLICATION, origin=origin_of("B", "AB"), row=5),
        control(PUBLICATION, origin=origin_of("B", "AB"), reliability=1),
    ],
    ids=["request", "in custody", "persistent"],
)
def test_requests_and_custody_go_to_the_leader(event: Event) -> None:
    bench = linked("A", "B")
    assert bench.hear_control(event, publisher=origin_of("B", "AB"))

    assert len(controls(bench["A"])) == 1
    assert not controls(bench["B"])


def test_a_publication_goes_to_the_owner_of_the_origin_of_the_event_in_it() -> None:
    bench = linked("A", "B")
    bench.hear_control(control(PUBLICATION, origin_of("B", "AB")), publisher=origin_of("A", "AB"))

    assert len(controls(bench["B"])) == 1
    assert not controls(bench["A"])


def test_a_publication_without_a_stamp_of_its_own_goes_by_its_publisher() -> None:
    bench = linked("A", "B")
    event = Event.of(CONTROL_SUBJECT, Type=3, DistList="away", Source="home")
    bench.hear_control(event, publisher=origin_of("B", "AB"))

    assert len(controls(bench["B"])) == 1


def test_what_the_adapter_asks_goes_to_the_leader_or_is_asked_again() -> None:
    bench = linked("A", "B")
    request = HeardControl(stamp("adapter"), b"", observed=True)

    assert bench.board.ask(request)
    bench["A"].down()
    assert not bench.board.ask(request)

    assert controls(bench["A"]) == [request]
    assert not controls(bench["B"])


def test_what_a_replica_does_not_know_yet_is_dropped_or_delivered_again() -> None:
    bench = linked("A")
    bench.change(2, "A", "B")
    bench["A"].view(bench.view)
    late = bench.replicas["B"] = Replica(bench, "B")
    late.link()

    assert bench.hear("x", origin=origin_of("B", "AB"))
    assert bench.reasons == ["replica does not know it yet"]
    assert bench.board.counters["replica_unknown"] == 1

    bench.change(3, "A", "B", leader="B")
    late.view(bench.view)
    assert not bench.hear("x", token=1)
    assert bench.board.counters["replica_unknown"] == 1


def test_the_newest_view_decides_whoever_tells_it() -> None:
    bench = linked("A", "B")
    old = bench.view
    bench.change(2, "A", "B", leader="B")
    bench["A"].view(bench.view)
    bench["B"].view(old)

    bench.hear("x", token=1)

    assert len(bench["B"].heard) == 1


def test_a_replica_is_used_once_its_whole_state_is_here() -> None:
    bench = linked("A")
    bench.change(2, "A", "B", leader="B")
    other = bench.replicas["B"] = Replica(bench, "B")
    other.up()
    assert not bench.hear("x", token=1)
    assert not bench.board.linked

    other.desire("x")

    assert bench.hear("x", token=1)
    assert bench.board.linked


def test_a_gateway_without_replicas_is_sent_all_as_it_is() -> None:
    bench = Bench()
    alone = bench.replicas["alone"] = Replica(bench, "alone")
    alone.link("x")
    heard = Heard(stamp("car"), (), "Speed", (alone.wants["x"],), 3, 0, 0, False, b"")
    said = HeardControl(stamp("client"), b"")

    assert bench.board.hear(heard)
    assert bench.board.hear_control(said, control(RequestType.SUBSCRIPTION))
    assert bench.board.linked

    assert alone.got[-2] is heard
    assert alone.got[-1] is said
    alone.down()
    assert not bench.board.hear(heard)
    assert not bench.board.counters["replica_waiting"]


def test_a_link_that_said_nothing_yet_gets_counters_only() -> None:
    bench = Bench()
    silent = Replica(bench, "silent")
    silent.up()

    assert bench.board.tell(Counted(ready=True, reason="", counters={}))
    assert not bench.hear_control(control(RequestType.SUBSCRIPTION))
    assert not bench.board.linked

    assert [type(message) for message in silent.got] == [Counted]


def test_the_adapter_tells_anew_what_it_observed_when_another_leads() -> None:
    bench = linked("A", "B")
    assert bench.inside.links == 1

    bench.change(2, "A", "B", leader="B")
    bench["A"].view(bench.view)
    assert bench.inside.links == 2

    bench["A"].down()
    assert bench.inside.links == 2


# Fence
