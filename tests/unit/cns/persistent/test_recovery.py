"""What a consumer tells the broker of events that were delivered before it connected."""

from datetime import UTC, datetime

from eventservices.cns.persistent.recovery import ACK, MOST, NAK, Progress, answers
from nats.js import api

MADE = datetime(2030, 1, 1, tzinfo=UTC)


def test_what_is_in_hand_stays_what_is_finished_is_acknowledged_the_rest_is_given_back() -> None:
    progress = Progress(floor=2, delivered=7, deliveries=9, unacknowledged=5)

    assert answers(progress, in_hand={4, 6}, finished={3}) == [(3, ACK), (5, NAK), (7, NAK)]


def test_nothing_is_told_where_all_is_acknowledged() -> None:
    progress = Progress(floor=7, delivered=7, deliveries=7, unacknowledged=0)

    assert answers(progress, in_hand=(), finished=()) == []


def test_no_more_is_looked_at_than_a_bound() -> None:
    progress = Progress(floor=0, delivered=10 * MOST, deliveries=1, unacknowledged=1)

    assert len(answers(progress, in_hand=(), finished=())) == MOST


def test_a_consumer_that_had_nothing_is_at_the_beginning() -> None:
    config = api.ConsumerConfig()
    info = api.ConsumerInfo(name="c", stream_name="s", config=config, created=MADE)

    assert Progress.of(info) == Progress(0, 0, 0, 0)
