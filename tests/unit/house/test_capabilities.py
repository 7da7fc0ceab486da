"""The table that compares the adapters says what their classes say."""

import re
from dataclasses import fields
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from adapter_cns.adapter import CnsAdapter
from adapter_cosmic.adapter import CosmicAdapter
from fes.adapter.base import AnyAdapter
from fes.adapter.pool import ConnectionPool
from fes.federation.capabilities import Capabilities
from fes.federation.kinds import GROUP, installed_kinds
from fes.model import Type
from support.processes.contexts import adapter_context

PAGES = Path(__file__).parents[3] / "docs/adapters"
ADAPTERS: dict[str, type[AnyAdapter]] = {
    point.name: point.load()
    for point in entry_points(group=GROUP)
    if point.value.startswith("adapter_")
}
NEEDED: dict[str, dict[str, object]] = {
    "steam": {"location": {"lat": 0.0, "lon": 0.0}},
    "cosmic": {"node": 1},
    "http": {"secret_file": "secret"},
}
"""Settings that an adapter cannot do without."""

UNTOLD = {"longest subject", "names of parameters and attributes"}
"""Rows about limits that are the native APIs' own, which `Capabilities` does not tell."""


def table() -> dict[str, dict[str, str]]:
    """Return cells by adapter and row."""
    text = (PAGES / "README.md").read_text("utf-8")
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in re.findall(r"^\|.*\|$", text, re.MULTILINE)
    ]
    return {
        name.strip("`"): {row[0]: row[place] for row in rows}
        for place, name in enumerate(head)
        if place
    }


def told(adapter: type[AnyAdapter]) -> dict[str, str]:
    """Return what a class tells, as cells of the table begin."""
    can = installed_kinds()[adapter.kind].can(NEEDED.get(adapter.kind, {}))
    every = set(can.keeps_types) == {each.name for each in Type}
    return {
        "filters at the source": _yes(can.filters_at_source),
        "observes subscriptions": _yes("subscriptions" in can.observes),
        "observes announcements": _yes("announcements" in can.observes),
        "announcement needed": _yes(can.needs_announcement),
        "stamps": _yes(can.stamps),
        "suppresses repeated identities": _yes(can.suppresses),
        "persistent": _yes(can.persistent),
        "largest event, bytes": str(can.max_event_bytes),
        "push or pull": "pull" if can.pull else "push",
        "attributes kept": _yes(can.keeps_attributes),
        "types kept": "all" if every else ", ".join(can.keeps_types),
        "delivers again, seconds": f"{can.redelivers_s:g}",
        "knows a repetition, seconds": f"{can.deduplicates_s:g}",
        "attributes that it acts on itself": ", ".join(f"`{name}`" for name in can.honours),
    }


def _yes(value: object) -> str:
    return "yes" if value else "no"


def test_every_adapter_has_a_column_and_a_page_with_its_capabilities() -> None:
    assert (
        set(table())
        == set(ADAPTERS)
        == {
            *("cns", "siena", "steam", "cosmic", "nats", "mqtt", "kafka", "jms", "http", "bus"),
        }
    )
    for name in ADAPTERS:
        text = (PAGES / f"{name}.md").read_text("utf-8")
        section = text.partition("## Capabilities\n")[2] or text.partition("## What it can do\n")[2]
        assert section.count("\n| ") >= len(("filters", "stamps", "types", "largest event")), name
        assert f"({name}.md)" in (PAGES / "README.md").read_text("utf-8")


@pytest.mark.parametrize("name", ADAPTERS)
def test_the_table_says_what_the_class_says(name: str) -> None:
    """Where it depends on a setting, the cell names it."""
    cells = table()[name]
    expected = told(ADAPTERS[name])
    assert set(cells) == set(expected) | UNTOLD
    for row, value in expected.items():
        cell = re.sub(r"^where `\w+`$", "no", cells[row]).partition(";")[0]
        assert cell == value, row


def test_no_capability_is_missing_from_the_table() -> None:
    """Who adds one has a row to write; observing has two."""
    assert len(told(CnsAdapter)) == len(fields(Capabilities)) + 1


def test_what_depends_on_a_setting_does() -> None:
    """The settings that the table names change what the adapter tells."""
    url = ("nats://127.0.0.1:4222",)
    for settings, persistent in (({"mode": "pull"}, False), ({"persistent": True}, True)):
        context = adapter_context(
            "g", "c", CnsAdapter, ConnectionPool(), settings=settings, brokers=url
        )
        can = CnsAdapter(context).capabilities
        assert (can.persistent, can.pull, can.filters_at_source) == (
            persistent, True, not persistent,
        )  # fmt: skip
    assert CosmicAdapter.stamp_setting == "stamped"
