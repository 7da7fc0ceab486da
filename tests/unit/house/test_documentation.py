"""The documentation leads where it says."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
HOUSE = ("docs", "libs", "services", "scenarios", "benchmarks")


def pages() -> list[Path]:
    nested = [page for folder in HOUSE for page in (ROOT / folder).rglob("*.md")]
    return sorted([*ROOT.glob("*.md"), *nested])


def links(page: Path) -> list[str]:
    found = LINK.findall(page.read_text("utf-8"))
    return [link for link in found if "://" not in link and not link.startswith("mailto:")]


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_of_the_house(page: Path) -> None:
    broken = [link for link in links(page) if not (page.parent / link).exists()]
    assert broken == []


def test_links_are_found_at_all() -> None:
    assert "docs/architecture.md" in links(ROOT / "README.md")


def test_modules_that_the_architecture_names_exist() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    named = set(
        re.findall(r"`((?:fes|fes_gateway|eventservices|can_sim|adapter_\w+)\.[a-z_.]+)`", text)
    )
    assert "fes.gateway.core" in named
    sources = [*ROOT.glob("libs/*/src"), *ROOT.glob("services/*/src")]
    missing = [name for name in sorted(named) if not any(_module(src, name) for src in sources)]
    assert missing == []


def _module(source: Path, name: str) -> bool:
    path = source.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()
