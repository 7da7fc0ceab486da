"""Links of one process hand over in turns."""

import asyncio

import pytest
from fes.link import memory
from fes.link.memory import AT_ONCE, Turns, memory_link, turns
from fes.link.messages import Taken
from fes.testing.eventually import eventually


async def test_the_loop_is_given_back_between_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "SLICE_S", 0.0)
    own = Turns()
    left = [30]

    def work() -> bool:
        left[0] -= 1
        return left[0] > 0

    own.put(work)
    await eventually(lambda: left[0] == 0)

    assert own.slices == 29


async def test_no_link_waits_until_another_has_handed_over_all() -> None:
    came: list[str] = []
    ends = {name: memory_link() for name in ("one", "other")}
    for name, (_, far) in ends.items():
        far.receive_with(lambda _, name=name: came.append(name))  # type: ignore[misc] # a default binds the name
    for name, (near, _) in ends.items():
        for number in range(3 * AT_ONCE):
            near.send(Taken(number, taken=True))
        assert name not in came

    await eventually(lambda: len(came) == 6 * AT_ONCE)

    assert came[:AT_ONCE] == ["one"] * AT_ONCE
    assert came[AT_ONCE : 2 * AT_ONCE] == ["other"] * AT_ONCE
    assert turns() is turns()
    await asyncio.sleep(0)
