"""How an event rises past edges that not every event goes up."""

from collections.abc import Iterable

from fes.scopes.declared import Edge, passes
from fes.scopes.graph import Graph
from fes.scopes.routing.plans import Guard, Lead, Plans, Rise
from fes.scopes.routing.publication import Content, Reached, Station


class Climb:
    """How one event rises past guarded edges."""

    def __init__(self, graph: Graph, plans: Plans, content: Content, reached: Reached) -> None:
        self._graph = graph
        self._plans = plans
        self._content = content
        self._reached = reached
        self._seen: set[tuple[tuple[str, str], str]] = set()
        self._gates: dict[tuple[str, str], None] = {}
        self.entered: set[str] = set()
        self.leads: list[Lead] = []
        self._passed: list[tuple[str, frozenset[str]]] = []

    def follow(self, rise: Rise, context: str) -> None:
        """Rise as far as an event does."""
        todo = [(rise, context)]
        while todo:
            rise, bound = todo.pop()
            self.entered |= rise.entered
            self._passed.append((bound, rise.passed))
            if rise.leads:
                self.leads.append(rise.leads)
            self._gates.update(((gate, bound), None) for gate in rise.gates)
            for edge in rise.stations:
                station = Station("up", edge.member, edge.scope)
                self._reached.arrive(station, self._content, bound)
            for guard in rise.guarded:
                key = (guard.name, bound)
                if key not in self._seen:
                    self._seen.add(key)
                    todo += self._past(guard, bound)

    def arrive_at_gates(self) -> None:
        """Have the event arrive at the scopes that decide themselves."""
        for gate, bound in self._gates:
            station = Station("gate", "", gate)
            self._reached.arrive(station, self._content, bound)
            self._reached.stations[station].via |= self._members_below(gate)

    def _members_below(self, gate: str) -> set[str]:
        """Return the members of a scope that the event came up from."""
        members = self._graph.members(gate)
        found = set()
        for bound, names in self._passed:
            if bound in ("", gate) or not self._graph.is_session(gate):
                found |= {name for name in names if self._comes_up(members.get(name))}
        return found

    def _comes_up(self, edge: Edge | None) -> bool:
        if edge is None or not self._graph.lets_up(edge) or self._graph.maps(edge):
            return False
        event, choice = self._content.event, self._graph.choice_of(edge)
        chosen = choice is None or choice.matches(event)
        return chosen and passes(self._graph.output_of(edge), event)

    def _past(self, guard: Guard, bound: str) -> Iterable[tuple[Rise, str]]:
        event, scope = self._content.event, guard.edge.scope
        if bound and guard.session:
            if scope != bound:
                return ()
            bound = ""
        if guard.interface is not None and not passes(guard.interface, event):
            return ()
        if guard.maps:
            station = Station("up", guard.edge.member, scope)
            self._reached.arrive(station, self._content, bound)
            return ()
        if guard.choice is not None and not guard.choice.matches(event):
            return ()
        return ((self._plans.into(scope), bound),)
