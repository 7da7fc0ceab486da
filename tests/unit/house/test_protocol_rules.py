"""Every rule of the protocol names a test, and that test names the rule."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SHORT = {
    "core/": "tests/unit/gateway/",
    "sim/": "tests/simulation/",
    "live/": "tests/integration/gateway/",
    "link/": "tests/unit/link/",
    "adapter/": "tests/unit/adapter/",
    "replicas/": "tests/unit/replicas/",
    "hosts/": "tests/integration/replicas/",
    "laws/": "tests/property/gateway/",
}
ROW = re.compile(r"^\| ([A-Z]\d+) \| .+ \| `(\w+/)([\w/.]+)::(test_\w+)` \|$", re.MULTILINE)
ANY_RULE = re.compile(r"^\| ([A-Z]\d+) \|", re.MULTILINE)
NAMED = re.compile(
    r'^(?:async )?def (test_\w+)\([^)]*\) -> None:\n    """Rule ([A-Z]\d+)\."""', re.MULTILINE
)


def rules() -> dict[str, tuple[str, str]]:
    """Return rule to (file, test), as the specification has it."""
    text = (ROOT / "docs/protocol.md").read_text("utf-8")
    return {rule: (SHORT[short] + path, test) for rule, short, path, test in ROW.findall(text)}


def named() -> dict[str, tuple[str, str]]:
    """Return rule to (file, test), as the tests have it."""
    return {
        rule: (str(path.relative_to(ROOT)), test)
        for folder in SHORT.values()
        for path in sorted((ROOT / folder).glob("test_*.py"))
        for test, rule in NAMED.findall(path.read_text("utf-8"))
    }


def test_every_rule_has_a_number_of_its_own_and_a_test() -> None:
    numbers = ANY_RULE.findall((ROOT / "docs/protocol.md").read_text("utf-8"))

    assert len(numbers) == len(set(numbers)) > 50
    assert set(numbers) == set(rules())


@pytest.mark.parametrize("rule", sorted(rules()))
def test_the_test_of_a_rule_names_the_rule(rule: str) -> None:
    assert named().get(rule) == rules()[rule]


def test_every_test_that_names_a_rule_is_the_one_that_the_rule_names() -> None:
    assert named() == rules()
