"""Every law over many cases: 2,000, or as many as FES_LAWS says (`make simulate`: 100,000)."""

import os

import pytest
from support.filters.laws import LAWS, Law, broken
from support.filters.native_laws import NATIVE_LAWS

CASES = int(os.environ.get("FES_LAWS", "2000"))
ALL_LAWS: dict[str, Law] = LAWS | NATIVE_LAWS


@pytest.mark.timeout(0 if CASES > 2000 else 300)
@pytest.mark.parametrize("name", sorted(ALL_LAWS))
def test_the_law_holds(name: str) -> None:
    assert not broken(ALL_LAWS[name], CASES)


FOUND = [
    ("a translation lets pass what the filter accepts", 81219),
    ("STEAM: a content filter accepts what the filter does", 35090),
]
"""Cases that once broke a law."""


@pytest.mark.parametrize(("name", "seed"), FOUND)
def test_the_law_holds_where_it_was_once_broken(name: str, seed: int) -> None:
    assert not broken(ALL_LAWS[name], 1, seed)
