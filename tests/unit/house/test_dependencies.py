"""What is installed is pinned, and explained."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PROJECTS = sorted(
    path
    for folder in ("libs", "services", "scenarios")
    for path in ROOT.glob(f"{folder}/*/pyproject.toml")
)


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def project(path: Path) -> dict[str, Any]:
    return dict(tomllib.loads(path.read_text("utf-8"))["project"])


def lines() -> list[str]:
    text = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    return [line for line in text if line and not line.startswith("#")]


def pinned() -> set[str]:
    return {canonical(line.partition("==")[0]) for line in lines()}


OURS = {canonical(str(project(path)["name"])) for path in PROJECTS}


def direct(path: Path) -> set[str]:
    needed = {canonical(re.split(r"[^\w.-]", entry)[0]) for entry in project(path)["dependencies"]}
    return needed - OURS


@pytest.mark.parametrize("line", lines())
def test_a_constraint_is_a_name_and_one_exact_version(line: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9][\w.-]*==[0-9][\w.!+-]*", line)


def test_no_package_is_pinned_twice() -> None:
    assert len(pinned()) == len(lines())


@pytest.mark.parametrize("path", PROJECTS, ids=lambda path: path.parent.name)
def test_every_dependency_of_a_package_is_pinned(path: Path) -> None:
    assert direct(path) <= pinned()


@pytest.mark.parametrize("path", PROJECTS, ids=lambda path: path.parent.name)
def test_every_dependency_of_a_package_has_a_line_that_explains_it(path: Path) -> None:
    page = (ROOT / "docs/dependencies.md").read_text("utf-8")
    explained = {canonical(name) for name in re.findall(r"`([\w.-]+)`", page)}
    assert direct(path) <= explained


def test_the_makefile_installs_every_package() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    named = set(re.findall(r"\b(?:libs|services|scenarios)/[\w-]+", makefile))
    assert {str(path.parent.relative_to(ROOT)) for path in PROJECTS} == named
