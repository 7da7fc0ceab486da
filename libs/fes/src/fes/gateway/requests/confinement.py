"""What one event service may receive from another: confines requests before they are forwarded.

The condition of an interface without a mapping joins the forwarded filter, so that what it blocks
never leaves the source. Where an event would be mapped, wait or go to one of several members, the
filter accepts what may come as far as there, and the gateway that manages the scopes decides about
the rest.

Source:
    Fiege et al., Engineering Event-Based Systems with Scopes, section 4.
"""

from dataclasses import dataclass

import msgspec

from fes.errors import FilterError
from fes.filter import canonical, compile_filter, parse
from fes.filter.evaluate import Test
from fes.filter.language.text import to_text
from fes.filter.language.tree import Condition, Truth, all_of, any_of
from fes.gateway.requests.row import Key, Row
from fes.scopes import Graph, Interface
from fes.scopes.paths import Crossing, Path, paths_between

MAX_PAIRS = 100_000
"""Most pairs of event services whose paths are remembered; above it all are computed again."""

MAX_CONFINED = 100_000
"""Most confined requests that are remembered."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What passes from one event service to another.

    Attributes:
        open: Whether anything may pass.
        managed: Whether there are mappings or policies on the path.
        condition: What an event must fulfil to come as far as the first of those.
        test: The same, compiled.
    """

    open: bool
    managed: bool
    condition: Condition
    test: Test

    @property
    def is_free(self) -> bool:
        """Whether everything passes unchanged."""
        return self.open and not self.managed and self.condition == Truth(value=True)


class Confinement:
    """Confines what crosses event services.

    Args:
        graph: The scopes; without any, nothing is confined.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._passages: dict[tuple[str, str], Passage] = {}
        self._confined: dict[tuple[Key, str], tuple[Row, Row | None]] = {}

    @property
    def confines(self) -> bool:
        """Whether there are scopes."""
        return bool(self._graph.nodes)

    def passage(self, source: str, destination: str) -> Passage:
        """Return what passes from one event service to another."""
        known = self._passages.get((source, destination))
        if known is None:
            if len(self._passages) >= MAX_PAIRS:
                self._passages.clear()
            known = self._passages[source, destination] = _passage(self._graph, source, destination)
        return known

    def row(self, row: Row | None, service: str) -> Row | None:
        """Return a request as it is active at an event service.

        For the same request the same object is returned, so that an unchanged one is recognised.

        Args:
            row: The request; None where there is none.
            service: Where it is applied.

        Returns:
            The request with the confined filter; None where scopes permit nothing of it.
        """
        if row is None or not self._graph.nodes:
            return row
        key = (row.key, service)
        known = self._confined.get(key)
        if known is None or known[0] is not row:
            if len(self._confined) >= MAX_CONFINED:
                self._confined.clear()  # one that is made again is merely another object
            known = self._confined[key] = (row, self._made(row, service))
        return known[1]

    def _made(self, row: Row, service: str) -> Row | None:
        if row.body:  # the source publishes what it announces
            return row if self.passage(row.source, service).open else None
        passage = self.passage(service, row.source)
        if not passage.open:
            return None
        if passage.is_free:
            return row
        tree = passage.condition
        if not passage.managed:
            try:
                tree = all_of((parse(row.filter), tree))
            except FilterError:
                return row
        return msgspec.structs.replace(row, what=canonical(tree), filter=to_text(tree))


def _passage(graph: Graph, source: str, destination: str) -> Passage:
    paths, _ = paths_between(graph, source, destination)
    found = [_condition(graph, path) for path in paths]
    free = any(not managed and not tests for tests, managed in found)
    condition: Condition = Truth(value=True)
    if not free and all(tests for tests, _ in found):
        condition = any_of(tuple(all_of(tests) for tests, _ in found))
    managed = not free and any(managed for _, managed in found)
    return Passage(bool(found), managed, condition, compile_filter(condition))


def _condition(graph: Graph, path: Path) -> tuple[tuple[Condition, ...], bool]:
    """Return the conditions before a path's first mapping or policy, and whether it has one."""
    tests: list[Condition] = []
    for crossing in path:
        edge = crossing.edge
        if not crossing.up and graph.scope(edge.scope).is_gate:
            return tuple(tests), True
        if crossing.up:
            tests += _tests(graph.output_of(edge))
        if graph.maps(edge):
            return tuple(tests), True
        tests += _after(graph, crossing)
    return tuple(tests), False


def _after(graph: Graph, crossing: Crossing) -> tuple[Condition, ...]:
    if not crossing.up:
        return _tests(graph.input_of(crossing.edge))
    choice = graph.choice_of(crossing.edge)
    return () if choice is None else (choice.tree,)


def _tests(interface: Interface) -> tuple[Condition, ...]:
    return () if interface is None else (any_of(tuple(each.tree for each in interface)),)
