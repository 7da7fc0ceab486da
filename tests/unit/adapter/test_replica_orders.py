"""Which replica of a gateway may order what, and who receives the confirmation."""

import pytest
from fes.adapter.replicas import rows
from fes.adapter.replicas.rows import Rows
from fes.control import CONTROL_SUBJECT, RequestType
from fes.link.messages import (
    Confirmed,
    PublishControl,
)
from fes.model import Event
from unit.adapter.replicated import Bench, Replica, linked, origin_of

PUBLICATION = RequestType.PUBLICATION
HELLO = Event.of(CONTROL_SUBJECT, Type=16, Source="home", Text="{}")


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
