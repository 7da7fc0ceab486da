"""What an adapter owes its event service, and what it confirms to its gateway."""

import pytest
from fes.adapter.inbound.acknowledgements import OWED, Acknowledgements
from fes.adapter.outbound.confirmations import OUT_OF_TURN, REMEMBERED, Confirmations
from fes.link.messages import Confirmed, Publish
from fes.model import Stamp

STAMP = Stamp("car", 1, 1, 0, "home")


def order(row: int, after: int = 0) -> Publish:
    return Publish(STAMP, (), 0, b"", 0, row, after)


class Gateway:
    """Takes what an adapter confirms."""

    def __init__(self) -> None:
        self.heard: list[Confirmed] = []
        self.confirmations = Confirmations(self.take)

    def take(self, message: object) -> bool:
        assert isinstance(message, Confirmed)
        self.heard.append(message)
        return True

    def publish(self, publish: Publish) -> bool:
        """Publish unless it is not its turn; tell whether it was published."""
        turn = self.confirmations.is_turn(publish)
        if turn:
            self.confirmations.published(publish)
        return turn


def test_a_row_is_confirmed_and_an_event_without_one_is_not() -> None:
    gateway = Gateway()

    assert gateway.publish(order(5))
    assert gateway.publish(order(0))

    assert gateway.heard == [Confirmed(5)]


def test_a_row_whose_predecessor_failed_is_not_published() -> None:
    gateway = Gateway()
    gateway.confirmations.failed(order(5), "is away", retryable=True)

    assert not gateway.publish(order(6, after=5))

    assert gateway.heard[-1] == Confirmed(6, OUT_OF_TURN, retryable=True)


def test_a_row_behind_one_that_was_set_aside_goes_on() -> None:
    gateway = Gateway()
    gateway.confirmations.failed(order(5), "too large", retryable=False)

    assert gateway.publish(order(6, after=5))


def test_what_was_set_aside_is_never_told_to_have_been_published() -> None:
    gateway = Gateway()
    gateway.confirmations.failed(order(5), "too large", retryable=False)

    assert not gateway.publish(order(5))

    assert gateway.heard == 2 * [Confirmed(5, "too large", retryable=False)]


def test_a_row_that_is_asked_for_again_is_confirmed_and_not_published_again() -> None:
    gateway = Gateway()
    gateway.publish(order(5))

    assert not gateway.publish(order(5))

    assert gateway.heard == [Confirmed(5), Confirmed(5)]


def test_no_more_rows_are_remembered_than_the_limit() -> None:
    gateway = Gateway()
    for row in range(1, REMEMBERED + 2):
        gateway.publish(order(row))

    assert gateway.publish(order(1))
    assert not gateway.publish(order(3))


@pytest.fixture
def told() -> list[bool]:
    return []


def test_an_event_that_nobody_wants_may_be_forgotten_at_once(told: list[bool]) -> None:
    owing = Acknowledgements()
    owing.settled = True
    owing.finish(owing.begin(told.append))

    assert told == [True]


def test_before_all_subscriptions_are_known_it_is_delivered_again(told: list[bool]) -> None:
    owing = Acknowledgements()
    owing.finish(owing.begin(told.append))

    assert told == [False]


def test_an_event_of_several_parts_is_answered_once_when_all_are_taken(told: list[bool]) -> None:
    owing = Acknowledgements()
    token = owing.begin(told.append)
    owing.sent(token)
    owing.sent(token)
    owing.finish(token)

    owing.answered(token, taken=True)
    assert told == []
    owing.answered(token, taken=True)
    owing.answered(token, taken=True)

    assert told == [True]


def test_an_event_of_which_one_part_is_not_taken_is_delivered_again(told: list[bool]) -> None:
    owing = Acknowledgements()
    token = owing.begin(told.append)
    owing.sent(token)
    owing.sent(token)
    owing.answered(token, taken=False)
    owing.answered(token, taken=True)

    assert told == [False]


def test_no_more_is_owed_than_the_limit(told: list[bool]) -> None:
    owing = Acknowledgements()
    for _ in range(OWED):
        owing.begin(told.append)

    assert owing.begin(told.append) == 0
    assert told == [False]
