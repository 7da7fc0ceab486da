"""Replicas number by themselves what they want; the adapter holds each thing once."""

import pytest
from fes.adapter.replicas import merged_state as wants
from fes.adapter.replicas.merged_state import Wants
from fes.link.messages import Announce, Desired, Done, Order, Subscribe, Unannounce, Unsubscribe
from fes.model import Event, binary
from unit.adapter.replicated import Bench


def announced(rate: float) -> bytes:
    return binary.encode(Event.of("Speed", rate=rate))


def test_what_a_gateway_without_replicas_orders_goes_on_as_it_is() -> None:
    bench = Bench()
    line = bench.board.line()
    orders: list[Order] = [
        Desired(7, (Subscribe(12, "a", 7),), (Announce(13, announced(1)),)),
        Subscribe(14, "b", 8),
        Unsubscribe(12, 9),
        Announce(13, announced(2)),
        Unannounce(13),
        Desired(1, (Subscribe(2, "b", 1), Subscribe(3, "b", 1)), ()),
        Subscribe(2, "c", 2),
    ]
    line.up(_Nobody())
    for order in orders:
        line.receive(order)

    assert bench.inside.orders == orders


def test_the_same_filter_from_several_replicas_is_one_subscription() -> None:
    bench = Bench("A", "B", "C")
    bench["A"].link("x", "y")
    bench["B"].link("y", "x")
    bench["C"].link("x", "z")

    assert bench.inside.filters == ["x", "y", "z"]

    bench["A"].unsubscribe("x")
    bench["B"].unsubscribe("x")
    assert bench.inside.filters == ["x", "y", "z"]

    bench["C"].unsubscribe("x")
    assert bench.inside.filters == ["y", "z"]


def test_only_the_first_whole_state_is_a_whole_state_inside() -> None:
    bench = Bench("A", "B")
    bench["A"].link("x")
    bench["B"].link("x", "y")
    bench["B"].desire("y", "z")

    kinds = [type(order) for order in bench.inside.orders]

    assert kinds == [Desired, Subscribe, Subscribe]


def test_a_whole_state_replaces_only_what_its_replica_wanted() -> None:
    bench = Bench("A", "B")
    bench["A"].link("x", "y")
    bench["B"].link("y", "z")

    bench["B"].desire("w")

    assert bench.inside.filters == ["w", "x", "y"]


def test_what_is_new_is_ordered_before_what_is_withdrawn() -> None:
    bench = Bench("A")
    bench["A"].link("limit > 50")
    bench["A"].desire("limit > 30")

    assert [type(order) for order in bench.inside.orders] == [Desired, Subscribe, Unsubscribe]


def test_a_replica_that_numbers_anew_changes_nothing_inside() -> None:
    bench = Bench("A", "B")
    bench["A"].link("x", "y")
    before = dict(bench.inside.held)

    bench["A"].down()
    bench["A"].link("y", "x")

    assert bench.inside.held == before
    assert len(bench.inside.orders) == 1


def test_every_replica_is_told_under_its_own_number_what_was_done() -> None:
    bench = Bench("A", "B")
    bench["A"].link("x")
    bench["B"].link("x")

    bench.board.answer(Done(bench.inside.number("x"), widened=("wide",)))

    for replica in bench.replicas.values():
        assert replica.done == [Done(replica.wants["x"], widened=("wide",))]


@pytest.mark.parametrize("error", ["", "no such channel"])
def test_who_comes_late_is_told_at_once_what_was_done_before(error: str) -> None:
    bench = Bench("A", "B")
    bench["A"].link("x")
    bench.board.answer(Done(bench.inside.number("x"), error=error, widened=("wide",)))

    bench["B"].link()
    bench["B"].subscribe("x")

    assert bench["B"].done == [Done(bench["B"].wants["x"], error=error, widened=("wide",))]
    assert len(bench["A"].done) == 1


def test_what_failed_is_tried_again_for_who_says_its_whole_state() -> None:
    bench = Bench("A", "B")
    bench["A"].link("x")
    number = bench.inside.number("x")
    bench.board.answer(Done(number, error="refused"))

    bench["B"].link("x")

    again = bench.inside.orders[-1]
    assert isinstance(again, Subscribe)
    assert again == Subscribe(number, "x", again.version)
    assert not bench["B"].done


