"""The images: what they share, and that nothing is missing in them."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DOCKERFILES = sorted(
    file
    for file in ROOT.glob("s*/*/Dockerfile")
    if "FROM ${PYTHON_IMAGE} AS libraries" in file.read_text()
)
STAGE = re.compile(
    r"^# The same in every image.*?(?=^FROM libraries AS ours)", re.MULTILINE | re.DOTALL
)
COPIED = re.compile(r"^COPY ((?:libs|services|scenarios)/\S+)", re.MULTILINE)


def name_of(requirement: str) -> str:
    return re.split(r"[\s><=\[]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def required_by(package: str) -> set[str]:
    told = tomllib.loads((ROOT / package / "pyproject.toml").read_text())
    return {name_of(each) for each in told["project"]["dependencies"]}


def called(package: str) -> str:
    told = tomllib.loads((ROOT / package / "pyproject.toml").read_text())
    return name_of(told["project"]["name"])


def test_the_first_stage_is_the_same_everywhere_so_that_it_is_built_once() -> None:
    assert len(DOCKERFILES) > 5
    assert len({stage for file in DOCKERFILES for stage in STAGE.findall(file.read_text())}) == 1


@pytest.mark.parametrize("file", DOCKERFILES, ids=lambda file: file.parent.name)
def test_an_image_has_all_that_its_packages_need(file: Path) -> None:
    lines = (ROOT / "compose/requirements.txt").read_text().splitlines()
    libraries = {name_of(line) for line in lines if line and not line.startswith("#")}
    packages = COPIED.findall(file.read_text())
    ours = {
        name_of(tomllib.loads((ROOT / each / "pyproject.toml").read_text())["project"]["name"])
        for each in packages
    }
    needed = {each for package in packages for each in required_by(package)}
    assert needed - ours - libraries == set()


def test_no_two_dockerfiles_are_as_long() -> None:
    """Where files have one age, as in an archive, builds at one time tell them apart by size."""
    every = [*ROOT.glob("s*/*/Dockerfile"), *ROOT.glob("compose/*/Dockerfile")]
    sizes = [file.stat().st_size for file in every]
    assert len(sizes) == len(set(sizes)) > 5
