"""A file that is changed: what it says holds after the next start, and nothing else."""

from functools import partial
from pathlib import Path

from fes.testing.eventually import eventually
from support.processes.packs import Running, running

SERVICES = """
version: 1
system: test
event_services:
  north: {kind: memory, settings: {bus: "%%(tag)s north"}}
  south: {kind: memory, settings: {bus: "%%(tag)s south"}}
gateways:
  g: {adapters: {north: {}, south: {}}}
requests: %s
"""
REQUEST = '{gateway: g, type: subscription, source: south, dist_list: north, filter: "%s"}'


def file(*filters: str) -> str:
    """Return a federation's file with static subscriptions."""
    return SERVICES % f"[{', '.join(REQUEST % each for each in filters)}]"


async def told(federation: Running) -> set[tuple[str, str]]:
    """Return the subscriptions that the gateway tells: filter and where it is applied."""
    listed = (await federation.get("g", "/v1/subscriptions")).json()
    return {(row["filter"], place["service"]) for row in listed for place in row["applied"]}


async def test_what_the_file_no_longer_has_is_withdrawn_and_what_is_new_is_in_force(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, file("a = 10", "a = 20")) as federation:
        await eventually(lambda: set(federation.bus("north").subscribed) == {"a = 10", "a = 20"})
        await federation.post(
            "g", type="subscription", source="south", dist_list="north", filter="a = 99"
        )
        await eventually(lambda: "a = 99" in federation.bus("north").subscribed)

    async with running(tmp_path, file("a = 20", "a = 30")) as again:
        expected = {"a = 20", "a = 30", "a = 99"}
        await eventually(lambda: set(again.bus("north").subscribed) == expected)
        assert {text for text, _ in await told(again)} == expected
        assert set(again.bus("north").subscribed.values()) == {1}


def subscribed(federation: Running) -> dict[str, int]:
    return federation.bus("north").subscribed


async def test_a_file_that_says_the_same_again_makes_nothing_twice(tmp_path: Path) -> None:
    for _ in range(3):
        async with running(tmp_path, file("a = 10")) as federation:
            await eventually(partial(subscribed, federation))
            assert subscribed(federation) == {"a = 10": 1}
            listed = (await federation.get("g", "/v1/subscriptions")).json()
            assert [row["filter"] for row in listed] == ["a = 10"]