def test_a_withdrawal_is_told_at_once_while_another_replica_wants_it() -> None:
    bench = Bench("A", "B")
    bench["A"].link("x")
    bench["B"].link("x")

    number = bench["A"].unsubscribe("x")

    assert bench["A"].done == [Done(number, withdrawn=True)]
    assert not bench["B"].done


def test_the_last_withdrawal_is_told_when_it_is_done() -> None:
    bench = Bench("A", "B")
    bench["A"].link("x")
    inner = bench.inside.number("x")
    own = bench["A"].unsubscribe("x")
    assert not bench["A"].done

    bench.board.answer(Done(inner, withdrawn=True, error="away"))
    bench.board.answer(Done(inner, withdrawn=True))
    bench.board.answer(Done(inner, withdrawn=True))

    assert bench["A"].done == [
        Done(own, withdrawn=True, error="away"),
        Done(own, withdrawn=True),
    ]


def test_what_was_withdrawn_and_is_wanted_again_has_another_number() -> None:
    bench = Bench("A")
    bench["A"].link("x")
    before = bench.inside.number("x")
    bench["A"].unsubscribe("x")
    bench["A"].subscribe("x")

    assert bench.inside.number("x") != before


def test_announcements_of_one_subject_are_one_and_the_last_said_counts() -> None:
    bench = Bench("A", "B")
    bench["A"].link()
    bench["B"].link()
    say = {name: bench[name].line.receive for name in "AB"}
    say["A"](Announce(51, announced(1)))
    say["B"](Announce(62, announced(1)))
    say["B"](Announce(62, announced(2)))
    assert [*bench.inside.held.values()] == [announced(2)]

    say["B"](Unannounce(62))
    assert [*bench.inside.held.values()] == [announced(1)]

    say["A"](Unannounce(51))
    assert not bench.inside.held


def test_a_number_may_be_given_to_something_else() -> None:
    bench = Bench("A")
    bench["A"].link("x")
    number = bench["A"].wants["x"]

    bench["A"].line.receive(Announce(number, announced(1)))
    assert [*bench.inside.held.values()] == [announced(1)]

    bench["A"].line.receive(Subscribe(number, "y", 99))
    assert bench.inside.filters == ["y"]


def test_what_is_said_of_unknown_numbers_means_nothing() -> None:
    bench = Bench("A")
    bench["A"].link("x")
    before = list(bench.inside.orders)

    bench["A"].line.receive(Unsubscribe(5, 1))
    bench["A"].line.receive(Unannounce(5))

    assert bench.inside.orders == before
    assert not bench.board.answer(Done(5))
    assert not bench.board.answer(Done(5, withdrawn=True))


def test_an_event_bears_the_version_that_its_replica_gave() -> None:
    known = Wants()
    known.say("A", Desired(5, (Subscribe(1, "x", 5),), ()))
    (first,) = known.say("B", Desired(90, (Subscribe(1, "y", 90),), ())).orders
    (second,) = known.say("A", Subscribe(2, "z", 6)).orders
    assert isinstance(first, Subscribe)
    assert isinstance(second, Subscribe)

    told = [
        (known.version("A", one.version), known.version("B", one.version))
        for one in (first, second)
    ]

    assert told == [(5, 90), (6, 90)]
    assert known.version("C", 1) == 0


def test_withdrawals_whose_end_is_still_to_be_told_are_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wants, "LEAVING", 2)
    bench = Bench("A")
    bench["A"].link("x", "y", "z")
    inner = [bench.inside.number(filter_) for filter_ in "xyz"]
    for filter_ in "xyz":
        bench["A"].unsubscribe(filter_)

    told = [bench.board.answer(Done(number, withdrawn=True)) for number in inner]

    assert told == [False, True, True]


class _Nobody:
    counters: dict[str, int] = {}  # noqa: RUF012 - nothing is counted

    def send(self, message: object) -> bool:
        return True

    async def close(self) -> None:
        """Nothing is to be closed."""
