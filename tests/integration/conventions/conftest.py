"""Fixtures of what bridges are expected to do."""

import pytest
from fes.testing.keeping import keepers


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def forget_keepers() -> None:
    keepers.clear()
