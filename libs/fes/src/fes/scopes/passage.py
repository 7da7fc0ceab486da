"""What passes from one component to another, by one condition for each scope on the paths.

Each scope has one condition under which what a component publishes comes up into it, and one under
which what is in it comes down to a component; they are shared by all paths and all pairs. What is
stated of a pair is their combination where both meet.

Source:
    Fiege et al., Engineering Event-Based Systems with Scopes, section 4.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter

from fes.filter.evaluate import Test, compile_filter
from fes.filter.language.tree import Condition
from fes.model import Event
from fes.scopes.conditions import FALSE, TRUE, Stated, both, either, interface_of
from fes.scopes.declared import Edge, passes
from fes.scopes.graph import Graph

MAX_REMEMBERED = 100_000
"""Most components whose conditions are remembered; above it all are compiled again."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What passes from one component to another.

    Attributes:
        open: Whether there is a path.
        managed: Whether mappings or policies are in transit.
        widened: Whether `condition` accepts more than may pass, since the exact one is too long.
        condition: What must be true of an event for it to come as far as the first of those.
        test: The same, compiled; exact also where the condition is widened.
    """

    open: bool
    managed: bool
    widened: bool
    condition: Condition
    test: Test = field(compare=False)

    @property
    def is_free(self) -> bool:
        """Whether everything passes unchanged."""
        exact = not (self.managed or self.widened)
        return self.open and exact and self.condition == TRUE.tree


@dataclass(frozen=True, slots=True)
class _Up:
    """Where what a component publishes comes up to.

    Attributes:
        into: By scope: the condition; scopes nearer to the component first.
        came: By scope: the members that it comes up from, each with its condition.
        mapped: Edges that map or keep waiting, each with the condition before it.
    """

    into: dict[str, Stated]
    came: dict[str, dict[str, Stated]]
    mapped: tuple[tuple[Edge, Stated], ...]


@dataclass(frozen=True, slots=True)
class _Down:
    """From where events come down to a component.

    Attributes:
        name: The component.
        edges: By scope: the open edges that lead down to it; outer scopes last.
        free: By scope: the condition under which an event comes down as it is.
        managed: By scope: the condition under which it comes as far as a mapping or policy.
    """

    name: str
    edges: dict[str, tuple[Edge, ...]]
    free: dict[str, Stated]
    managed: dict[str, Stated]


class Passages:
    """States what passes between components.

    Args:
        graph: The scopes; after a change of them, all is compiled again when it is needed.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._generation = -1
        self._ups: dict[str, _Up] = {}
        self._downs: dict[str, _Down] = {}

    def between(self, source: str, destination: str) -> Passage:
        """Return what passes from one component to another; nothing to the publisher itself."""
        self._renew()
        nodes = self._graph.nodes
        if source == destination or source not in nodes or destination not in nodes:
            return _stated(FALSE, compile_filter(FALSE.tree), is_open=False)
        up, down = self._up(source), self._down(destination)
        free, managed = self._meetings(up, down)
        is_open = bool(free or managed)
        direct, through = either(free), either(managed)
        if direct != TRUE and through != FALSE:
            found = either((direct, through))
            return _stated(found, compile_filter(found.tree), is_open=is_open, managed=True)
        if not direct.widened:
            return _stated(direct, compile_filter(direct.tree), is_open=is_open)
        return _stated(direct, _Exact(self._graph, up, down).passes, is_open=is_open)

    def _meetings(self, up: _Up, down: _Down) -> tuple[list[Stated], list[Stated]]:
        """Return the conditions of unchanged and of managed events, for each scope of both."""
        free: list[Stated] = []
        managed: list[Stated] = []
        for scope, into in up.into.items():
            if scope not in down.edges:
                continue
            if self._graph.scope(scope).is_gate:
                managed += _turned(up.came[scope], down.edges[scope])
                continue
            if scope in down.free:
                free.append(both(into, down.free[scope]))
            if scope in down.managed:
                managed.append(both(into, down.managed[scope]))
        managed += [before for edge, before in up.mapped if self._leads_on(edge, down)]
        return free, managed

    def _leads_on(self, edge: Edge, down: _Down) -> bool:
        """Return whether what went up a mapping edge comes down, not by the same edge."""
        reached: Collection[str] = down.edges.keys()
        if edge in down.edges.get(edge.scope, ()):
            reached = _reaching(down, edge)
        todo, seen = [edge.scope], {edge.scope}
        while todo:
            name = todo.pop()
            if name in reached:
                return True
            further = [each.scope for each in self._open_up(name) if each.scope not in seen]
            seen.update(further)
            todo += further
        return False

    def _renew(self) -> None:
        full = len(self._ups) + len(self._downs) > MAX_REMEMBERED
        if full or self._generation != self._graph.generation:
            self._generation = self._graph.generation
            self._ups, self._downs = {}, {}

    def _open_up(self, name: str) -> Iterable[Edge]:
        return (each for each in self._graph.supers(name).values() if self._graph.lets_up(each))

    def _up(self, source: str) -> _Up:
        known = self._ups.get(source)
        if known is None:
            known = self._ups[source] = self._risen(source)
        return known

    def _risen(self, source: str) -> _Up:
        graph, into = self._graph, {source: TRUE}
        came: dict[str, dict[str, Stated]] = {}
        mapped: list[tuple[Edge, Stated]] = []
        for name in self._upward(source):
            if name != source:
                if name not in came:
                    continue
                into[name] = either(came[name].values())
            for edge in self._open_up(name):
                condition = both(into[name], interface_of(graph.output_of(edge)))
                if graph.maps(edge):
                    mapped.append((edge, condition))
                    continue
                choice = graph.choice_of(edge)
                if choice is not None:
                    condition = both(condition, Stated(choice.tree))
                came.setdefault(edge.scope, {})[name] = condition
        del into[source]
        return _Up(into, came, tuple(mapped))

    def _upward(self, name: str) -> list[str]:
        """Return a node and its superscopes, each one after its members among them."""
        above = self._graph.above(name)
        members = {each: set[str]() for each in above}
        for each in above:
            for scope in self._graph.supers(each):
                members[scope].add(each)
        return list(TopologicalSorter(members).static_order())

    def _down(self, destination: str) -> _Down:
        known = self._downs.get(destination)
        if known is None:
            known = self._downs[destination] = self._descended(destination)
        return known

    def _descended(self, destination: str) -> _Down:
        down = _Down(destination, {}, {}, {})
        edges: dict[str, list[Edge]] = {}
        for name in self._upward(destination):
            if name != destination:
                if name not in edges:
                    continue
                down.edges[name] = tuple(edges[name])
                self._state(name, down)
            for edge in self._graph.supers(name).values():
                if self._graph.lets_down(edge):
                    edges.setdefault(edge.scope, []).append(edge)
        return down

    def _state(self, scope: str, down: _Down) -> None:
        """State the conditions of a scope, after those of its members."""
        free: list[Stated] = []
        managed: list[Stated] = []
        for edge in down.edges[scope]:
            if self._graph.maps(edge):
                managed.append(TRUE)
                continue
            condition = interface_of(self._graph.input_of(edge))
            if edge.member == down.name:
                free.append(condition)
            elif self._graph.scope(edge.member).is_gate:
                managed.append(condition)
            else:
                if edge.member in down.free:
                    free.append(both(condition, down.free[edge.member]))
                if edge.member in down.managed:
                    managed.append(both(condition, down.managed[edge.member]))
        if free:
            down.free[scope] = either(free)
        if managed:
            down.managed[scope] = either(managed)


