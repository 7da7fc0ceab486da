"""The images: each has all that its packages need, and is built from one file."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
STAGE = re.compile(r"^FROM (\S+) AS (\S+)\n(.*?)(?=^FROM |\Z)", re.MULTILINE | re.DOTALL)
STAGES = {name: (base, text) for base, name, text in STAGE.findall(DOCKERFILE)}
TARGETS = set(re.findall(r"target: ([\w-]+)", (ROOT / "docker-compose.yml").read_text("utf-8")))
ALONE = {
    "adapter-cosmic",
    "adapter-nats",
    "adapter-mqtt",
    "adapter-kafka",
    "adapter-jms",
    "adapter-http",
    "adapter-bus",
    "building-walk",
    "event-domains",
    "naming",
    "policy",
}
"""Targets that the stack does not use."""
REQUIREMENTS = {"libraries": "requirements.txt", "judge-libraries": "requirements-analytics.txt"}


def name_of(requirement: str) -> str:
    return re.split(r"[\s><=\[]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def projects() -> dict[str, set[str]]:
    """Return what each of our packages needs, by its name."""
    found = {}
    for file in ROOT.glob("*s/*/pyproject.toml"):
        project = tomllib.loads(file.read_text("utf-8"))["project"]
        found[name_of(project["name"])] = {name_of(each) for each in project["dependencies"]}
    return found


def copied(target: str) -> tuple[set[str], set[str]]:
    """Return the packages of ours in an image, and the third-party libraries in it."""
    ours: set[str] = set()
    libraries: set[str] = set()
    while target in STAGES:
        target, text = STAGES[target]
        for line in re.findall(r"^COPY --from=(\S+) (.*)", text, re.MULTILINE):
            stage, words = line
            if stage == "packages":
                ours |= {name_of(each) for each in re.findall(r"/built/(\S+)", words)}
            elif stage in REQUIREMENTS:
                lines = (ROOT / "compose" / REQUIREMENTS[stage]).read_text("utf-8").splitlines()
                libraries |= {name_of(each) for each in lines if each and each[0] != "#"}
    return ours, libraries


@pytest.mark.parametrize("target", sorted(TARGETS | ALONE))
def test_an_image_has_all_that_its_packages_need(target: str) -> None:
    ours, libraries = copied(target)
    needs = projects()
    assert ours <= set(needs)
    assert {each for one in ours for each in needs[one]} - ours - libraries == set()
    assert ours


def test_every_image_of_the_stack_has_a_target() -> None:
    assert {"gateway", "analytics", "traffic"} <= TARGETS <= set(STAGES)


def test_one_file_builds_every_image_of_ours() -> None:
    assert [*ROOT.glob("*s/*/Dockerfile")] == []


@pytest.mark.parametrize("target", sorted(TARGETS | ALONE))
def test_no_image_runs_as_root(target: str) -> None:
    while not (user := re.search(r"^USER (\S+)", STAGES[target][1], re.MULTILINE)):
        target = STAGES[target][0]
    assert user[1] == "10001:10001"
