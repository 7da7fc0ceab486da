"""The chart of the report."""

import pytest
from analytics.report.chart import WIDTH, Place, draw


def test_a_circle_keeps_its_shape_and_fits_into_the_picture() -> None:
    chart = draw([Place("M01", 60.0, 10.0, 200.0)], [Place("a", 60.0, 10.003)], [])
    monitor, offender = chart.monitors[0], chart.offenders[0]

    assert monitor.x - monitor.r >= 0
    assert monitor.x + monitor.r <= WIDTH
    assert monitor.y + monitor.r <= chart.height
    metres = 0.003 * 111_195 * 0.5
    assert (offender.x - monitor.x) / monitor.r == pytest.approx(metres / 200, rel=0.01)


def test_the_fleet_is_shown_only_where_it_is_near() -> None:
    here, far = Place("a", 50.0, 10.0), Place("b", 51.0, 10.0)

    assert [mark.name for mark in draw([Place("M", 50.0, 10.0, 99)], [], [here, far]).fleet] == [
        "a"
    ]


def test_nothing_at_all_is_a_picture_too() -> None:
    assert draw([], [], []).height > 0
