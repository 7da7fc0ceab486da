import itertools
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from conformance.store.places import InFile, InMemory, InStream, Place
from eventservices.servers import NatsServer, ServerSpec

Start = Callable[..., "subprocess.Popen[bytes]"]

IN_STREAM = pytest.param("jetstream", marks=pytest.mark.broker)

_names = itertools.count()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """A real server that keeps streams."""
    folder = tmp_path_factory.mktemp("nats")
    with NatsServer(ServerSpec("journals", folder, jetstream=True)) as started:
        yield started


Make = Callable[[], Place]


@pytest.fixture(scope="session")
def make_in_file(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Return new files."""
    folder = tmp_path_factory.mktemp("files")
    return lambda: InFile(folder / f"{next(_names)}.sqlite")


@pytest.fixture(scope="session")
def make_in_stream(server: NatsServer) -> Make:
    """Return new streams."""
    return lambda: InStream(server.url, f"FES_test_{next(_names)}")


@pytest.fixture(scope="session", params=["memory", "sqlite", IN_STREAM])
def make(request: pytest.FixtureRequest, make_in_file: Make, make_in_stream: Make) -> Make:
    """Return new places of one kind."""
    makers = {"memory": InMemory, "sqlite": make_in_file, "jetstream": make_in_stream}
    return makers[request.param]


@pytest.fixture
def place(make: Make) -> Iterator[Place]:
    """A new place."""
    with closing(make()) as made:
        yield made


@pytest.fixture(params=["sqlite", IN_STREAM])
def shared(
    request: pytest.FixtureRequest, make_in_file: Make, make_in_stream: Make
) -> Iterator[Place]:
    """A new place that other processes can open, too."""
    with closing(make_in_file() if request.param == "sqlite" else make_in_stream()) as made:
        yield made


@pytest.fixture
def start_writer(shared: Place) -> Iterator[Start]:
    """Start processes that append to the shared place; they end with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def start(writer: str, count: int = 0, size: int = 0) -> "subprocess.Popen[bytes]":
        script = str(Path(__file__).with_name("writer.py"))
        command = [sys.executable, script, shared.text, writer, str(count), str(size)]
        started.append(subprocess.Popen(command))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
