"""Brokers, native applications and federations that the tests of a module share."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from eventservices.servers import NatsServer, ServerSpec
from integration.traffic.natives import Natives
from support.processes.federation import observing

BROKER = {"cns": "cns", "siena": "siena-2", "steam": "air"}
"""Where a native client of each kind of event service listens."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("traffic")


@pytest.fixture(scope="module")
def brokers(folder: Path) -> Iterator[dict[str, str]]:
    """Start brokers that belong to no federation; give their addresses."""
    with ExitStack() as stack:

        def start(name: str, *, mqtt: bool = False, routes: tuple[str, ...] = ()) -> NatsServer:
            cluster = "siena" if name.startswith("siena") else None
            spec = ServerSpec(name, folder / "brokers", mqtt, cluster=cluster, routes=routes)
            return stack.enter_context(NatsServer(spec))

        first = start("siena-1")
        second = start("siena-2", routes=(first.route,))
        yield {
            "cns": start("cns").url,
            "air": start("air", mqtt=True).mqtt_url,
            "siena-1": first.url,
            "siena-2": second.url,
        }


@pytest.fixture(scope="module")
def natives(brokers: dict[str, str], folder: Path) -> Iterator[Natives]:
    """Start a native client of each event service that listens until the end."""
    with ExitStack() as stack:
        observers = {
            kind: stack.enter_context(observing(kind, brokers[name], folder / f"{kind}.jsonl"))
            for kind, name in BROKER.items()
        }
        yield Natives(brokers, observers)
