"""Origins are shared among members, by all in the same way."""

from collections import Counter
from itertools import permutations

import pytest
from fes.link.rendezvous import owner
from hypothesis import given
from hypothesis import strategies as st

ORIGINS = [f"vehicle-{number}" for number in range(3000)]
NAMES = st.sets(st.text(max_size=8), min_size=1, max_size=6)


@given(st.text(max_size=20), NAMES)
def test_the_order_of_members_does_not_matter(origin: str, names: set[str]) -> None:
    found = {owner(origin, [*order]) for order in permutations(sorted(names)[:4])}

    assert len(found) == 1


@given(st.text(max_size=20), NAMES, st.text(max_size=8))
def test_who_comes_takes_origins_but_moves_no_other(origin: str, names: set[str], new: str) -> None:
    before, after = owner(origin, sorted(names)), owner(origin, sorted({*names, new}))

    assert after in {before, new}


def test_each_member_gets_about_its_share() -> None:
    counts = Counter(owner(origin, ("g2-a", "g2-b", "g2-c")) for origin in ORIGINS)

    assert all(800 < count < 1200 for count in counts.values())


def test_the_owner_is_the_same_in_every_version() -> None:
    found = [owner(origin, ("a", "b", "c")) for origin in ("car", "", "ü", "vehicle-7")]

    assert found == ["a", "c", "b", "c"]


def test_without_members_there_is_no_owner() -> None:
    with pytest.raises(ValueError, match="empty"):
        owner("car", ())
