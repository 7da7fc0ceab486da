"""Which subscriptions accept an event, for few and for many."""

import pytest
from fes.adapter.context import Subscription
from fes.adapter.inbound.matching import FEW, Matching
from fes.filter import Filter
from fes.model import Event


@pytest.mark.parametrize("most", [FEW, FEW + 1, 40])
def test_those_that_accept_an_event_are_told(most: int) -> None:
    matching = Matching()
    for number in range(most):
        matching.add(Subscription(number, Filter.of(f"Speed = TRUE AND rate > {number}")))
    event = Event.of("X", Speed=True, rate=3)
    assert matching.accepted(event) == (0, 1, 2)
    matching.remove(1)
    matching.remove(1)
    assert matching.accepted(event) == (0, 2)
    matching.add(Subscription(2, Filter.of("rate > 9")))
    assert matching.accepted(event) == (0,)
    for number in range(most):
        matching.remove(number)
    assert matching.accepted(event) == ()
