"""Whatever a file or a variable holds: a federation or a `FederationError`, nothing else."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from fes.errors import FederationError
from fes.federation import Federation, Routes, check, dump, examine, loads
from fes.mapping.rules.model import Rule
from hypothesis import given, settings
from hypothesis import strategies as st

EXAMPLE = Path(__file__).parents[2] / "scenarios/traffic/federation.yaml"
TEXT = EXAMPLE.read_text()
LINES = TEXT.splitlines(keepends=True)

SHARDS = [
    "*a",
    "&a ",
    "{",
    "}",
    "[",
    "]",
    "- ",
    ": ",
    "!!x ",
    "<<: *a",
    "\t",
    "\0",
    "'",
    '"',
    "|",
    ">",
    "%",
    "---\n",
    "...\n",
    "null",
    "~",
    "1e999",
    "9" * 50,
    "${X}",
    "${",
    "$${",
    "true",
    "[]",
    "{}",
    "\ufeff",
    "\ud800",
    "\x85",
    "?",
    "? [a]\n: b",
    "0x",
    ".nan",
    "é",
    "version: 1\n",
    "a.b",
    ",",
    "*",
    "  ",
]

edits = st.lists(
    st.tuples(
        st.integers(0, len(TEXT)), st.integers(0, 40), st.sampled_from(SHARDS) | st.text(max_size=6)
    ),
    min_size=1,
    max_size=4,
)


def mutated(changes: list[tuple[int, int, str]]) -> str:
    text = TEXT
    for start, length, new in changes:
        text = text[:start] + new + text[start + length :]
    return text


def load_or_refuse(text: str | bytes, environment: Mapping[str, str]) -> None:
    with suppress(FederationError):
        federation = loads(text, environment)
        assert isinstance(federation, Federation)
        assert loads(dump(federation), {}) == federation
        routes = Routes.of(federation)
        assert all(routes.hops(gateway) is not None for gateway in federation.gateways)
    check(examine(text, "f", environment), {}, Rule)


@settings(max_examples=300, deadline=None)
@given(edits)
def test_a_mutated_file_is_read_or_refused(changes: list[tuple[int, int, str]]) -> None:
    load_or_refuse(mutated(changes), {"X": "x"})


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=40))
def test_shuffled_lines_are_read_or_refused(lines: list[str]) -> None:
    load_or_refuse("".join(lines), {})


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-16")))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    load_or_refuse(data, {})


PARTS = [
    "CLOCK",
    "SPEED",
    "REQUESTS",
    "0",
    "GATEWAYS",
    "g-m-M01",
    "",
    "SYSTEM",
    "adapters",
    "٣",
    "x",
]


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        st.lists(st.sampled_from(PARTS), max_size=5).map(lambda parts: "FES__" + "__".join(parts)),
        st.sampled_from(SHARDS) | st.text(max_size=10),
        max_size=3,
    )
)
def test_any_override_is_applied_or_refused(environment: dict[str, str]) -> None:
    load_or_refuse(TEXT, environment)


def test_the_file_that_is_mutated_is_good() -> None:
    assert loads(TEXT, {}).system == "traffic"


@pytest.mark.parametrize("value", ["\ud800", "a\0b", "\n- x"])
def test_a_variable_may_hold_anything(value: str) -> None:
    load_or_refuse(TEXT.replace("system: traffic", "system: ${S}"), {"S": value})
