"""Builds the graph of scopes that a federation file describes."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from msgspec import UNSET, UnsetType

from fes.errors import EventError, FilterError, ScopeError
from fes.federation.file.finding import Path
from fes.federation.model import Federation
from fes.federation.scopes.model import (
    Delivers,
    Filters,
    MappingRule,
    Member,
    Publishes,
    ScopePart,
)
from fes.federation.scopes.rules import steps_of
from fes.filter import Filter
from fes.scopes import Client, Edge, Graph, Interface, Rights, Scope
from fes.scopes.mappings import mapping as mappings
from fes.scopes.policies.choosing import load_chooser
from fes.scopes.policies.declared import Delivery, Overflow, Publishing, Traverse, Turn

Problem = Callable[[Path, str], None]
"""Accepts what is wrong, and where."""

T = TypeVar("T")


def build(federation: Federation, problem: Problem) -> Graph:
    """Return the graph, without what is wrong.

    Args:
        federation: Valid in form.
        problem: Called with what is wrong; it may raise an error.
    """
    return _Builder(federation, problem).build()


def graph_of(federation: Federation) -> Graph:
    """Return the graph of a federation whose file was checked.

    Raises:
        ScopeError: It is not valid after all; the message names the key.
    """

    def refuse(path: Path, message: str) -> None:
        raise ScopeError(f"{'.'.join(map(str, path))}: {message}")

    return build(federation, refuse)


class _Builder:
    """Builds the graph of a file.

    Args:
        federation: Good in form.
        problem: Receives what is wrong.
    """

    def __init__(self, federation: Federation, problem: Problem) -> None:
        self._federation = federation
        self._problem = problem
        self._parts = Parts(problem)
        self._graph = Graph()

    def build(self) -> Graph:
        """Return the graph."""
        if not self._federation.scopes:
            return self._graph
        for name in self._federation.event_services:
            self._graph.add(Client(name, name))
        for name, client in self._federation.clients.items():
            if client.service not in self._federation.event_services:
                continue  # which is reported where the clients are checked
            node = Client(
                name, client.service, client.principal, client.carries_context, client.each_path
            )
            self._parts.attempt(("clients", name), partial(self._graph.add, node))
        for name, part in self._federation.scopes.items():
            scope = self._parts.scope(name, part)
            self._parts.attempt(("scopes", name), partial(self._graph.add, scope))
        for name, part in self._federation.scopes.items():
            for member, edge in part.members.items():
                self._join(name, member, edge)
        return self._graph

    def _join(self, scope: str, name: str, member: Member) -> None:
        path: Path = ("scopes", scope, "members", name)
        edge = self._parts.edge(scope, name, member)
        self._parts.attempt(path, partial(self._graph.join, edge))


class Parts:
    """Makes scopes and memberships of what a file, or a change, declares.

    Args:
        problem: Receives what is wrong; it may raise.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    def edge(self, scope: str, name: str, member: Member) -> Edge:
        """Return a membership."""
        path: Path = ("scopes", scope, "members", name)
        return Edge(
            name,
            scope,
            self._interface(member.input, (*path, "input")),
            self._interface(member.output, (*path, "output")),
            self._mapping(member.up, (*path, "up")),
            self._mapping(member.down, (*path, "down")),
            member.produces,
            member.consumes,
        )

    def scope(self, name: str, part: ScopePart) -> Scope:
        """Return a scope, without its members."""
        path: Path = ("scopes", name)
        return Scope(
            name,
            self._interface(part.input, (*path, "input")),
            self._interface(part.output, (*path, "output")),
            self._delivery(part.delivery, (*path, "delivery")),
            Traverse(part.traverse),
            self._publishing(part.publishing, (*path, "publishing")),
            part.session,
            Rights(_patterns(part.join.producers), _patterns(part.join.consumers)),
        )

    def _delivery(self, part: Delivers, path: Path) -> Delivery:
        turn = Turn(part.to)
        chooser = None
        if turn is Turn.PLUGIN and part.plugin:
            chooser = self.attempt((*path, "plugin"), partial(load_chooser, part.plugin))
        elif turn is Turn.PLUGIN:
            self._problem((*path, "to"), "`plugin` is missing, which names what chooses")
        elif part.plugin:
            self._problem((*path, "plugin"), f"nothing calls it: `to` is {part.to}, not plugin")
        return Delivery(turn, part.key, part.plugin, chooser)

    def _publishing(self, part: Publishes, path: Path) -> Publishing:
        choose = {
            name: filter_
            for name, text in part.choose.items()
            if (filter_ := self._filter(text, (*path, "choose", name))) is not None
        }
        return Publishing(
            choose,
            round(part.delay_s * 1e6),
            self._optional(part.which, (*path, "which")),
            self._optional(part.until, (*path, "until")),
            part.waiting,
            Overflow(part.overflow),
            part.at_end == "drop",
        )

    def _mapping(self, rules: tuple[MappingRule, ...], path: Path) -> mappings.Mapping:
        return mappings.Mapping(
            tuple(
                rule
                for at, part in enumerate(rules)
                if (rule := self._rule(part, (*path, at))) is not None
            )
        )

    def _rule(self, part: MappingRule, path: Path) -> mappings.Rule | None:
        when = self._optional(part.when, (*path, "when"))
        steps = self.attempt(path, partial(steps_of, part))
        return None if steps is None else mappings.Rule(when, steps)

    def _interface(self, texts: Filters | UnsetType, path: Path) -> Interface:
        if texts is UNSET:
            return None
        return tuple(_present(self._filter(t, (*path, at)) for at, t in enumerate(texts)))

    def _optional(self, text: str | UnsetType, path: Path) -> Filter | None:
        return None if text is UNSET else self._filter(text, path)

    def _filter(self, text: str, path: Path) -> Filter | None:
        try:
            return Filter.of(text)
        except FilterError as error:
            place = error.place
            where = f" (line {place.line}, column {place.column} of the filter)" if place else ""
            self._problem(path, error.reason + where)
        return None

    def attempt(self, path: Path, act: Callable[[], T]) -> T | None:
        """Return what an act makes; None where it is wrong, which is reported."""
        try:
            return act()
        except (ScopeError, EventError) as error:
            self._problem(path, str(error))
        return None


def _present(filters: Iterable[Filter | None]) -> Iterable[Filter]:
    return (filter_ for filter_ in filters if filter_ is not None)


def _patterns(patterns: tuple[str, ...] | UnsetType) -> tuple[str, ...] | None:
    return None if patterns is UNSET else patterns
