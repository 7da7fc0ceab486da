"""Deliveries to one party, while it is suspended and after."""

from typing import Any

import pytest
from eventservices.errors import MalformedError
from eventservices.siena import Counters, Filter, Keep, Notification, Options, Subscription
from eventservices.siena.bounded import Bounded
from eventservices.siena.outlet import Outlet
from eventservices.siena.subscription import end
from eventservices.stamp import Stamp
from eventservices.suppress import Suppressor


class World:
    """A party with one subscription, which keeps the number of each notification."""

    def __init__(self, size: int = 10, keep: Keep = Keep.NEWEST) -> None:
        self.counters = Counters()
        self.outlet = Outlet(Suppressor(), self.counters, size, keep)
        self.got: list[Any] = []
        self.subscription = self.subscribe(self.got)

    def subscribe(self, got: list[Any], *, part: bool = False) -> Subscription:
        def keep(notification: Notification, _stamp: Stamp | None) -> None:
            got.append(notification["n"])

        return Subscription("p", Filter(), keep, "s", self.outlet, part)

    def deliver(self, *numbers: int, to: list[Subscription] | None = None) -> None:
        for number in numbers:
            stamp = Stamp("o", 1, number, 0, "h")
            self.outlet.take(to or [self.subscription], Notification({"n": number}), stamp)


def test_what_comes_while_suspended_is_delivered_when_resumed_in_its_order() -> None:
    world = World()
    world.deliver(1)
    world.outlet.suspended = True
    world.deliver(2, 3)
    assert (world.got, world.outlet.held) == ([1], 2)
    assert world.outlet.resume() == 2
    world.deliver(4)
    assert (world.got, world.outlet.held) == ([1, 2, 3, 4], 0)


@pytest.mark.parametrize(("keep", "left"), [(Keep.NEWEST, [3, 4, 5]), (Keep.OLDEST, [1, 2, 3])])
def test_at_the_bound_one_is_dropped_and_counted(keep: Keep, left: list[int]) -> None:
    world = World(3, keep)
    world.outlet.suspended = True
    world.deliver(1, 2, 3, 4, 5)
    assert world.outlet.resume() == 3
    assert world.got == left
    assert (world.outlet.dropped, world.counters.held_dropped) == (2, 2)


def test_a_repetition_is_not_held() -> None:
    world = World()
    world.outlet.suspended = True
    world.deliver(1, 1, 2)
    assert world.outlet.resume() == 2
    assert world.outlet.suppressor.suppressed == 1


def test_a_subscription_that_ended_meanwhile_gets_nothing_but_another_one_does() -> None:
    world = World()
    others: list[Any] = []
    other = world.subscribe(others)
    world.outlet.suspended = True
    world.deliver(1, to=[world.subscription, other])
    world.deliver(2)
    end(world.subscription)
    assert world.outlet.resume() == 1
    assert (world.got, others) == ([], [1])


def test_a_callback_that_suspends_again_holds_the_rest() -> None:
    world = World()

    def once(notification: Notification, _stamp: Stamp | None) -> None:
        world.got.append(notification["n"])
        world.outlet.suspended = True

    world.subscription.callback = once
    world.outlet.suspended = True
    world.deliver(1, 2, 3)
    assert world.outlet.resume() == 1
    world.deliver(4)
    assert (world.got, world.outlet.held) == ([1], 3)
    assert world.outlet.resume() == 1
    assert world.got == [1, 2]


def test_a_part_of_a_pattern_is_served_once_and_also_while_suspended() -> None:
    world = World()
    seen: list[Any] = []
    first = world.subscribe(seen, part=True)
    second = Subscription("p", Filter(), first.callback, "s", world.outlet, part=True)
    world.outlet.suspended = True
    world.deliver(1, to=[first, second, world.subscription])
    assert (seen, world.got, world.outlet.held) == ([1], [], 1)
    assert world.counters.delivered == 0


def test_a_callback_that_raises_is_counted_and_the_next_one_is_called() -> None:
    world = World()

    def fail(_notification: Notification, _stamp: Stamp | None) -> None:
        raise ValueError

    failing = Subscription("p", Filter(), fail, "s", world.outlet)
    world.deliver(1, to=[failing, world.subscription])
    assert world.got == [1]
    assert (world.counters.callback_errors, world.counters.delivered) == (1, 2)


@pytest.mark.parametrize("name", ["held", "stream", "pattern_kept"])
def test_a_bound_leaves_room_for_one(name: str) -> None:
    bound: dict[str, Any] = {name: 0}
    with pytest.raises(MalformedError, match=name):
        Options(**bound)


def test_a_queue_holds_at_least_one_item() -> None:
    with pytest.raises(ValueError, match="0"):
        Bounded[int](0)
