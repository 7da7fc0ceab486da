import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from eventservices.errors import NotConnectedError
from eventservices.servers import NatsServer, ServerSpec

HEADER = "time_us,vehicle,licence,lat,lon,speed_kmh\n"

Trace = Callable[[list[tuple[int, str, float]]], Path]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[NatsServer]:
    server = NatsServer(ServerSpec("cns", tmp_path / "broker"))
    try:
        server.start()
    except NotConnectedError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture
def run_folder(tmp_path: Path) -> Trace:
    """Return what writes a run's trace: rows of time (ms), vehicle and speed."""

    def write(rows: list[tuple[int, str, float]]) -> Path:
        text = "".join(f"{ms * 1000},{v},{v},50.0,8.0,{kmh}\n" for ms, v, kmh in rows)
        (tmp_path / "trace.csv").write_text(HEADER + text, "utf-8")
        return tmp_path

    return write


@pytest.fixture
def can_sim() -> str:
    beside = Path(sys.executable).with_name("can-sim")
    found = str(beside) if beside.exists() else shutil.which("can-sim")
    assert found, "can-sim is not installed"
    return found
