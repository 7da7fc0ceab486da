"""The benchmarks' judge finds what is lost, repeated or altered."""

from importlib import import_module
from typing import Any

import pytest
from eventservices.stamp import Stamp


def frame(number: int, **changes: object) -> Any:
    told = {
        "wall_us": 1000 * number,
        "time_us": 7,
        "vehicle": "FES0001",
        "licence": "FES0001",
        "rate": 50 + number,
        "id": f"can-sim/FES0001/9/{number}",
    }
    return import_module("verify").Frame(**told | changes)


def delivery(number: int, **changes: object) -> Any:
    stamp = Stamp("can-sim/FES0001", 9, number, 7, "cns-v-FES0001")
    told: dict[str, object] = {
        "wall_us": 1000 * number + 500,
        "stamp": stamp,
        "subject": "Speed",
        "licence": "FES0001",
        "rate": float(50 + number),
    }
    return import_module("verify").Delivery(**told | changes)


def judge(frames: list[Any], deliveries: list[Any]) -> Any:
    return import_module("verify").judge(frames, deliveries)


def test_all_that_came_as_it_was_sent_is_clean() -> None:
    verdict = judge([frame(1), frame(2), frame(3)], [delivery(3), delivery(1), delivery(2)])

    assert verdict.clean
    assert (verdict.sent, verdict.delivered) == (3, 3)
    assert (verdict.sent_s, verdict.through_s, verdict.drained_s) == (0.002, 0.0025, 0.0005)
    assert (verdict.p50_ms, verdict.p99_ms) == (0.5, 0.5)


def test_what_did_not_come_is_lost() -> None:
    verdict = judge([frame(1), frame(2)], [delivery(2)])

    assert (verdict.lost, verdict.duplicate, verdict.altered) == (1, 0, 0)
    assert not verdict.clean


def test_what_came_twice_is_a_duplicate() -> None:
    verdict = judge([frame(1)], [delivery(1), delivery(1)])

    assert (verdict.lost, verdict.duplicate, verdict.altered) == (0, 1, 0)
    assert not verdict.clean


@pytest.mark.parametrize(
    "changes",
    [
        {"licence": "FES0002"},
        {"rate": 52.0},
        {"rate": 51},
        {"rate": None},
        {"subject": "speed"},
        {"stamp": None},
        {"stamp": Stamp("can-sim/FES0001", 9, 1, 8, "cns-v-FES0001")},
        {"stamp": Stamp("can-sim/FES0001", 9, 1, 7, "steam-v-FES0001")},
        {"stamp": Stamp("can-sim/FES0001", 10, 1, 7, "cns-v-FES0001")},
    ],
)
def test_another_content_or_stamp_is_altered(changes: dict[str, object]) -> None:
    verdict = judge([frame(1)], [delivery(1, **changes)])

    assert (verdict.lost, verdict.duplicate, verdict.altered) == (1, 0, 1)
    assert not verdict.clean


def test_a_frame_that_the_source_did_not_send_is_neither_lost_nor_clean() -> None:
    verdict = judge([frame(1), frame(2, sent=False, id="")], [delivery(1)])

    assert (verdict.sent, verdict.unsent, verdict.lost) == (1, 1, 0)
    assert not verdict.clean
