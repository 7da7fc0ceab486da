"""What is refused comes first: persistent events keep their order, and none is lost."""

from fes.gateway import GatewayCore
from fes.gateway.settings import Instant
from fes.link.messages import Confirmed, Taken
from support.cores import NOW, orders
from support.custodies import PERSISTENT, asked, event_of, publications, reasons, restarted, take


def answers(outputs: list[object]) -> list[bool]:
    return [order.taken for order in orders(outputs) if isinstance(order, Taken)]


def confirm(core: GatewayCore, outputs: list[object]) -> None:
    for each in publications(outputs):
        core.handle(Confirmed(each.row, "", retryable=False), NOW, "south")


def after(seconds: float) -> Instant:
    return NOW._replace(wall_us=NOW.wall_us + round(seconds * 1e6))


def test_nothing_newer_is_taken_before_what_was_refused() -> None:
    core, numbers = asked("south", custody=1)
    _, first = take(core, event_of(numbers, 1))
    _, refused = take(core, event_of(numbers, 2))
    assert answers(refused) == [False]
    confirm(core, first)

    _, newer = take(core, event_of(numbers, 3))
    assert answers(newer) == [False]

    _, again = take(core, event_of(numbers, 2))
    assert answers(again) == [True]
    confirm(core, again)
    assert answers(take(core, event_of(numbers, 3))[1]) == [True]


def test_what_was_refused_and_comes_no_more_is_not_waited_for_for_ever() -> None:
    core, numbers = asked("south", custody=1)
    _, first = take(core, event_of(numbers, 1))
    take(core, event_of(numbers, 2))
    confirm(core, first)

    assert answers(take(core, event_of(numbers, 3), after(1))[1]) == [False]
    assert answers(take(core, event_of(numbers, 3), after(3600))[1]) == [True]


def test_over_a_new_link_all_comes_again_and_nothing_is_waited_for() -> None:
    core, numbers = asked("south", custody=1)
    _, first = take(core, event_of(numbers, 1))
    take(core, event_of(numbers, 2))
    confirm(core, first)

    core.handle(PERSISTENT, NOW, "north")

    assert answers(take(core, event_of(numbers, 3))[1]) == [True]


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


def test_what_nobody_may_ask_for_when_it_comes_again_is_waited_for_shortly() -> None:
    core, numbers = asked("south")
    _, before = take(core, event_of((*numbers, 7), 1))
    assert answers(before) == [False]
    assert answers(take(core, event_of(numbers, 2))[1]) == [False]
    assert answers(take(core, event_of(numbers, 2), after(2.1))[1]) == [True]
