"""Every row about traps and conventions names modules and a test that are there."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[3]
PAGES = ("reliability.md", "conventions.md")
ROW = re.compile(r"^\| ([A-Z]\d\d) \|(.*)\|$", re.MULTILINE)
TEST = re.compile(r"^`([\w/]+\.py)::(test_\w+)`$")
MODULE = re.compile(r"`([a-z_]+(?:\.[a-z_]+)+)`")


class Row(NamedTuple):
    """One row: its number, and the cells behind that."""

    number: str
    cells: tuple[str, ...]


def rows(page: str) -> list[Row]:
    text = (ROOT / "docs" / page).read_text("utf-8")
    return [
        Row(number, tuple(cell.strip() for cell in rest.split("|")))
        for number, rest in ROW.findall(text)
    ]


def all_rows() -> list[Row]:
    return [row for page in PAGES for row in rows(page)]


@pytest.mark.parametrize("page", PAGES)
def test_numbers_are_without_a_gap_and_begin_with_what_is_the_matter(page: str) -> None:
    seen: dict[str, list[Row]] = {}
    for row in rows(page):
        seen.setdefault(row.number, []).append(row)
    assert len(seen) > 15
    for letter in {number[0] for number in seen}:
        own = [number for number in seen if number[0] == letter]
        assert own == [f"{letter}{place:02}" for place in range(1, len(own) + 1)]
    for first, *others in seen.values():
        assert all(first.cells), first.number
        assert all(set(other.cells[:-1]) == {""} for other in others), first.number


@pytest.mark.parametrize("row", all_rows(), ids=lambda row: row.number)
def test_a_row_ends_with_a_test_that_is_there(row: Row) -> None:
    found = TEST.match(row.cells[-1])
    assert found is not None, row
    path = ROOT / "tests" / found[1]
    if not path.is_file():
        path = ROOT / "libs/fes/src/fes/testing" / found[1]
    assert path.is_file(), row
    pattern = rf"^\s*(async )?def {found[2]}\("
    assert re.search(pattern, path.read_text("utf-8"), re.MULTILINE), row


@pytest.mark.parametrize("page", PAGES)
def test_modules_that_are_named_are_there(page: str) -> None:
    named = {name for row in rows(page) for name in MODULE.findall(row.cells[-2])}
    assert len(named) > 10
    sources = [*ROOT.glob("libs/*/src"), *ROOT.glob("services/*/src")]
    missing = {
        name
        for name in named
        if not any(
            source.joinpath(*name.split(".")).is_dir()
            or source.joinpath(*name.split(".")).with_suffix(".py").is_file()
            for source in sources
        )
    }
    assert missing == set()


def test_every_new_test_of_a_trap_or_convention_has_a_row() -> None:
    named = {row.cells[-1].strip("`") for row in all_rows()}
    for folder in ("traps", "conventions"):
        for path in sorted((ROOT / "tests/integration" / folder).glob("test_*.py")):
            tests = re.findall(r"^(?:async )?def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
            where = path.relative_to(ROOT / "tests")
            assert {f"{where}::{test}" for test in tests} <= named
