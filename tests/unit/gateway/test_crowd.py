"""Many gateways at one event service: what all of them say together grows with their number only.

Source:
    design, section 12, Costs; ADR 15.
"""

import pytest
from support.drawing.crowd import Crowd

SIZES = (20, 60)


def started(size: int) -> Crowd:
    """Return a crowd that has settled."""
    crowd = Crowd(size)
    crowd.start()
    crowd.pass_time(30)
    return crowd


@pytest.mark.parametrize("size", SIZES)
def test_a_crowd_that_starts_says_a_few_hellos_each_and_tells_few_tables(size: int) -> None:
    """Rule H19."""
    crowd = Crowd(size)
    crowd.start()
    crowd.pass_time(5)

    assert crowd.said["Hello"] <= 4 * size
    assert crowd.said["Ask"] <= 2 * size
    assert crowd.said["Table"] <= 10


@pytest.mark.parametrize("size", SIZES)
def test_a_crowd_at_rest_says_as_much_as_a_few_do(size: int) -> None:
    crowd = started(size)
    crowd.forget()

    crowd.pass_time(60)

    assert crowd.said.keys() == {"Hello"}
    assert 60 * 6 <= crowd.said["Hello"] <= 60 * 10


@pytest.mark.parametrize("size", SIZES)
def test_a_request_is_heard_twice_by_each_of_a_crowd(size: int) -> None:
    crowd = started(size)
    crowd.forget()

    crowd.ask(size // 2, 1)

    assert crowd.said == {"Request": 1}
    assert crowd.heard <= 2 * size
    assert crowd.tables() == 1


def test_a_lease_renewed_in_good_time_is_not_repeated_and_may_be_written_later() -> None:
    """Rule T16."""
    crowd = started(20)
    crowd.ask(3, 1)
    crowd.pass_time(20)
    crowd.forget()

    crowd.ask(3, 2)

    assert crowd.said["Request"] == 0
    assert crowd.later() == 20


def test_a_lease_that_is_renewed_late_is_repeated_and_written_at_once() -> None:
    crowd = started(20)
    crowd.ask(3, 1)
    crowd.pass_time(50)
    crowd.forget()

    crowd.ask(3, 2)

    assert crowd.said["Request"] == 1
    assert crowd.later() == 0


def test_requests_of_a_crowd_come_together_where_some_were_missed() -> None:
    crowd = started(20)
    for number in range(20):
        crowd.ask(number, number + 1)
    lost = crowd.cores[7]
    for row in list(lost.table.rows())[:10]:
        lost.table.discard([row.name])

    crowd.pass_time(60)

    assert crowd.tables() == 1
