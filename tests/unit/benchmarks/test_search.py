"""The search for the highest rate, with a source whose limit is known."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

ENOUGH_S = 1000.0


def offer(carries: Callable[[float], bool], source: float = float("inf")) -> Callable[..., Any]:
    def trial(rate: float) -> Any:
        sent = min(rate, source)
        count = round(sent) + 1
        lost = 0 if carries(sent) else 1
        verdict = import_module("verify").Verdict(
            count, 0, count - lost, lost, 0, 0, 1.0, 1.0, 0.0, 1.0, 1.0
        )
        return import_module("trial").Trial(rate, verdict, 0, {})

    return trial


@pytest.mark.parametrize("start", [500.0, 3000.0, 5000.0, 9000.0])
def test_the_highest_rate_is_near_the_limit_and_not_above_it(start: float) -> None:
    found = import_module("search").sweep(offer(lambda rate: rate <= 5000), start, ENOUGH_S)

    assert found.repeated
    assert found.highest <= 5000
    if start >= 3000:
        assert found.highest > 5000 / 1.3


def test_a_rate_that_fails_when_repeated_is_lowered() -> None:
    seen: list[float] = []

    def carries(rate: float) -> bool:
        seen.append(rate)
        return rate <= 4000 or (rate < 5000 and seen.count(rate) == 1)

    found = import_module("search").sweep(offer(carries), 4500.0, ENOUGH_S)

    assert found.repeated
    assert 3000 < found.highest <= 4000


def test_a_source_that_cannot_send_more_is_the_limit() -> None:
    found = import_module("search").sweep(offer(lambda _: True, source=4000.0), 6000.0, ENOUGH_S)

    assert found.highest == pytest.approx(4000, rel=0.01)


def test_nothing_is_found_where_nothing_passes() -> None:
    found = import_module("search").sweep(offer(lambda _: False), 6000.0, ENOUGH_S)

    assert not found.repeated
    assert found.highest == 0


def test_without_time_for_repetitions_a_rate_is_told_as_not_repeated() -> None:
    found = import_module("search").sweep(offer(lambda rate: rate <= 5000), 4000.0, 0.0)

    assert not found.repeated
    assert found.repeats == []
