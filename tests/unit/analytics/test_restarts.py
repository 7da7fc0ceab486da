"""Restarts that follow one another before a gateway has settled are one."""

import pytest
from analytics.inputs.outages import FOREVER_US, Outage
from analytics.traffic.restarts import SETTLED_US, in_one

S = 1_000_000


def cut(gateway: str, from_s: int, to_us: int, *, killed: bool = True) -> Outage:
    return Outage(gateway, from_s * S, to_us, killed)


def test_a_gateway_cut_off_again_before_it_settled_was_away_once() -> None:
    told = [cut("g1", 20, 24 * S), cut("g1", 5, 9 * S), cut("g1", 12, 18 * S, killed=False)]
    assert in_one(told) == [cut("g1", 5, 24 * S)]


def test_a_broker_that_goes_while_a_gateway_settles_does_not_hide_that_it_was_killed() -> None:
    first, second = cut("g1", 5, 9 * S, killed=False), cut("g1", 12, 18 * S)
    assert in_one([first, second]) == [cut("g1", 5, 18 * S)]


def test_a_short_outage_within_a_longer_one_does_not_end_it() -> None:
    assert in_one([cut("g1", 1, 30 * S), cut("g1", 2, 3 * S)]) == [cut("g1", 1, 30 * S)]
    assert in_one([cut("g1", 1, FOREVER_US), cut("g1", 2, 3 * S)]) == [cut("g1", 1, FOREVER_US)]


@pytest.mark.parametrize("other", ["g2", "g1"])
def test_gateways_and_times_apart_stay_apart(other: str) -> None:
    first = cut("g1", 5, 9 * S)
    later = cut(other, 9 + SETTLED_US // S + 1 if other == "g1" else 9, 40 * S)
    assert in_one([later, first]) == [first, later]


def test_nothing_was_cut_where_nothing_is_told() -> None:
    assert in_one([]) == []
