"""Fixtures of the SIENA adapter's tests."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import pytest
from integration.adapter_siena.bench import Cluster, SienaBench, start_cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a cluster that the tests of a module share."""
    running = start_cluster(tmp_path_factory.mktemp("siena"))
    yield running
    running.stop()


@pytest.fixture
async def bench(cluster: Cluster) -> AsyncIterator[SienaBench]:
    """Return a bench for a service of its own."""
    async with AsyncExitStack() as stack:
        yield SienaBench(cluster, stack)
