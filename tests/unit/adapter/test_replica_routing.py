"""To each replica what is its: the newest view decides, and without one all is as ever."""

import pytest
from fes.adapter.replicas import rows
from fes.adapter.replicas.rows import Rows
from fes.control import CONTROL_SUBJECT, RequestType
from fes.link.messages import (
    Confirmed,
    Counted,
    Heard,
    HeardControl,
    PublishControl,
    Taken,
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


def test_events_are_ordered_by_the_owner_of_their_origin_or_the_leader() -> None:
    bench = linked("A", "B", "C")
    before = len(bench.inside.orders)
    origin = origin_of("B", "ABC")
    for name in "ABC":
        bench[name].publish(origin)
        bench[name].line.receive(PublishControl(b"", True, 0, origin))

    assert len(bench.inside.orders) == before + 4
    assert bench.reasons == ["not its replica"] * 2
    assert bench.board.counters["replica_fenced"] == 2
    assert not bench["C"].got


@pytest.mark.parametrize(
    "order",
    [
        PublishControl(b"request"),
        PublishControl(b"custody", True, 0, origin_of("B", "AB"), 5),
        PublishControl(b"of nobody", True),
    ],
    ids=["request", "in custody", "without an origin"],
)
def test_requests_and_custody_are_ordered_by_the_leader_only(order: PublishControl) -> None:
    bench = linked("A", "B")
    before = len(bench.inside.orders)
    for name in "BA":
        bench[name].line.receive(order)

    assert bench.inside.orders[before:] == [order]
    assert bench.reasons == ["not its replica"]


def test_a_row_of_who_does_not_lead_is_answered_and_may_come_again() -> None:
    bench = linked("A", "B")
    bench["B"].publish(origin_of("B", "AB"), row=5)

    assert bench["B"].got == [Confirmed(5, "not its replica", retryable=True)]


def test_who_led_before_orders_nothing_any_more() -> None:
    bench = linked("A", "B")
    bench.change(2, "A", "B", leader="B")
    bench["B"].view(bench.view)
    before = len(bench.inside.orders)

    bench["A"].publish(row=5)
    bench["B"].publish(row=5)

    assert len(bench.inside.orders) == before + 1


def test_a_gateway_without_replicas_may_order_all() -> None:
    bench = Bench()
    alone = Replica(bench, "alone")
    alone.link()
    before = len(bench.inside.orders)
    alone.publish()
    alone.publish(row=5)
    alone.line.receive(PublishControl(b"request"))

    assert len(bench.inside.orders) == before + 3


# Answers


def test_a_confirmation_goes_to_who_ordered_the_row_last() -> None:
    bench = linked("A", "B")
    bench["A"].publish(row=5)
    bench.change(2, "A", "B", leader="B")
    bench["B"].view(bench.view)
    bench["B"].publish(row=5)
    bench["A"].got.clear()

    assert bench.board.answer(Confirmed(5))

    assert bench["B"].got == [Confirmed(5)]
    assert not bench["A"].got


def test_a_confirmation_for_who_is_gone_goes_to_the_leader() -> None:
    bench = linked("A", "B")
    bench["A"].publish(row=5)
    bench["A"].down()
    assert not bench.board.answer(Confirmed(5))

    bench["B"].publish(row=6)
    bench.change(2, "B")
    bench["B"].view(bench.view)

    assert bench.board.answer(Confirmed(5))
    assert bench["B"].got[-1] == Confirmed(5)


def test_rows_are_remembered_within_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "ROWS", 2)
    known = Rows()
    for row in (1, 2, 1, 3):
        known.ordered(row, "A")

    assert [known.confirmed(row) for row in (1, 2, 3)] == ["A", "", "A"]


