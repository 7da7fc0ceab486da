"""Every row of the tables of cases and facts names a test that is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SHORT = {
    "hostile/": "tests/integration/hostile/",
    "cns_domains/": "tests/integration/cns_domains/",
    "event_domains/": "tests/integration/event_domains/",
    "facts::": "tests/unit/cns/test_domain_facts.py::",
    "logs/": "tests/unit/cns/logs/",
    "rest::": "tests/integration/gateway/test_rest_bad_input.py::",
}
ROW = re.compile(r"^\| (?!input|case|---).*\|$", re.MULTILINE)
TEST = re.compile(r"`([\w/.]+)::(test_\w+)`")


def rows(name: str) -> list[str]:
    text = (ROOT / "docs" / name).read_text("utf-8")
    found = [row for row in ROW.findall(text) if "---" not in row]
    # Of the inputs only the table of cases names tests; the others list forms and reasons.
    return [row for row in found if name != "inputs.md" or "::test_" in row or row[:3] == "| P"]


@pytest.mark.parametrize(
    "name", ["bad-input.md", "event-domains-facts.md", "inputs.md", "trouble-cases.md"]
)
def test_every_row_names_a_test_that_is_there(name: str) -> None:
    assert len(rows(name)) > 15
    for row in rows(name):
        named = row
        for short, whole in SHORT.items():
            named = named.replace(f"`{short}", f"`{whole}")
        (found,) = TEST.findall(named)
        path = ROOT / found[0]
        assert path.is_file(), row
        assert re.search(rf"^(async )?def {found[1]}\(", path.read_text("utf-8"), re.MULTILINE), row


def test_every_trouble_case_of_these_parts_has_a_row() -> None:
    cases = {row.split()[1] for row in rows("trouble-cases.md")}
    assert cases == {f"D{number:02}" for number in (*range(1, 15), 16, *range(20, 24))}
