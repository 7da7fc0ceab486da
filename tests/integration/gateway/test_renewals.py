"""What only prolongs a lease is performed at once, and committed with something else."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import fes_gateway.committing as committing_module
import pytest
from fes.gateway.outputs import Decided, Output, PutRow
from fes.gateway.requests.registry import LATER_US
from fes.testing.eventually import eventually
from fes_gateway.committing import Committing
from fes_gateway.recording import Counters
from fes_gateway.store import fold
from fes_gateway.store.memory import MemoryJournal, MemoryPlace


async def test_what_may_come_later_is_committed_with_the_next_and_before_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_us = 1_000_000
    monkeypatch.setattr(committing_module, "steady_us", lambda: now_us)
    place, performed = MemoryPlace(), list[Output]()
    journal = MemoryJournal(place)
    with ThreadPoolExecutor(1) as executor:
        commits = Committing("g", journal, executor, performed.extend, lambda: None, Counters())
        await commits.start()

        commits.later([PutRow("2a", b"1", soon=False)])
        commits.later([PutRow("2a", b"2", soon=False)])
        commits.pass_time()
        await asyncio.sleep(0)
        assert state_of(place) == {}

        commits.put([PutRow("2b", b"3")], [Decided("received")])
        await eventually(lambda: bool(performed))
        assert state_of(place) == {"2a": b"2", "2b": b"3"}

        commits.later([PutRow("2a", b"4", soon=False)])
        now_us += LATER_US
        commits.pass_time()
        await eventually(lambda: state_of(place)["2a"] == b"4")

        commits.later([PutRow("2a", b"5", soon=False)])
        assert await commits.stop(5.0)
    assert state_of(place)["2a"] == b"5"


def state_of(place: MemoryPlace) -> dict[str, bytes]:
    return fold(place.entries)
