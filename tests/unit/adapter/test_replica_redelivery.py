"""What no replica acknowledged is delivered again, before anything newer."""

import pytest
from fes.control import CONTROL_SUBJECT, RequestType
from fes.link.messages import (
    Taken,
)
from fes.model import Event
from unit.adapter.replicated import Bench, Replica, linked

PUBLICATION = RequestType.PUBLICATION
HELLO = Event.of(CONTROL_SUBJECT, Type=16, Source="home", Text="{}")


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
