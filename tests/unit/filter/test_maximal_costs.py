"""A filter is compared with a bounded number of others."""

import pytest
from fes.filter import parse
from fes.filter.algebra.cover import Extent
from fes.filter.algebra.maximal import MAX_COMPARED, Maximal


def test_a_filter_beside_many_is_compared_with_few(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    covers = Extent.covers

    def counted(self: Extent, narrower: Extent) -> bool:
        nonlocal compared
        compared += 1
        return covers(self, narrower)

    monkeypatch.setattr(Extent, "covers", counted)
    kept: Maximal[int] = Maximal()
    for number in range(300):
        compared = 0
        kept.add(number, parse(f"subject = 'S' AND licence = 'L{number}'"))
        assert compared <= 2 * MAX_COMPARED
    assert kept.skipped


def test_hostile_patterns_of_like_are_compared_in_one_pass_each() -> None:
    kept: Maximal[int] = Maximal()
    for number in range(24):
        odd = "%a" * 240 if number % 2 else "%a" + "_" * 11 + "%" + "b" * 400 + "a" * 20
        kept.add(number, parse(f"subject = 'S' AND x LIKE '{odd}{chr(256 + number)}'"))
    assert len([*kept]) == 24
