"""What is compiled of a node: a function of the graph above it, or below it.

It is made when it is first needed and again after a change, so that a change costs nothing but a
number.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from fes.filter import Filter
from fes.scopes.declared import Edge, Interface, Scope
from fes.scopes.graph import Graph

MAX_COMPILED = 1_000_000
"""Most nodes whose compiled form is kept; above it all are compiled again."""

NOWHERE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Guard:
    """An edge that not every event goes up.

    Attributes:
        edge: The edge.
        name: Member and scope.
        interface: The output interface.
        choice: Which events the publishing policy chooses; all where None.
        session: Whether the superscope is a session scope.
        maps: Whether the edge maps events or keeps them waiting.
    """

    edge: Edge
    name: tuple[str, str]
    interface: Interface
    choice: Filter | None
    session: bool
    maps: bool


@dataclass(frozen=True, slots=True)
class Rise:
    """Where the events of a node go up to, and which stations lie below.

    Attributes:
        entered: Scopes whose members all receive them.
        passed: All scopes that they come into, and the node.
        gates: Scopes among them that decide themselves.
        guarded: Edges that not every event goes up.
        stations: Edges upward that map or keep waiting.
        leads: What lies below the scopes entered.
    """

    entered: frozenset[str]
    passed: frozenset[str]
    gates: tuple[str, ...]
    guarded: tuple[Guard, ...]
    stations: tuple[Edge, ...]
    leads: "Lead"


@dataclass(frozen=True, slots=True)
class Lead:
    """Which stations lie below a scope.

    Attributes:
        gates: Scopes that decide themselves.
        stations: Edges downward that map or keep waiting.
        guarded: Edges with an input interface, and stations below.
    """

    gates: tuple[str, ...] = ()
    stations: tuple[Edge, ...] = ()
    guarded: tuple[Edge, ...] = ()

    def __bool__(self) -> bool:
        """Return whether anything lies below."""
        return bool(self.gates or self.stations or self.guarded)


NO_LEAD = Lead()


@dataclass(frozen=True, slots=True)
class Source:
    """Scopes from which a node receives.

    Attributes:
        plain: Scopes whose events all come down to it.
        guarded: Edges with an input interface on their path.
    """

    plain: frozenset[str]
    guarded: tuple[tuple[Edge, Interface], ...]


Compiled = TypeVar("Compiled")


class _Kept(Generic[Compiled]):
    """Compiled forms by node; what a change made void is replaced when it is needed again.

    A change costs a number: nothing is freed or compiled at once, however many nodes there are.

    Args:
        make: Compiles a node.
    """

    def __init__(self, make: Callable[[str], Compiled]) -> None:
        self._make = make
        self._round = 0
        self._of: dict[str, tuple[int, Compiled]] = {}

    def __len__(self) -> int:
        """Return how many are kept, void ones included."""
        return len(self._of)

    def begin(self) -> None:
        """Make all void; free them where they are too many."""
        self._round += 1
        if len(self._of) > MAX_COMPILED:
            self._of = {}

    def forget(self, name: str) -> None:
        """Make one void."""
        self._of.pop(name, None)

    def of(self, name: str) -> Compiled:
        """Return the compiled form of a node."""
        known = self._of.get(name)
        if known is None or known[0] != self._round:
            known = self._of[name] = (self._round, self._make(name))
        return known[1]


class Plans:
    """The compiled forms of nodes.

    Args:
        graph: The scopes; changes are noticed.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._structure = -1
        self._rises = _Kept[Rise](self._risen)
        self._intos = _Kept[Rise](self._come_into)
        self._leads = _Kept[Lead](self._led)
        self._sources = _Kept[Source](self._sourced)
        self._shared: dict[frozenset[str], frozenset[str]] = {}
        graph.watch(self._forget)

    def renew(self) -> None:
        """Forget all after a change of the scopes."""
        structure = self._graph.structure
        if structure != self._structure or len(self._sources) > MAX_COMPILED:
            self._structure = structure
            self._shared = {}
            for kept in (self._rises, self._intos, self._leads, self._sources):
                kept.begin()

    def _forget(self, client: str) -> None:
        """Compile a component again: its memberships changed, and nothing above it."""
        for kept in (self._rises, self._intos, self._sources):
            kept.forget(client)

    def at(self, name: str) -> Lead:
        """Return the stations at a scope or below it."""
        if self._graph.scope(name).is_gate:
            return Lead(gates=(name,))
        return self.lead(name)

    def rise(self, name: str) -> Rise:
        """Return where what a node publishes goes."""
        return self._rises.of(name)

    def into(self, scope: str) -> Rise:
        """Return where what comes up into a scope goes."""
        return self._intos.of(scope)

    def _come_into(self, scope: str) -> Rise:
        above = self.rise(scope)
        passed = above.passed | {scope}
        if self._graph.scope(scope).is_gate:
            gates = _once((scope, *above.gates))
            return Rise(above.entered, passed, gates, above.guarded, above.stations, above.leads)
        leads = _merged((self.lead(scope), above.leads))
        entered = self._interned(above.entered | {scope})
        return Rise(entered, passed, above.gates, above.guarded, above.stations, leads)

    def _risen(self, name: str) -> Rise:
        guarded, stations, rises = [], [], []
        for edge in self._graph.supers(name).values():
            if not self._graph.lets_up(edge):
                continue
            if self._is_guarded_up(edge):
                guarded.append(self._guard(edge))
            elif self._graph.maps(edge):
                stations.append(edge)
            else:
                rises.append(self.into(edge.scope))
        return Rise(
            self._interned(NOWHERE.union(*(rise.entered for rise in rises))),
            NOWHERE.union({name}, *(rise.passed for rise in rises)),
            _once(gate for rise in rises for gate in rise.gates),
            _guards([*guarded, *(guard for rise in rises for guard in rise.guarded)]),
            _edges([*stations, *(edge for rise in rises for edge in rise.stations)]),
            _merged(rise.leads for rise in rises),
        )

    def _is_guarded_up(self, edge: Edge) -> bool:
        graph = self._graph
        return (
            graph.output_of(edge) is not None
            or (graph.choice_of(edge) is not None and not graph.maps(edge))
            or graph.is_session(edge.scope)
        )

    def _guard(self, edge: Edge) -> Guard:
        graph = self._graph
        return Guard(
            edge,
            (edge.member, edge.scope),
            graph.output_of(edge),
            graph.choice_of(edge),
            graph.is_session(edge.scope),
            graph.maps(edge),
        )

    def lead(self, name: str) -> Lead:
        """Return the stations below a scope."""
        if not self._graph.has_stations:
            return NO_LEAD
        return self._leads.of(name)

    def _led(self, name: str) -> Lead:
        gates: list[str] = []
        stations: list[Edge] = []
        guarded: list[Edge] = []
        leads: list[Lead] = []
        for edge in self._graph.inner(name):
            member = self._graph.nodes[edge.member]
            if not self._graph.lets_down(edge):
                continue
            if self._graph.maps(edge):
                stations.append(edge)
            elif isinstance(member, Scope) and (below := self.at(edge.member)):
                if self._graph.input_of(edge) is not None:
                    guarded.append(edge)
                else:
                    leads.append(below)
        return _merged([Lead(tuple(gates), tuple(stations), tuple(guarded)), *leads])

    def source(self, name: str) -> Source:
        """Return the scopes that a node receives from."""
        return self._sources.of(name)

    def _sourced(self, name: str) -> Source:
        plain: set[str] = set()
        guarded: list[tuple[Edge, Interface]] = []
        for edge in self._graph.supers(name).values():
            if not self._graph.lets_down(edge) or self._graph.maps(edge):
                continue
            interface = self._graph.input_of(edge)
            if interface is not None:
                guarded.append((edge, interface))
                continue
            plain.add(edge.scope)
            if not self._graph.scope(edge.scope).is_gate:
                above = self.source(edge.scope)
                plain |= above.plain
                guarded += above.guarded
        return Source(self._interned(frozenset(plain)), tuple(guarded))

    def _interned(self, scopes: frozenset[str]) -> frozenset[str]:
        """Keep one set of those that are equal."""
        return self._shared.setdefault(scopes, scopes)


def _once(gates: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(gates))


def _guards(guards: Iterable[Guard]) -> tuple[Guard, ...]:
    """Return guards, each once."""
    return tuple({guard.name: guard for guard in guards}.values())


def _edges(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """Return edges, each once."""
    return tuple({(edge.member, edge.scope): edge for edge in edges}.values())


def _merged(leads: Iterable[Lead]) -> Lead:
    """Return what lies below any of some scopes."""
    some = [lead for lead in leads if lead]
    if len(some) <= 1:
        return some[0] if some else NO_LEAD
    return Lead(
        _once(gate for lead in some for gate in lead.gates),
        _edges(edge for lead in some for edge in lead.stations),
        _edges(edge for lead in some for edge in lead.guarded),
    )
