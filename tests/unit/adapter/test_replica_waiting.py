"""What waits for a replica whose link is down, how long, and in which order it goes."""

import pytest
from fes.adapter.replicas import waiting
from fes.adapter.replicas.waiting import Waiting
from fes.control import RequestType
from fes.link.messages import HeardControl
from fes.link.rendezvous import owner
from unit.adapter.replicated import Bench, Replica, control, controls, linked, origin_of


def test_events_of_an_origin_wait_for_their_owner_and_go_in_their_order() -> None:
    bench = linked("A", "B")
    origin = origin_of("B", "AB")
    bench["B"].down()
    for sequence in range(1, 6):
        assert bench.hear("x", origin=origin, sequence=sequence)
    assert bench.board.counters["replica_waiting"] == 5

    bench["B"].link("x")
    assert bench.hear("x", origin=origin, sequence=6)

    assert bench["B"].sequences == [1, 2, 3, 4, 5, 6]
    assert {heard.matched for heard in bench["B"].heard} == {(bench["B"].wants["x"],)}
    assert not bench["A"].heard


def test_events_that_wait_go_to_the_new_owner_before_what_is_newer() -> None:
    bench = linked("A", "B")
    origin = origin_of("B", "AB")
    bench["B"].down()
    bench.hear("x", origin=origin, sequence=1)
    bench.hear("x", origin=origin, sequence=2)

    bench.change(2, "A")
    bench["A"].view(bench.view)
    bench.hear("x", origin=origin, sequence=3)

    assert bench["A"].sequences == [1, 2, 3]


def test_events_wait_on_where_the_new_owner_is_not_linked_either() -> None:
    bench = Bench("A", "B", "C")
    for name in "AB":
        bench[name].link("x")
    names = map(str, range(999))
    origin = next(o for o in names if [owner(o, "ABC"), owner(o, "AB")] == ["C", "B"])
    bench.hear("x", origin=origin, sequence=1)
    bench["B"].down()
    bench.change(2, "A", "B")
    bench["A"].view(bench.view)
    bench.hear("x", origin=origin, sequence=2)
    assert not bench["A"].heard

    bench["B"].link("x")

    assert bench["B"].sequences == [1, 2]


def test_a_best_effort_event_waits_for_five_seconds() -> None:
    bench = linked("A", "B")
    bench["B"].down()
    bench.hear("x", origin=origin_of("B", "AB"), sequence=1)
    bench.pass_s(4.9)
    bench.hear("x", origin=origin_of("B", "AB"), sequence=2)
    bench.pass_s(0.2)

    assert bench.reasons == ["no replica"]
    assert bench.board.counters["replica_unlinked"] == 1
    bench["B"].link("x")
    assert bench["B"].sequences == [2]


def test_what_waited_for_too_long_is_never_sent() -> None:
    bench = linked("A", "B")
    bench["B"].down()
    bench.hear("x", origin=origin_of("B", "AB"))
    bench.now_s += 5.1

    bench["B"].link("x")

    assert not bench["B"].heard
    assert bench.reasons == ["no replica"]


def test_requests_and_persistent_events_wait_for_the_leader_for_thirty_seconds() -> None:
    bench = linked("A", "B")
    bench["A"].down()
    bench.hear_control(control(RequestType.SUBSCRIPTION))
    bench.hear("x", persistent=True)
    bench.pass_s(29)
    assert bench.board.counters["replica_waiting"] == 2

    bench.change(2, "A", "B", leader="B")
    bench["B"].view(bench.view)
    assert [type(message) for message in bench["B"].got].count(HeardControl) == 1
    assert len(bench["B"].heard) == 1

    bench["B"].down()
    bench.hear_control(control(RequestType.SUBSCRIPTION))
    bench.pass_s(31)
    assert bench.reasons == ["no replica"]


def test_what_waits_is_bounded_and_requests_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = linked("A", "B")
    bench.board._handing.waiting = Waiting(events=2, requests=1)
    bench["A"].down()
    bench["B"].down()
    events = [bench.hear("x", origin=f"o{n}") for n in range(3)]
    requests = [bench.hear_control(control(RequestType.SUBSCRIPTION)) for _ in range(2)]

    assert events == [True, True, False]
    assert requests == [True, False]
    assert bench.board.counters["replica_overflow"] == 2
    assert (waiting.EVENTS, waiting.REQUESTS) == (10_000, 1_000)


def test_what_was_handed_to_a_link_that_broke_is_not_sent_again() -> None:
    bench = linked("A", "B")
    origin = origin_of("B", "AB")
    bench.hear("x", origin=origin, sequence=1)
    bench["B"].down()
    bench["B"].got.clear()
    bench.hear("x", origin=origin, sequence=2)

    bench["B"].link("x")

    assert bench["B"].sequences == [2]


def test_what_a_full_link_does_not_take_after_waiting_is_dropped_and_counted() -> None:
    bench = linked("A", "B")
    bench["B"].down()
    bench.hear("x", origin=origin_of("B", "AB"))
    bench["B"].full = True

    bench["B"].link("x")

    assert bench.reasons == ["link queue full"]
    assert not bench.board.counters["replica_waiting"]


def test_what_waits_for_one_replica_does_not_stop_what_is_for_another() -> None:
    bench = linked("A", "B")
    bench["B"].down()
    bench.hear("x", origin=origin_of("B", "AB"))
    bench.hear("x", origin=origin_of("A", "AB"))

    assert len(bench["A"].heard) == 1


def test_what_waits_goes_to_a_gateway_that_has_no_replicas_any_more() -> None:
    bench = linked("A")
    bench["A"].down()
    bench.hear("x", sequence=1)
    bench.hear_control(control(RequestType.SUBSCRIPTION))
    bench.newest = None
    alone = Replica(bench, "alone")
    alone.link("x")

    assert alone.sequences == [1]
    assert len(controls(alone)) == 1
