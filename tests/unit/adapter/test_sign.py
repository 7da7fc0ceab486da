"""A part's sign of life."""

from pathlib import Path

import pytest
from fes.testing.eventually import eventually
from serving import readiness_file as sign
from serving.readiness_file import sign_of_life


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign, "PERIOD_S", 0.01)


async def test_the_file_is_there_only_while_the_part_is_ready(tmp_path: Path) -> None:
    path, ready = tmp_path / "ready", [False]
    async with sign_of_life(path, lambda: ready[0]):
        ready[0] = True
        await eventually(path.exists)
        ready[0] = False
        await eventually(lambda: not path.exists())
        ready[0] = True
        await eventually(path.exists)
    assert not path.exists()


async def test_the_file_stays_fresh(tmp_path: Path) -> None:
    path = tmp_path / "ready"
    async with sign_of_life(path, lambda: True):
        await eventually(path.exists)
        first = path.stat().st_mtime_ns
        await eventually(lambda: path.stat().st_mtime_ns > first)


async def test_a_place_that_cannot_be_written_harms_nothing(tmp_path: Path) -> None:
    path = tmp_path / "absent" / "ready"
    async with sign_of_life(path, lambda: True):
        assert not path.exists()


async def test_no_file_is_no_sign() -> None:
    async with sign_of_life(None, lambda: True):
        pass
