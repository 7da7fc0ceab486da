"""The garbage collector's pauses stay short, and nothing stays that nobody can reach."""

import gc
import weakref
from collections.abc import Iterator

import pytest
from fes.testing.eventually import eventually
from serving import collector
from serving.collector import Collector


class Knot:
    """Refers to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def collecting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A collector that has set aside what the tests made so far; all is as before afterwards."""
    thresholds, made = gc.get_threshold(), Collector()
    made.settle()
    monkeypatch.setattr(collector, "MANY", 100)
    yield made
    made.stop()
    gc.unfreeze()
    gc.set_threshold(*thresholds)


def grow_old(count: int = collector.LOOKS) -> None:
    """Have what is new become old, as if much was made meanwhile."""
    for _ in range(count):
        gc.collect(1)


def test_what_was_made_before_is_not_looked_at_again(collecting: Collector) -> None:
    assert len(gc.get_objects(2)) < 1000
    assert gc.get_freeze_count() > 10_000


def test_what_survives_is_set_aside_and_a_knot_that_nobody_reaches_is_freed(
    collecting: Collector,
) -> None:
    kept, knot = Knot(), Knot()
    gone = weakref.ref(knot)
    del knot
    frozen = gc.get_freeze_count()
    gc.disable()
    try:
        collecting.look()
        assert gone() is not None, "nothing is looked at before there is enough of it"
        grow_old()
        collecting.look()
    finally:
        gc.enable()
    assert gone() is None
    assert gc.get_freeze_count() > frozen
    assert kept.itself is kept


def test_a_knot_that_is_cut_off_later_is_freed_once_the_process_has_grown(
    collecting: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    knot = Knot()
    gone = weakref.ref(knot)
    grow_old()
    collecting.look()
    del knot
    grow_old()
    collecting.look()
    assert gone() is not None
    assert collecting.wholes == 0
    monkeypatch.setattr(collector, "GROWTH", 0)
    grow_old()
    collecting.look()
    assert gone() is not None, "a process with many objects waits longer"
    monkeypatch.setattr(collector, "MOST_GROWTH", 0)
    grow_old()
    collecting.look()
    assert gone() is None
    assert collecting.wholes == 1


def test_the_oldest_are_never_looked_at_by_the_interpreter_itself(collecting: Collector) -> None:
    before = gc.get_stats()[2]["collections"]
    made = [[Knot()] for _ in range(200_000)]
    assert gc.get_stats()[2]["collections"] == before
    assert len(made) == 200_000


async def test_a_running_loop_looks_by_itself(
    collecting: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "LOOK_S", 0.001)
    collecting.start()
    knot = Knot()
    gone = weakref.ref(knot)
    del knot
    grow_old()
    await eventually(lambda: gone() is None)
    collecting.stop()
    collecting.stop()
