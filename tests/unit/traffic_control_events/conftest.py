import shutil
from pathlib import Path

import pytest
from traffic_control_events.plan import Wanted, plan
from unit.traffic_control_events.good import Good, make_good


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planned")
    plan(folder, Wanted(40, 4.0))
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_good(tmp_path_factory.mktemp("made")).folder


@pytest.fixture
def good(made: Path, tmp_path: Path) -> Good:
    """Return a run in which everything came as it had to."""
    return Good(Path(shutil.copytree(made, tmp_path, dirs_exist_ok=True)))
