"""One real broker for all three event services of a federation that observes."""

from collections.abc import Iterator

import pytest
from eventservices.servers import NatsServer, ServerSpec


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("observing", tmp_path_factory.mktemp("nats"), mqtt=True)) as started:
        yield started
