"""The longest turn of a loop is noticed."""

import time

from fes.testing.eventually import eventually
from serving.turns import TurnMeter


async def test_a_turn_that_keeps_others_waiting_is_told() -> None:
    meter = TurnMeter()
    meter.start()
    try:
        await eventually(lambda: meter.recent_s > 0)
        time.sleep(0.3)  # noqa: ASYNC251 - this is the long turn
        await eventually(lambda: meter.longest_s > 0.25)
        assert meter.recent_s == meter.longest_s
    finally:
        meter.stop()
        meter.stop()
