"""With `FES_BLOCKING=1` the integration tests report which turns kept the event loop waiting."""

import os
from collections.abc import Iterator

import pytest
from support.house.blocking import Found, watching

REPORT = pytest.StashKey[Found]()


@pytest.fixture(autouse=True)
def long_turns(request: pytest.FixtureRequest) -> Iterator[None]:
    """Measure the loop's turns while a test runs."""
    if not os.environ.get("FES_BLOCKING"):
        yield
        return
    found = Found()
    with watching(found):
        yield
    for turn in found.turns:
        line = f"{turn.wall_s:.2f} s, {turn.cpu_s:.2f} s of processor: {turn.what}"
        request.node.user_properties.append(("long turn", f"{line} in {request.node.name}"))
