"""One object for each event loop, whichever was asked last."""

import asyncio
import gc
from weakref import ref

import pytest
from eventservices.per_loop import PerLoop


class Thing:
    """Something that there is one of for each loop."""


def test_each_loop_has_an_object_of_its_own_that_stays_the_same() -> None:
    thing = PerLoop(Thing)
    loops = [asyncio.new_event_loop() for _ in range(2)]

    async def found() -> Thing:
        return thing()

    first = [loop.run_until_complete(found()) for loop in loops]
    again = [loop.run_until_complete(found()) for loop in (*reversed(loops), *loops)]
    for loop in loops:
        loop.close()
    assert first[0] is not first[1]
    assert again == [first[1], first[0], *first]


def test_the_object_of_a_loop_that_is_gone_goes_too() -> None:
    thing = PerLoop(Thing)
    loop = asyncio.new_event_loop()

    async def found() -> Thing:
        return thing()

    gone = ref(loop.run_until_complete(found()))
    loop.close()
    del loop
    gc.collect()
    assert gone() is None


def test_without_a_running_loop_there_is_no_object() -> None:
    with pytest.raises(RuntimeError, match="no running event loop"):
        PerLoop(Thing)()
