"""Parts are restarted one after another while events flow; all come back by themselves."""

import pytest
from support.stack import Stack, wait_for

PARTS = {
    "cns": "cns",
    "siena-1": "siena-1",
    "siena-2": "siena-2",
    "air": "air",
    "g1": "g1",
    "g2": "g2",
    "g3": "g3",
    "g1-cns": "g1.cns-v-FES0001",
    "g1-steam": "g1.steam-v-FES0001",
    "g2-steam": "g2.steam-m-M01",
    "g2-siena": "g2.siena-m",
    "g3-steam": "g3.steam-m-M02",
    "g3-siena": "g3.siena-m",
}
"""Service of docker-compose.yml, and what the federation calls it."""


def frames(stack: Stack) -> int:
    """Return how many frames were put on the bus."""
    return sum(frame.get("sent", True) for frame in stack.read("ground_truth.jsonl"))


@pytest.mark.timeout(150)
@pytest.mark.parametrize("service", PARTS)
def test_a_part_that_is_restarted_comes_back_by_itself(stack: Stack, service: str) -> None:
    before = frames(stack)
    stack.restart(service, PARTS[service])
    wait_for(lambda: frames(stack) > before, "frames on the bus")


def test_after_all_that_every_service_is_healthy(stack: Stack) -> None:
    wait_for(stack.healthy, "every service to be healthy")
    assert all(one["RestartCount"] == 0 for one in stack.containers().values())


def test_after_all_that_the_limits_are_applied_where_they_were(stack: Stack) -> None:
    limits = stack.get("traffic-control", "/v1/limits")
    assert {one["state"] for one in limits} == {"applied"}
    for gateway, service in (("g2", "steam-m-M01"), ("g3", "steam-m-M02")):
        listed = stack.get(gateway, "/v1/subscriptions")
        assert [service] in [[at["service"] for at in one["applied"]] for one in listed]
