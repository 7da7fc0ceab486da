"""The garbage collector's pauses stay short, and nothing stays that nobody can reach."""

import asyncio
import gc
import sys
import weakref
from collections.abc import AsyncIterator

import pytest
from fes.testing.eventually import eventually
from serving import collector
from serving.collector import Collector


class Knot:
    """Refers to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What the process has of blocks of memory, as a test wants it."""
    found = [100]
    monkeypatch.setattr(sys, "getallocatedblocks", lambda: found[0])
    return found


@pytest.fixture
async def collecting(
    blocks: list[int], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Collector]:
    """A collector that has set aside what the tests made so far; all is as before afterwards."""
    thresholds, made = gc.get_threshold(), Collector()
    made.settle()
    monkeypatch.setattr(collector, "MANY", 50)
    made.start()
    made.accept_growth()
    yield made
    made.stop()
    gc.unfreeze()
    gc.set_threshold(*thresholds)


async def test_what_was_made_before_is_not_looked_at_again(collecting: Collector) -> None:
    assert len(gc.get_objects(2)) < 1000
    assert gc.get_freeze_count() > 10_000


async def test_what_survives_is_set_aside_and_a_knot_that_nobody_reaches_is_freed(
    collecting: Collector,
) -> None:
    kept, knot = Knot(), Knot()
    gone = weakref.ref(knot)
    del knot
    frozen = gc.get_freeze_count()
    gc.collect(1)
    young = gc.get_freeze_count()
    assert young <= frozen, "only the oldest are set aside; some of these may have ended"
    gc.collect()
    assert gone() is None
    assert gc.get_freeze_count() > young
    assert kept.itself is kept


async def test_what_is_made_at_once_is_set_aside_before_it_is_much(collecting: Collector) -> None:
    """A timer would look too late: a pause would depend on how fast objects are made.

    Nor does it depend on how much was made before: Python collects the oldest generation when a
    quarter is new of what the last collection of it left.
    """
    collecting.stop()
    before = [[number] for number in range(400_000)]
    collecting.settle()
    collecting.start()
    most = 0

    def visited(phase: str, info: dict[str, int]) -> None:
        nonlocal most
        if phase == "start" and info["generation"] == 2:
            most = max(most, len(gc.get_objects()))

    gc.callbacks.append(visited)
    try:
        made = [[Knot()] for _ in range(200_000)]
    finally:
        gc.callbacks.remove(visited)
    assert (len(made), len(before)) == (200_000, 400_000)
    assert 0 < most < 30_000
    assert len(gc.get_objects()) < 30_000


async def test_a_knot_that_is_cut_off_later_is_freed_once_the_process_has_grown(
    collecting: Collector, blocks: list[int]
) -> None:
    knot = Knot()
    gone = weakref.ref(knot)
    gc.collect()
    del knot
    blocks[0] = 700
    gc.collect()
    await asyncio.sleep(0)
    assert gone() is not None, "a process with many objects waits longer"
    blocks[0] = 900
    gc.collect()
    await eventually(lambda: collecting.wholes == 1)
    assert gone() is None
    gc.collect()
    await asyncio.sleep(0)
    assert collecting.wholes == 1, "growth counts from there"


async def test_a_process_with_few_objects_visits_all_of_them_sooner(
    collecting: Collector, blocks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "MANY", 1_000)
    blocks[0] = 250
    gc.collect()
    await eventually(lambda: collecting.wholes == 1)


async def test_growth_while_a_process_starts_does_not_count(
    collecting: Collector, blocks: list[int]
) -> None:
    collecting.stop()
    starting = Collector()
    starting.start()
    blocks[0] = 10_000
    gc.collect()
    await asyncio.sleep(0)
    starting.accept_growth()
    gc.collect()
    await asyncio.sleep(0)
    assert starting.wholes == 0
    blocks[0] = 90_000
    gc.collect()
    await eventually(lambda: starting.wholes == 1)
    starting.stop()


async def test_nothing_is_set_aside_after_the_end(collecting: Collector) -> None:
    collecting.stop()
    collecting.stop()
    frozen = gc.get_freeze_count()
    gc.collect()
    assert gc.get_freeze_count() <= frozen, "some of these may have ended"


async def test_a_collector_of_a_service_ends_with_it() -> None:
    before = len(gc.callbacks)

    def serve() -> None:
        with collector.collecting():
            assert len(gc.callbacks) == before + 1
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        serve()
    assert len(gc.callbacks) == before
