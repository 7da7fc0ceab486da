"""What a federation's file, or a change of it, declares of scopes.

The file was checked before the run; a part that is not of its form cannot be judged.

Source:
    docs/scopes.md, Keys of a scope.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from analytics.inputs.distribution import names
from analytics.scopes import truth
from analytics.scopes.filters import Content, Filter, UnreadableError

Interface = tuple[Filter, ...] | None
"""Filters of which one must accept; None lets all pass, an empty interface nothing."""

MADE: Final = ("from_xml", "set", "subject", "gather", "to_xml")
"""Steps that make another event of each that they accept."""


def accepts(interface: Interface, content: Content) -> int:
    """Return the truths that an interface may have of an event."""
    if interface is None:
        return truth.TRUE
    found = truth.FALSE
    for each in interface:
        found = truth.either(found, each.test(content))
    return found


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a mapping.

    Attributes:
        when: What it maps; everything where None.
        blocks: Whether it blocks.
        element: Subject of the document that it reads; empty where it reads none.
        subject: Subject that it sets; empty where it keeps it.
        document: Subject that it needs at its end; empty where it needs none.
        unknown: Whether it may make anything: it is a plug-in.
        kept: Whether what it makes may be the event as it was.
    """

    when: Filter | None
    blocks: bool
    element: str
    subject: str
    document: str
    unknown: bool
    kept: bool

    def of(self, content: Content) -> Content | None:
        """Return what it makes of an event; None where nothing."""
        if self.blocks:
            return None
        subject = self.subject or self.element or content.subject
        if self.document and subject not in (None, self.document):
            return None
        return Content(None if self.unknown else self.document or subject)


@dataclass(frozen=True, slots=True)
class Edge:
    """A membership: the member, its superscope, and what applies on the edge."""

    member: str
    scope: str
    input: Interface
    output: Interface
    up: tuple[Rule, ...]
    down: tuple[Rule, ...]
    produces: bool
    consumes: bool
    has_input: bool = False
    has_output: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """A scope.

    Attributes:
        chooses: Whether one of the members that could receive does.
        which: Events that wait; all where None.
        delay_us: How long, federation clock.
        until: Whether an event may release what waits.
        choose: By direct superscope: what goes there.
        producers: Patterns of who may publish into it; None admits all.
        consumers: Patterns of who may receive from it.
    """

    name: str
    input: Interface
    output: Interface
    session: bool
    chooses: bool
    which: Filter | None
    delay_us: int
    until: bool
    choose: Mapping[str, Filter]
    producers: tuple[str, ...] | None
    consumers: tuple[str, ...] | None

    def admits(self, member: str, *, producer: bool) -> bool:
        """Return whether a component may join it in a role."""
        patterns = self.producers if producer else self.consumers
        return patterns is None or any(names(each, member) for each in patterns)


@dataclass(slots=True)
class Reader:
    """Reads what is declared, and notes which filters it cannot read.

    Attributes:
        unreadable: Their texts.
    """

    unreadable: list[str] = field(default_factory=list)

    def scope(self, name: str, part: Mapping[str, Any]) -> Scope:
        """Return a scope, without its members."""
        publishing, join = part.get("publishing") or {}, part.get("join") or {}
        return Scope(
            name,
            self._interface(part, "input"),
            self._interface(part, "output"),
            bool(part.get("session")),
            (part.get("delivery") or {}).get("to", "all") != "all",
            self._optional(publishing.get("which")),
            round(float(publishing.get("delay_s") or 0) * 1e6),
            publishing.get("until") is not None,
            {to: self._filter(text) for to, text in (publishing.get("choose") or {}).items()},
            _patterns(join.get("producers")),
            _patterns(join.get("consumers")),
        )

    def edge(self, scope: str, member: str, part: Mapping[str, Any]) -> Edge:
        """Return a membership."""
        return Edge(
            member,
            scope,
            self._interface(part, "input"),
            self._interface(part, "output"),
            tuple(self._rule(rule) for rule in part.get("up") or ()),
            tuple(self._rule(rule) for rule in part.get("down") or ()),
            bool(part.get("produces", True)),
            bool(part.get("consumes", True)),
            "input" in part,
            "output" in part,
        )

    def _rule(self, part: Mapping[str, Any]) -> Rule:
        gathered = (part.get("gather") or {}).get("subject", "")
        return Rule(
            self._optional(part.get("when")),
            bool(part.get("block")),
            (part.get("from_xml") or {}).get("element", ""),
            gathered or part.get("subject") or "",
            (part.get("to_xml") or {}).get("element", ""),
            bool(part.get("plugin")),
            not any(part.get(step) for step in MADE),
        )

    def _interface(self, part: Mapping[str, Any], key: str) -> Interface:
        texts = part.get(key)
        return None if texts is None else tuple(map(self._filter, texts))

    def _optional(self, text: str | None) -> Filter | None:
        return None if text is None else self._filter(text)

    def _filter(self, text: str) -> Filter:
        try:
            return Filter.of(text)
        except UnreadableError:
            self.unreadable.append(text)
            return Filter(text, _undecided)


def _undecided(_: Content) -> int:
    return truth.UNDECIDED


def _patterns(patterns: list[str] | None) -> tuple[str, ...] | None:
    return None if patterns is None else tuple(patterns)
