"""Paths of an event from one component to another, as far as what is known of it decides them.

Up an edge: output interface, mapping, publishing policy; down an edge: mapping, input interface.
The interface of the common superscope is not crossed.

Source:
    Fiege et al., Engineering Event-Based Systems with Scopes, sections 3.1 to 3.6.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from analytics.scopes import truth
from analytics.scopes.declared import Edge, Interface, Rule, accepts
from analytics.scopes.filters import Content
from analytics.scopes.graph import Graph

MAX_STATES = 20_000
"""Most states of one search; what is beyond is not decided."""


@dataclass(frozen=True, slots=True)
class Step:
    """Where an event is on a path, and what became of it.

    Attributes:
        name: A component or scope.
        rising: Whether it came up to it.
        via: Member that it came up from last.
        content: As it is there.
        made: Whether a mapping made it.
        delay_us: How long it waited at least, federation clock.
        bound: Session that it is still bound to; empty for none.
        pending: Interfaces since the last mapping whose answer needs more than is known.
        chosen: Scopes that chose a member, and which.
    """

    name: str
    rising: bool
    via: str
    content: Content
    made: bool = False
    delay_us: int = 0
    bound: str = ""
    pending: tuple[tuple[str, Interface], ...] = ()
    chosen: tuple[tuple[str, str], ...] = ()

    def passes(self, content: Content) -> bool:
        """Return whether the interfaces since the last mapping may accept what was received."""
        return all(accepts(one, content) & truth.TRUE for _, one in self.pending)


@dataclass(slots=True)
class Found:
    """What a search found.

    Attributes:
        ends: How an event may come to its destination; none where it may not.
        blocked: Places that block it.
        complete: Whether the search came to its end.
    """

    ends: list[Step] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    complete: bool = True


def paths(graph: Graph, home: str, to: str, subject: str | None, session: str = "") -> Found:
    """Return how an event may come from an event service to another.

    Args:
        graph: The scopes.
        home: Event service where it was published.
        to: Event service where it is received.
        subject: As it was published; None where that is not known.
        session: That its publisher reacted in; empty for none.
    """
    found = Found()
    search = _Search(graph, home, frozenset(graph.components(to)), found)
    search.run(
        [
            Step(name, rising=True, via="", content=Content(subject), bound=session)
            for name in graph.components(home)
        ]
    )
    found.blocked = sorted(set(found.blocked))
    return found


class _Search:
    def __init__(self, graph: Graph, home: str, goals: frozenset[str], found: Found) -> None:
        self._graph = graph
        self._publishers = frozenset(graph.components(home))
        self._goals = goals
        self._found = found
        self._useful = frozenset().union(*(graph.above(goal) for goal in goals)) | goals

    def run(self, todo: list[Step]) -> None:
        seen = set(todo)
        while todo:
            step = todo.pop()
            if step.name in self._goals and not step.rising:
                self._found.ends.append(step)
                continue
            for further in self._from(step):
                if further in seen:
                    continue
                if len(seen) >= MAX_STATES:
                    self._found.complete = False
                    return
                seen.add(further)
                todo.append(further)

    def _from(self, step: Step) -> Iterator[Step]:
        if step.rising:
            for edge in self._graph.supers.get(step.name, ()):
                if self._graph.lets_up(edge):
                    yield from self._up(step, edge)
        if step.name in self._graph.scopes:
            for edge in self._graph.members.get(step.name, ()):
                returns = edge.member in self._publishers or (
                    step.rising and edge.member == step.via
                )
                if self._graph.lets_down(edge) and not returns and edge.member in self._useful:
                    yield from self._down(step, edge)

    def _up(self, step: Step, edge: Edge) -> Iterator[Step]:
        scope = self._graph.scopes[edge.scope]
        bound = step.bound
        if bound and scope.session:
            if edge.scope != bound:
                return
            bound = ""
        place = f"output of {edge.member} to {edge.scope}"
        passed = self._pass(step, self._graph.interface(edge, up=True), place)
        if passed is None:
            return
        for mapped in self._mapped(passed, edge.up, f"mapping {edge.member} to {edge.scope}"):
            moved = replace(mapped, name=edge.scope, via=edge.member, bound=bound)
            yield from self._published(moved, edge)

    def _published(self, step: Step, edge: Edge) -> Iterator[Step]:
        member = self._graph.scopes.get(edge.member)
        if member is None:
            yield step
            return
        choice = member.choose.get(edge.scope)
        chosen = None if choice is None else (choice,)
        passed = self._pass(step, chosen, f"publishing.choose of {edge.member} for {edge.scope}")
        if passed is None:
            return
        waits = truth.TRUE if member.which is None else member.which.test(step.content)
        if member.delay_us and not member.until and waits == truth.TRUE:
            passed = replace(passed, delay_us=passed.delay_us + member.delay_us)
        yield passed

    def _down(self, step: Step, edge: Edge) -> Iterator[Step]:
        place = f"input of {edge.member} from {edge.scope}"
        interface = self._graph.interface(edge, up=False)
        chosen = step.chosen
        if self._graph.scopes[edge.scope].chooses:
            chosen = (*chosen, (edge.scope, edge.member))
        for mapped in self._mapped(step, edge.down, f"mapping {edge.scope} to {edge.member}"):
            passed = self._pass(mapped, interface, place)
            if passed is not None:
                yield replace(
                    passed, name=edge.member, rising=False, via="", chosen=chosen, bound=""
                )

    def _pass(self, step: Step, interface: Interface, place: str) -> Step | None:
        """Return a step beyond an interface; None where it certainly blocks."""
        found = accepts(interface, step.content)
        if not found & truth.TRUE:
            self._found.blocked.append(place)
            return None
        if found == truth.TRUE or (place, interface) in step.pending:
            return step
        return replace(step, pending=(*step.pending, (place, interface)))

    def _mapped(self, step: Step, rules: tuple[Rule, ...], place: str) -> Iterator[Step]:
        """Yield what the first rule that accepts may make of an event, whichever that is."""
        for rule in rules:
            when = truth.TRUE if rule.when is None else rule.when.test(step.content)
            if when & truth.TRUE:
                yield from self._made(step, rule, place)
            if when == truth.TRUE:
                return
        yield step

    def _made(self, step: Step, rule: Rule, place: str) -> Iterator[Step]:
        content = rule.of(step.content)
        if content is None:
            self._found.blocked.append(place)
            return
        if rule.kept:
            yield step
        yield replace(step, content=content, made=True, pending=())