class Source:
    """An event service that keeps events until they are acknowledged."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.answers: dict[str, list[bool]] = {}

    def hear(self, name: str, priority: int = 0) -> int:
        told = self.answers.setdefault(name, [])
        token = self.bench.inside.acknowledgements.begin(told.append)
        self.bench.inside.acknowledgements.sent(token)
        if not self.bench.hear("x", token=token, priority=priority):
            self.bench.inside.acknowledgements.answered(token, taken=False)
        return token


def test_only_who_was_told_of_an_event_answers_for_it() -> None:
    bench = linked("A", "B")
    source = Source(bench)
    token = source.hear("one")

    bench["B"].line.receive(Taken(token))
    assert source.answers == {"one": []}

    bench["A"].line.receive(Taken(token))
    assert source.answers == {"one": [True]}


def test_what_a_deposed_leader_did_not_answer_is_delivered_again_before_anything_newer() -> None:
    """Rule P14."""
    bench = linked("A", "B")
    source = Source(bench)
    by_a = source.hear("by A")
    bench.change(2, "A", "B", leader="B")
    bench["B"].view(bench.view)
    assert source.answers == {"by A": [False]}
    assert not bench["B"].heard

    token = source.hear("by B")
    for late in (True, False):
        bench["A"].line.receive(Taken(by_a, late))
    bench["A"].down()
    assert source.answers == {"by A": [False], "by B": []}

    bench["B"].line.receive(Taken(token))
    assert source.answers == {"by A": [False], "by B": [True]}


@pytest.mark.parametrize("named", ["B", "C"])
def test_nobody_but_the_leader_is_waited_for_even_where_the_leader_is_not_linked(
    named: str,
) -> None:
    bench = linked("A", "B")
    source = Source(bench)
    for name in ("one", "two"):
        source.hear(name)
    bench.change(2, "A", "B", named, leader=named)
    bench["A"].view(bench.view)
    assert source.answers == {"one": [False], "two": [False]}


def test_the_leader_of_the_next_view_goes_on_answering_where_it_is_the_same() -> None:
    bench = linked("A", "B")
    source = Source(bench)
    token = source.hear("one")
    bench.change(2, "A", leader="A")
    bench["B"].view(bench.view)
    assert source.answers == {"one": []}

    bench["A"].line.receive(Taken(token))
    assert source.answers == {"one": [True]}


def test_what_was_sent_over_a_link_that_broke_is_delivered_again() -> None:
    bench = linked("A", "B")
    source = Source(bench)
    source.hear("one")
    source.hear("two")
    bench["B"].down()
    assert source.answers == {"one": [], "two": []}

    bench["A"].down()
    assert source.answers == {"one": [False], "two": [False]}


def afters(replica: Replica) -> list[tuple[int, int]]:
    """Return (token, token before it) of what a replica was sent."""
    return [(heard.token, heard.after) for heard in replica.heard]


@pytest.mark.parametrize("replicated", [True, False])
def test_each_kept_event_names_the_one_before_it_that_is_not_answered(*, replicated: bool) -> None:
    """Rule G27."""
    bench = linked("A") if replicated else Bench()
    one = bench["A"] if replicated else Replica(bench, "alone")
    if not replicated:
        one.link("x")
    source = Source(bench)
    first, second, third = (source.hear(name) for name in ("one", "two", "three"))
    assert afters(one) == [(first, 0), (second, first), (third, second)]

    for token in (first, second, third):
        one.line.receive(Taken(token))
    fourth = source.hear("four")
    assert afters(one)[-1] == (fourth, 0)


def test_an_event_names_only_one_of_its_own_priority_before_it() -> None:
    bench = linked("A")
    source = Source(bench)
    calm, urgent = source.hear("calm"), source.hear("urgent", priority=5)
    calmer, urgenter = source.hear("calmer"), source.hear("urgenter", priority=5)
    assert afters(bench["A"])[2:] == [(calmer, calm), (urgenter, urgent)]
    assert afters(bench["A"])[:2] == [(calm, 0), (urgent, 0)]


def test_what_was_sent_behind_a_refused_event_is_delivered_again_with_it() -> None:
    """The replica refuses them too; their own answers may come later."""
    bench = linked("A")
    source = Source(bench)
    first, second = source.hear("first"), source.hear("second")
    source.hear("urgent", priority=5)
    third = source.hear("third")
    bench["A"].line.receive(Taken(first))
    bench["A"].line.receive(Taken(second, taken=False))
    assert source.answers == {
        "first": [True],
        "second": [False],
        "third": [False],
        "urgent": [],
    }
    bench["A"].line.receive(Taken(third, taken=False))
    assert source.answers["third"] == [False]

    again = source.hear("second")
    assert afters(bench["A"])[-1] == (again, 0)


def test_an_event_that_the_link_did_not_take_is_named_by_none() -> None:
    bench = linked("A")
    source = Source(bench)
    first = source.hear("first")
    bench["A"].full = True
    source.hear("second")
    bench["A"].full = False
    third = source.hear("third")
    assert source.answers["second"] == [False]
    assert afters(bench["A"])[-1] == (third, first)


def test_an_event_that_its_service_keeps_is_delivered_again_while_nobody_leads() -> None:
    bench = linked("A", "B")
    bench["A"].down()
    source = Source(bench)
    source.hear("one")

    assert source.answers == {"one": [False]}
    assert not bench.board.counters["replica_waiting"]


def test_all_that_a_gateway_without_replicas_was_told_is_delivered_again() -> None:
    bench = Bench()
    alone = Replica(bench, "alone")
    alone.link("x")
    source = Source(bench)
    source.hear("one")
    other = Replica(bench, "new")
    other.up()
    other.down()
    assert source.answers == {"one": []}

    alone.down()
    assert source.answers == {"one": [False]}


def test_an_answer_counts_for_each_part_of_an_event() -> None:
    bench = linked("A")
    told: list[bool] = []
    token = bench.inside.acknowledgements.begin(told.append)
    for part in range(2):
        bench.inside.acknowledgements.sent(token)
        bench.hear("x", origin=f"car#{part}", token=token)

    for expected in ([], [], [True]):
        assert told == expected
        bench["A"].line.receive(Taken(token))
