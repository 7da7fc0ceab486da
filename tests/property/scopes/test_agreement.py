"""The definition, figure 8's graph and the compiled form agree, over random stories.

2,000 of them, or as many as FES_LAWS says (`make simulate`: 100,000).
"""

import os
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.scopes.town import Draw, disagreement, disagreement_in

CASES = int(os.environ.get("FES_LAWS", "2000"))
PARTS = 4


@pytest.mark.timeout(0 if CASES > 2000 else 300)
@pytest.mark.parametrize("part", range(PARTS))
def test_the_three_semantics_agree(part: int) -> None:
    for seed in range(part, CASES, PARTS):
        told = disagreement(seed)
        assert not told, f"seed {seed}: {told}"


class _Given(Draw):
    """Draws what Hypothesis gives, so that it can make a story smaller."""

    def __init__(self, source: Random) -> None:
        super().__init__(0)
        self._source = source

    def random(self) -> float:
        return self._source.random()

    def getrandbits(self, k: int, /) -> int:
        return self._source.getrandbits(k)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_the_three_semantics_agree_where_stories_can_shrink(source: Random) -> None:
    assert not disagreement_in(_Given(source))
