"""One broker for all tests of the adapter that do not restart it."""

from collections.abc import Iterator

import pytest
from support.processes.activemq import ActiveMq


@pytest.fixture(scope="package")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ActiveMq]:
    running = ActiveMq(tmp_path_factory.mktemp("activemq"))
    running.start()
    yield running
    running.stop()