class _Exact:
    """Whether an event passes, scope by scope; for conditions too long to be stated.

    Args:
        graph: The scopes.
        up: Of the source.
        down: Of the destination.
    """

    def __init__(self, graph: Graph, up: _Up, down: _Down) -> None:
        self._graph = graph
        self._up = [
            (scope, [graph.supers(member)[scope] for member in members])
            for scope, members in up.came.items()
        ]
        self._down = {
            scope: [each for each in edges if not graph.maps(each)]
            for scope, edges in down.edges.items()
            if not graph.scope(scope).is_gate
        }
        self._order = {scope: at for at, scope in enumerate(up.into)}
        self._up.sort(key=lambda each: self._order[each[0]])
        self._name = down.name

    def passes(self, event: Event) -> bool:
        """Return whether an event comes up into a scope from which it comes down unchanged."""
        into: set[str] = set()
        for scope, edges in self._up:
            if any(
                (edge.member in into or edge.member not in self._order) and self._rises(edge, event)
                for edge in edges
            ):
                into.add(scope)
        todo = [scope for scope in into if scope in self._down]
        seen = set(todo)
        while todo:
            for edge in self._down[todo.pop()]:
                if edge.member in seen or not passes(self._graph.input_of(edge), event):
                    continue
                if edge.member == self._name:
                    return True
                if edge.member in self._down:
                    seen.add(edge.member)
                    todo.append(edge.member)
        return False

    def _rises(self, edge: Edge, event: Event) -> bool:
        choice = self._graph.choice_of(edge)
        chosen = choice is None or choice.matches(event)
        return chosen and passes(self._graph.output_of(edge), event)


def _stated(found: Stated, test: Test, *, is_open: bool, managed: bool = False) -> Passage:
    return Passage(is_open, managed, found.widened, found.tree, test)


def _turned(came: Mapping[str, Stated], edges: tuple[Edge, ...]) -> list[Stated]:
    """Return the conditions of what a scope that decides itself passes to other members."""
    members = {edge.member for edge in edges}
    return [condition for member, condition in came.items() if members - {member}]


def _reaching(down: _Down, without: Edge) -> set[str]:
    """Return the scopes from which events come down by other edges than one."""
    found = {down.name}
    for scope, edges in down.edges.items():
        if any(each != without and each.member in found for each in edges):
            found.add(scope)
    return found - {down.name}
