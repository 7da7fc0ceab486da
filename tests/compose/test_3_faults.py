"""Parts are restarted one after another while events flow; all come back by themselves."""

import pytest
from support.processes.stack import Stack, wait_for

PARTS = (
    *("cns", "siena-1", "siena-2", "air", "g1", "g2", "g3", "g1-cns", "g1-steam"),
    *("g2-steam", "g2-siena", "g3-steam", "g3-siena"),
)


def frames(stack: Stack) -> int:
    """Return how many frames were put on the bus."""
    return sum(frame.get("sent", True) for frame in stack.read("ground_truth.jsonl"))


@pytest.mark.timeout(150)
@pytest.mark.parametrize("service", PARTS)
def test_a_part_that_is_restarted_comes_back_by_itself(stack: Stack, service: str) -> None:
    before = frames(stack)
    stack.restart(service)
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
