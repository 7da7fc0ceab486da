"""Every exception from a rule of the linter or the type checker has its reason on its line."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[3]
FOLDERS = ("libs", "services", "scenarios", "tests", "benchmarks", "examples")
BARE = re.compile(r"# (noqa: [A-Z0-9, ]*[A-Z0-9]|type: ignore\[[^\]]*\])\s*$|# noqa\s*$")


def bare(text: str) -> list[int]:
    """Return the numbers of lines that except something without a reason."""
    return [number for number, line in enumerate(text.splitlines(), 1) if BARE.search(line)]


def test_no_exception_is_without_a_reason() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        for number in bare(path.read_text("utf-8"))
    ]
    assert found == []


def test_no_module_is_left_out_of_the_type_check() -> None:
    mypy = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]
    assert mypy["strict"] is True
    for settings in (mypy, *mypy["overrides"]):
        assert not {"ignore_errors", "exclude"} & settings.keys(), settings


def test_a_reason_is_what_follows_the_code() -> None:
    code = "x = 1  # no" + "qa: S101"
    kind = "x = 1  # type" + ": ignore[misc]"

    assert bare(code) == bare(kind) == bare(f"{code}, S102") == [1]
    assert bare(f"{code} - a reason") == bare(f"{kind} # a reason") == []
