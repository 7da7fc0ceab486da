"""Kept events are accepted in the order in which they were sent, and none is lost."""

from collections.abc import Sequence

import pytest
from fes.gateway import GatewayCore
from fes.gateway.custody.succession import PRIORITIES
from fes.gateway.inputs import Inject, LinkDown, LinkUp
from fes.link.messages import Confirmed, Taken
from support.gateways.cores import NOW, orders, request
from support.gateways.custodies import (
    PERSISTENT,
    asked,
    event_of,
    publications,
    reasons,
    restarted,
    take,
)
from support.gateways.replicated import Replicas, replicas
from support.gateways.replicated import numbers as numbers_at


def answers(outputs: Sequence[object]) -> list[bool]:
    return [order.taken for order in orders(outputs) if isinstance(order, Taken)]


def confirm(core: GatewayCore, outputs: Sequence[object]) -> None:
    for each in publications(outputs):
        core.handle(Confirmed(each.row, "", retryable=False), NOW, "south")


def test_what_was_sent_behind_a_refused_event_is_refused() -> None:
    """Rule G28."""
    core, numbers = asked("south", custody=1)
    _, first = take(core, event_of(numbers, 1))
    _, refused = take(core, event_of(numbers, 2))
    assert answers(refused) == [False]
    confirm(core, first)

    for newer in (3, 4):  # sent before the source learned of the refusal
        assert answers(take(core, event_of(numbers, newer, after=newer - 1))[1]) == [False]

    for token, after in ((5, 0), (6, 5)):
        _, again = take(core, event_of(numbers, token - 3, token=token, after=after))
        assert answers(again) == [True]
        confirm(core, again)


def test_a_stream_is_accepted_whose_events_each_name_the_one_before() -> None:
    core, numbers = asked("south")
    for token in range(1, 20):
        _, outputs = take(core, event_of(numbers, token, after=token - 1))
        assert answers(outputs) == [True]


def test_an_event_behind_one_that_never_came_is_refused() -> None:
    core, numbers = asked("south")
    take(core, event_of(numbers, 1))
    assert answers(take(core, event_of(numbers, 3, after=2))[1]) == [False]
    assert answers(take(core, event_of(numbers, 4, after=1))[1]) == [True]


def test_events_of_other_priorities_and_services_are_no_predecessors() -> None:
    core, numbers = asked("south")
    take(core, event_of(numbers, 1))
    take(core, event_of(numbers, 2, priority=5))
    assert answers(take(core, event_of(numbers, 3, after=1))[1]) == [True]
    assert answers(take(core, event_of(numbers, 4, after=3, priority=5))[1]) == [False]
    _, elsewhere = core.handle(event_of((), 5, after=3), NOW, "south")
    assert answers(list(elsewhere)) == [False]


def test_an_event_of_which_one_part_was_refused_has_no_successor() -> None:
    core, numbers = asked("south", custody=1)
    _, first = take(core, event_of(numbers, 1))
    assert answers(take(core, event_of(numbers, 2, token=1, after=1))[1]) == [False]
    confirm(core, first)

    assert answers(take(core, event_of(numbers, 3, token=2, after=1))[1]) == [False]


def test_an_event_for_a_subscription_of_before_has_no_successor() -> None:
    core, numbers = asked("south")
    assert answers(take(core, event_of((*numbers, 7), 1))[1]) == [False]
    assert answers(take(core, event_of(numbers, 2, after=1))[1]) == [False]


@pytest.mark.parametrize("happened", [LinkDown(), PERSISTENT])
def test_over_a_new_link_no_event_has_a_predecessor(happened: LinkUp | LinkDown) -> None:
    core, numbers = asked("south")
    take(core, event_of(numbers, 1))

    core.handle(happened, NOW, "north")

    assert answers(take(core, event_of(numbers, 2, after=1))[1]) == [False]
    assert answers(take(core, event_of(numbers, 2, token=3))[1]) == [True]


def test_few_priorities_are_remembered_and_the_rest_comes_again() -> None:
    core, numbers = asked("south")
    for priority in range(PRIORITIES + 1):
        take(core, event_of(numbers, priority + 1, priority=priority))

    forgotten = event_of(numbers, 1000, after=1, priority=0)
    assert answers(take(core, forgotten)[1]) == [False]
    known = event_of(numbers, 1001, after=PRIORITIES + 1, priority=PRIORITIES)
    assert answers(take(core, known)[1]) == [True]


def leading() -> tuple[Replicas, tuple[int, ...]]:
    """Return two replicas of which `a` leads, and the subscription at `b`."""
    one = replicas("a", "b", link=PERSISTENT)
    one.take("a", Inject(request()))
    return one, numbers_at(one, "b")


def test_what_followed_an_event_that_a_follower_refused_is_refused_once_it_leads() -> None:
    one, known = leading()
    refused = orders(one.take("b", event_of(known, 1), "north"))
    assert refused == [Taken(1, taken=False)]  # it has not read the whole journal yet

    one.kill("a")
    one.lead("b")

    assert Taken(2, taken=False) in orders(one.take("b", event_of(known, 2, after=1), "north"))
    assert Taken(3) in orders(one.take("b", event_of(known, 1, token=3), "north"))
    assert Taken(4) in orders(one.take("b", event_of(known, 2, token=4, after=3), "north"))


def test_what_a_deposed_leader_accepted_has_no_successor_once_it_leads_again() -> None:
    one, _ = leading()
    core, known = one.cores["a"], numbers_at(one, "a")
    assert Taken(1) in orders(one.take("a", event_of(known, 1), "north"))

    core.step_down()
    one.lead("a")

    assert Taken(2, taken=False) in orders(one.take("a", event_of(known, 2, after=1), "north"))


def test_an_event_for_a_subscription_of_the_gateway_before_is_given_again() -> None:
    """Its adapter outlived that gateway, and tells numbers that mean nothing now."""
    core, old = asked("south")
    again = restarted(core)
    again.handle(PERSISTENT, NOW, "north")

    _, outputs = take(again, event_of(old))

    assert answers(outputs) == [False]
    assert reasons(outputs, "refused") == ["subscription of before"]


def test_an_event_that_nobody_keeps_is_not_given_again() -> None:
    core, old = asked("south")
    again = restarted(core)

    _, outputs = take(again, event_of(old, persistent=False, token=0))

    assert answers(outputs) == []
    assert reasons(outputs, "dropped") == ["no subscription"]
