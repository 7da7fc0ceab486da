"""Finds rules that would make two events with one identity."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from fes.mapping.rules.compile import compile_rule
from fes.mapping.rules.compiled import Compiled
from fes.mapping.rules.model import Rule

Clash = tuple[int, int]
"""The indexes of two rules, the later one first."""


def clashes(rules: Sequence[Rule]) -> tuple[Clash, ...]:
    """Return which rules of an event service's adapters make two events with one identity.

    Equal rules do not count: at two adapters they make the same event.

    Args:
        rules: Of all adapters of one event service; their DBC files as paths that can be opened.

    Raises:
        MappingError: A rule cannot work.
    """
    found: dict[Clash, None] = {}
    first: defaultdict[object, dict[str, int]] = defaultdict(dict)
    for at, rule in enumerate(rules):
        compiled = compile_rule(rule, at, None)
        for key in _keys(compiled):
            before = first[key].setdefault(compiled.tag, at)
            if rules[before] != rule:
                found[at, before] = None
    return tuple(found)


def _keys(compiled: Compiled) -> Iterator[object]:
    if compiled.rule.direction != "out":
        yield "in", compiled.native_key
    if compiled.rule.direction != "in":
        yield "out", compiled.rule.subject
