"""The graph of scopes: directed, acyclic, changed edge by edge.

Source:
    Fiege et al., Engineering Event-Based Systems with Scopes, section 3.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from fes.errors import ScopeError
from fes.filter import Filter
from fes.scopes.admission import (
    check_nesting,
    check_rights,
    check_service,
    check_sessions,
    path_up,
)
from fes.scopes.declared import Client, Edge, Interface, Scope, component_of

MAX_NODES = 1_000_000
"""Most components and scopes of a graph."""

MAX_EDGES = 4_000_000
"""Most memberships of a graph."""

_NONE: Mapping[str, Edge] = MappingProxyType({})


class Graph:
    """Components and scopes, and which is a member of which.

    Every change that is accepted begins a new generation. The order in which members and
    superscopes were declared is kept.

    An event service is below each of its named clients by an open edge that nobody declares. What
    it publishes goes up into the scopes of each of its clients, and what these scopes let through
    comes down to it.
    """

    def __init__(self) -> None:
        self.generation = 0
        self.structure = 0
        self._sessions: frozenset[str] = frozenset()
        self._gates: set[str] = set()
        self._mapping: set[tuple[str, str]] = set()
        self._inner: dict[str, dict[str, Edge]] = {}
        self._named: dict[str, Scope] = {}
        self._watchers: list[Callable[[str], None]] = []
        self.nodes: dict[str, Client | Scope] = {}
        self._supers: dict[str, dict[str, Edge]] = {}
        self._members: dict[str, dict[str, Edge]] = {}
        self._edges = 0
        self._numbers: dict[tuple[str, str], int] = {}
        self._since: dict[tuple[str, str], int] = {}
        self._next_number = 0
        self._order: dict[str, int] = {}

    def copy(self) -> "Graph":
        """Return a graph of the same scopes that nobody watches."""
        made = Graph()
        made.generation, made.structure = self.generation, self.structure
        made.nodes = dict(self.nodes)
        made._sessions = self._sessions
        made._gates, made._mapping = set(self._gates), set(self._mapping)
        made._inner, made._named = _copied(self._inner), dict(self._named)
        made._supers, made._members = _copied(self._supers), _copied(self._members)
        made._edges, made._next_number = self._edges, self._next_number
        made._numbers, made._since = dict(self._numbers), dict(self._since)
        made._order = dict(self._order)
        return made

    def watch(self, changed: Callable[[str], None]) -> None:
        """Have a function called with each component whose memberships changed.

        It is not called of scopes: `structure` counts changes of those.
        """
        self._watchers.append(changed)

    def __contains__(self, name: object) -> bool:
        """Return whether a component or scope has this name."""
        return name in self.nodes

    def add(self, node: Client | Scope) -> None:
        """Add a component or a scope, or declare it again with the same memberships.

        Raises:
            ScopeError: A component has the name of a scope or a scope that of a component, the
                event service of a named client is unknown, or the graph is full.
        """
        known = self.nodes.get(node.name)
        if known is not None and type(known) is not type(node):
            raise ScopeError(f"{node.name} is a {_kind(known)} already")
        if known is None and len(self.nodes) >= MAX_NODES:
            raise ScopeError(f"the graph is full ({MAX_NODES} components and scopes)")
        if isinstance(node, Client):
            check_service(self, node)
        self.nodes[node.name] = node
        self._mark(node)
        try:
            check_sessions(self, component_of(node))
        except ScopeError:
            self._restore(node.name, known)
            raise
        self._next_number += 1
        self._order.setdefault(node.name, self._next_number)
        self.generation += 1
        if known is not None:
            self._note(node.name, None)

    def join(self, edge: Edge) -> None:
        """Make a component or scope a member of a scope, or declare the membership again.

        Raises:
            ScopeError: A name is unknown, the superscope is a simple component, the membership
                closes a cycle (the message names its members), the scope admits the member in no
                role, or a component that carries no context would be in two sessions.
        """
        member, scope = self._known(edge.member), self._known(edge.scope)
        if not isinstance(scope, Scope):
            raise ScopeError(f"{edge.scope} is a simple component and cannot have members")
        cycle = path_up(self, edge.scope, edge.member)
        if cycle:
            raise ScopeError(f"cycle: {' -> '.join([edge.member, *cycle])}")
        check_rights(edge, scope)
        if isinstance(member, Scope):
            check_nesting(self, edge)
        self._check_room(edge)
        before = self._supers.get(edge.member, _NONE).get(edge.scope)
        self._put(edge)
        try:
            check_sessions(self, member.name)
        except ScopeError:
            if before is None:
                self._take(edge.member, edge.scope)
            else:
                self._put(before)
            raise
        self.generation += 1
        self._since.setdefault((edge.member, edge.scope), self.generation)

    def leave(self, member: str, scope: str) -> None:
        """End a membership.

        Raises:
            ScopeError: There is no such membership.
        """
        if scope not in self._supers.get(member, _NONE) or scope in self._named:
            raise ScopeError(f"{member} is not a member of {scope}")
        self._take(member, scope)
        self.generation += 1

    def remove(self, name: str) -> None:
        """Remove a component or scope with its memberships; its members stay.

        Raises:
            ScopeError: There is none of that name.
        """
        self._known(name)
        for scope in tuple(self._supers.get(name, _NONE)):
            self._take(name, scope)
        for member in tuple(self._members.get(name, _NONE)):
            self._take(member, name)
        self._sessions -= {name}
        self._gates.discard(name)
        self._named.pop(name, None)
        del self.nodes[name], self._order[name]
        self.generation += 1

    @property
    def sessions(self) -> frozenset[str]:
        """The session scopes."""
        return self._sessions

    @property
    def has_stations(self) -> bool:
        """Whether there is any mapping, delay, policy or session."""
        return bool(self._gates or self._mapping)

    def inner(self, name: str) -> Iterable[Edge]:
        """Return the edges to members that are scopes, or that map; in declaration order."""
        return self._inner.get(name, _NONE).values()

    def supers(self, name: str) -> Mapping[str, Edge]:
        """Return the edges to the direct superscopes, by superscope, in declaration order.

        The named clients of an event service are among these.
        """
        return self._supers.get(name, _NONE)

    def memberships(self, name: str) -> Iterator[Edge]:
        """Yield the edges to direct superscopes that were declared."""
        return (edge for edge in self.supers(name).values() if edge.scope not in self._named)

    def clients_of(self, name: str) -> Iterator[str]:
        """Yield the named clients of an event service."""
        return (scope for scope in self.supers(name) if scope in self._named)

    def is_at(self, member: str, component: str) -> bool:
        """Return whether a member is a component, or a named client of it."""
        at_it = member in self._named and component in self._members.get(member, _NONE)
        return member == component or at_it

    def receives(self, name: str) -> bool:
        """Return whether events end at a node: it is a component, and no named client."""
        return name not in self._named and isinstance(self.nodes[name], Client)

    def takes_each_path(self, name: str) -> bool:
        """Return whether a component, or a client of it, receives a copy by each path."""
        clients = (each for each in self.clients_of(name) if self.supers(each))
        nodes = (self.nodes[each] for each in (name, *clients))
        return any(isinstance(node, Client) and node.each_path for node in nodes)

    def members(self, name: str) -> Mapping[str, Edge]:
        """Return the edges to the direct members, by member, in declaration order."""
        return self._members.get(name, _NONE)

    def edges(self) -> Iterator[Edge]:
        """Iterate over all memberships that were declared, by member."""
        return (edge for name in self._supers for edge in self.memberships(name))

    def scope(self, name: str) -> Scope:
        """Return a scope, or what a named client is for its event service: one that lets all pass.

        Raises:
            ScopeError: There is no scope of that name.
        """
        node = self._known(name)
        if not isinstance(node, Scope):
            client = self._named.get(name)
            if client is None:
                raise ScopeError(f"{name} is a simple component")
            return client
        return node

    def number(self, edge: Edge) -> int:
        """Return the place of an edge in the order of declaration."""
        return self._numbers[edge.member, edge.scope]

    def place(self, name: str) -> int:
        """Return the place of a component or scope in the order of declaration."""
        return self._order[name]

    def maps(self, edge: Edge) -> bool:
        """Return whether an edge maps events or keeps them waiting, in either direction."""
        member = self.nodes[edge.member]
        waits = isinstance(member, Scope) and member.publishing.holds_back
        return bool(edge.up) or bool(edge.down) or waits

    def choice_of(self, edge: Edge) -> Filter | None:
        """Return which events the member's publishing policy chooses for the superscope."""
        member = self.nodes[edge.member]
        return member.publishing.choose.get(edge.scope) if isinstance(member, Scope) else None

    def since(self, edge: Edge) -> int:
        """Return the generation in which a membership began."""
        return self._since.get((edge.member, edge.scope), 0)

    def above(self, name: str) -> frozenset[str]:
        """Return a node's superscopes near and far, and itself."""
        found = {name: None}
        todo = [name]
        while todo:
            for scope in self.supers(todo.pop()):
                if scope not in found:
                    found[scope] = None
                    todo.append(scope)
        return frozenset(found)

    def visible(self, one: str, other: str) -> bool:
        """Return v(X, Y): whether two nodes have a common superscope, or are above one another.

        Source:
            Fiege et al., section 3.1.
        """
        return not self.above(one).isdisjoint(self.above(other))

    def output_of(self, edge: Edge) -> Interface:
        """Return what filters events up an edge."""
        return self._interface(edge.output, edge.member, up=True)

    def input_of(self, edge: Edge) -> Interface:
        """Return what filters events down an edge."""
        return self._interface(edge.input, edge.member, up=False)

    def lets_up(self, edge: Edge) -> bool:
        """Return whether a member may publish into the scope."""
        return edge.produces and self.scope(edge.scope).rights.may_produce(edge.member)

    def lets_down(self, edge: Edge) -> bool:
        """Return whether a member may receive from the scope."""
        return edge.consumes and self.scope(edge.scope).rights.may_consume(edge.member)

    def is_session(self, name: str) -> bool:
        """Return whether a node is a session scope."""
        node = self.nodes[name]
        return isinstance(node, Scope) and node.session

    def _restore(self, name: str, known: Client | Scope | None) -> None:
        """Undo what `add` began."""
        if known is None:
            for member in tuple(self._members.get(name, _NONE)):
                self._take(member, name)
            del self.nodes[name]
            self._sessions -= {name}
            self._gates.discard(name)
            self._named.pop(name, None)
        else:
            self.nodes[name] = known
            self._mark(known)

    def _mark(self, node: Client | Scope) -> None:
        """Note what kind of node it is now, and what its edges are."""
        if isinstance(node, Client):
            if node.is_named and node.name not in self._named:
                self._link(node)
            return
        if node.session:
            self._sessions |= {node.name}
        else:
            self._sessions -= {node.name}
        (self._gates.add if node.is_gate else self._gates.discard)(node.name)
        for edge in self.supers(node.name).values():
            self._mark_edge(edge)

    def _link(self, client: Client) -> None:
        """Have an event service be below one of its clients."""
        self._named[client.name] = Scope(client.name)
        self._put(Edge(client.service, client.name))

    def _mark_edge(self, edge: Edge) -> None:
        name = (edge.member, edge.scope)
        maps = self.maps(edge)
        (self._mapping.add if maps else self._mapping.discard)(name)
        inner = self._inner.setdefault(edge.scope, {})
        if maps or isinstance(self.nodes[edge.member], Scope):
            inner[edge.member] = edge
        else:
            inner.pop(edge.member, None)

    def _note(self, name: str, edge: Edge | None) -> None:
        """Note a change for those who keep something of the graph."""
        if isinstance(self.nodes[name], Scope) or (edge is not None and self.maps(edge)):
            self.structure += 1
        else:
            for changed in self._watchers:
                changed(name)
                for component in self._members.get(name, _NONE) if name in self._named else ():
                    changed(component)

    def _interface(self, own: Interface, member: str, *, up: bool) -> Interface:
        if own is not None:
            return own
        node = self.nodes[member]
        if isinstance(node, Client):
            return None
        return node.output if up else node.input

    def _known(self, name: str) -> Client | Scope:
        node = self.nodes.get(name)
        if node is None:
            raise ScopeError(f"unknown component or scope: {name}")
        return node

    def _put(self, edge: Edge) -> None:
        supers = self._supers.setdefault(edge.member, {})
        if edge.scope not in supers:
            self._edges += 1
            self._next_number += 1
            self._numbers[edge.member, edge.scope] = self._next_number
        before = supers.get(edge.scope, edge)
        supers[edge.scope] = edge
        self._members.setdefault(edge.scope, {})[edge.member] = edge
        self._mark_edge(edge)
        self._note(edge.member, before if self.maps(before) else edge)

    def _take(self, member: str, scope: str) -> None:
        self._edges -= 1
        self._note(member, self._supers[member][scope])
        del self._supers[member][scope], self._members[scope][member]
        del self._numbers[member, scope]
        self._inner[scope].pop(member, None)
        self._mapping.discard((member, scope))
        self._since.pop((member, scope), None)

    def _check_room(self, edge: Edge) -> None:
        if self._edges >= MAX_EDGES and edge.scope not in self.supers(edge.member):
            raise ScopeError(f"the graph is full ({MAX_EDGES} memberships)")


def _kind(node: Client | Scope) -> str:
    return "scope" if isinstance(node, Scope) else "simple component"


def _copied(edges: Mapping[str, Mapping[str, Edge]]) -> dict[str, dict[str, Edge]]:
    return {name: dict(each) for name, each in edges.items()}
