"""A SIENA cluster, gateways of monitors, and the city."""

from collections.abc import Iterator

import pytest
from integration.adapter_siena.bench import Cluster, start_cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a cluster that the tests of a module share."""
    running = start_cluster(tmp_path_factory.mktemp("siena"))
    yield running
    running.stop()
