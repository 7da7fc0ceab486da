"""The whole: plan, brokers, gateways, native clients, judge."""

from pathlib import Path

import pytest
from support.processes.demonstration import demonstrated

pytestmark = [pytest.mark.broker, pytest.mark.timeout(120)]

PARTS = {"g1", "g2", "g3", "siena-sub", "witness", "cns-pub"}


async def test_what_the_city_asked_for_comes_over_the_air_in_control_events(tmp_path: Path) -> None:
    arguments = ("--seconds", "40", "--speedup", "8")
    verdict, processes = await demonstrated("traffic_control_events", tmp_path, *arguments)
    assert verdict["verdict"] == "pass"
    expected = {row["client"]: row["expected"] for row in verdict["clients"] if row["expected"]}
    assert expected.keys() == {"cns-pub", "air", "city", "siena-sub", "repeated", "witness"}
    assert expected["air"] > expected["city"] > expected["siena-sub"]
    assert set(processes) == PARTS
