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
PLAIN = ("mqtt", "nats", "kafka", "jms", "http")
EXEMPT = {18: {"mqtt", "http"}}
"""Trouble cases that are not of a system: MQTT and HTTP are not persistent."""

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
        assert re.search(
            rf"^\s*(async )?def {found[1]}\(", path.read_text("utf-8"), re.MULTILINE
        ), row


def test_every_trouble_case_of_these_parts_has_a_row() -> None:
    cases = {row.split()[1] for row in rows("trouble-cases.md")}
    assert cases == {f"D{number:02}" for number in range(1, 24)}


def test_every_trouble_case_of_plain_systems_has_a_test_of_each_of_them() -> None:
    """Those of the shipped suite run for each; D11 to D13 are of wildcards, D15 of gateways."""
    for kind in PLAIN:
        suite = (ROOT / f"tests/conformance/test_{kind}_adapter.py").read_text("utf-8")
        assert "(AdapterConformance):" in suite
    for case in (9, 10, 14, *range(16, 24)):
        named = [row for row in rows("trouble-cases.md") if row.startswith(f"| D{case:02} ")]
        shared = any("/fes/testing/conformance/" in row for row in named)
        missing = {
            kind
            for kind in PLAIN
            if not shared and not any(f"/adapter_{kind}/" in row for row in named)
        }
        assert missing <= EXEMPT.get(case, set()), case
