from eventservices.backoff import Backoff


class Times:
    """A clock that stands still unless it is told to go on."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def made(clock: Times, draws: list[tuple[float, float]]) -> Backoff:
    def highest(least: float, most: float) -> float:
        draws.append((least, most))
        return most

    return Backoff(0.1, 2.0, 5.0, clock, highest)


def test_the_first_attempt_after_a_connection_that_lasted_is_made_at_once() -> None:
    clock = Times()
    backoff = made(clock, [])
    assert backoff.pause_s() == 0.0
    clock.now_s += 5.1
    assert backoff.pause_s() == 0.0


def test_attempts_that_follow_one_another_wait_ever_longer_up_to_the_bound() -> None:
    clock, draws = Times(), list[tuple[float, float]]()
    backoff = made(clock, draws)
    pauses = []
    for _ in range(7):
        pauses.append(backoff.pause_s())
        clock.now_s += pauses[-1] + 0.01  # the connection is made, and ended at once
    assert pauses[0] == 0.0
    assert pauses[1] < pauses[2] < pauses[3]
    assert pauses[-1] == 2.0
    assert all(least == 0.1 for least, _ in draws)


def test_a_long_pause_is_not_taken_for_a_connection_that_lasted() -> None:
    clock = Times()
    backoff = Backoff(0.1, 60.0, 5.0, clock, lambda _, most: most)
    pauses = []
    for _ in range(6):
        pauses.append(backoff.pause_s())
        clock.now_s += pauses[-1]
    assert pauses[-1] > 20.0


def test_pauses_of_many_differ() -> None:
    many = [Backoff(0.1, 2.0, 5.0, Times()) for _ in range(20)]
    for each in many:
        each.pause_s()
    assert len({each.pause_s() for each in many}) > 10
