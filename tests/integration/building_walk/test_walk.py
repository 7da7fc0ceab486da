"""The whole: plan, services, buses, gateways, native clients, judge."""

from pathlib import Path

import pytest
from support.processes.demonstration import demonstrated

pytestmark = [pytest.mark.broker, pytest.mark.timeout(240)]


async def test_doors_open_and_mail_follows_in_a_short_walk(tmp_path: Path) -> None:
    verdict, processes = await demonstrated("building_walk", tmp_path, "--steps", "14")
    assert verdict["passed"]
    assert all(each["kept"] and each["checked"] for each in verdict["promises"])
    assert not any(each["excused"] for each in verdict["promises"])
    assert {"naming", "policy", "bus-net1", "bus-office", "walk"} <= set(processes)


async def test_all_is_kept_while_the_policy_service_and_a_bus_are_killed(tmp_path: Path) -> None:
    arguments = ("--restarts", "policy", "bus-office")
    verdict, _ = await demonstrated("building_walk", tmp_path, *arguments)
    *_, restarts = verdict["promises"]
    assert verdict["passed"]
    assert restarts["text"].startswith("each service was restarted")
    assert restarts["checked"] == 2
