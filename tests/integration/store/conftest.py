import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from eventservices.ports import free_port
from eventservices.servers import NatsServer, ServerSpec
from fes.errors import BehindError, StoreError
from fes_gateway.store import Entry, JetStreamJournal, Journal, StreamSettings
from integration.store.losing import LosingProxy

Open = Callable[..., JetStreamJournal]

_names = itertools.count()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """A server whose disk has what it says that it stored."""
    spec = ServerSpec("stores", tmp_path_factory.mktemp("nats"), jetstream=True, sync_always=True)
    with NatsServer(spec) as started:
        yield started


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[NatsServer]:
    """A server that a test may kill."""
    with NatsServer(ServerSpec("own", tmp_path / "nats", jetstream=True)) as started:
        yield started


@pytest.fixture
def stream() -> str:
    """Name of a stream of the test's own."""
    return f"FES_test_{next(_names)}"


@pytest.fixture
def open_at(stream: str) -> Iterator[Open]:
    """Open journals of one stream."""
    opened: list[JetStreamJournal] = []

    def open_journal(*urls: str, copies: int = 1, patience_s: float = 10.0) -> JetStreamJournal:
        settings = StreamSettings(urls, stream, copies, patience_s)
        opened.append(JetStreamJournal(settings))
        return opened[-1]

    yield open_journal
    for journal in opened:
        journal.close()


@pytest.fixture
def proxy(server: NatsServer) -> Iterator[LosingProxy]:
    """A connection that loses what it is told to."""
    losing = LosingProxy(server.port)
    yield losing
    losing.close()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[list[NatsServer]]:
    """Three servers that are one cluster."""
    ports = [free_port() for _ in range(3)]
    routes = tuple(f"nats-route://127.0.0.1:{port}" for port in ports)
    servers = [
        NatsServer(
            ServerSpec(
                f"c{at}",
                tmp_path / f"c{at}",
                jetstream=True,
                sync_always=True,
                cluster="stores",
                routes=routes,
                cluster_port=port,
            )
        )
        for at, port in enumerate(ports)
    ]
    try:
        for server in servers:
            server.start()
        yield servers
    finally:
        for server in servers:
            server.stop()


def append_at_last(journal: Journal, batch: Sequence[Entry], position: int) -> int:
    """Append once the servers take it; what is in doubt is settled by the same call."""
    for _ in range(100):
        try:
            return journal.append(batch, position)
        except BehindError:
            raise
        except StoreError:
            continue
    raise AssertionError("it was never appended")
