"""What one event service may receive from another: confines requests before they are forwarded.

The condition of an interface without a mapping joins the forwarded filter, so that what it blocks
never leaves the source. Where an event would be mapped, wait or go to one of several members, the
filter accepts what may come as far as there, and the gateway that manages the scopes decides about
the rest.

Source:
    Fiege et al., Engineering Event-Based Systems with Scopes, section 4.
"""

from collections import deque
from collections.abc import Iterator

import msgspec

from fes.errors import FilterError
from fes.filter import canonical, parse
from fes.filter.language.text import to_text
from fes.filter.language.tree import Truth, all_of
from fes.gateway.requests.row import Key, Row
from fes.scopes import Graph
from fes.scopes.passage import Passage, Passages

MAX_PAIRS = 100_000
"""Most pairs of event services that are remembered; above it all are compiled again."""

MAX_BEFORE = 16
"""Most changes before which it is remembered what passed, of `MAX_PAIRS` pairs in all.

The oldest is forgotten first.
"""

MAX_CONFINED = 100_000
"""Most confined requests that are remembered."""


class Confinement:
    """Confines what crosses event services.

    Args:
        graph: The scopes; without any, nothing is confined. After a change of them, what passes is
            compiled again.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._conditions = Passages(graph)
        self._generation = graph.generation
        self._passages: dict[tuple[str, str], Passage] = {}
        self._before: deque[tuple[int, dict[tuple[str, str], Passage]]] = deque(maxlen=MAX_BEFORE)
        self._confined: dict[tuple[Key, str], tuple[Row, Passage, Row | None]] = {}

    @property
    def confines(self) -> bool:
        """Whether there are scopes."""
        return bool(self._graph.nodes)

    def passage(self, source: str, destination: str) -> Passage:
        """Return what passes from one event service to another."""
        if self._generation != self._graph.generation or len(self._passages) >= MAX_PAIRS:
            self._generation = self._graph.generation
            self._passages = {}
        known = self._passages.get((source, destination))
        if known is None:
            known = self._conditions.between(source, destination)
            self._passages[source, destination] = known
        return known

    def keep(self, changes: int) -> None:
        """Remember what passes now: the next change of scopes is not known to all at once.

        Args:
            changes: How many changes there were so far.
        """
        if self._generation != self._graph.generation:
            return
        self._before.append((changes, self._passages))
        while sum(len(passages) for _, passages in self._before) > MAX_PAIRS:
            self._before.popleft()

    @property
    def is_settled(self) -> bool:
        """Whether nothing is remembered of before a change."""
        return not self._before

    def settle(self, changes: int) -> None:
        """Forget what passed before as many changes as all gateways have applied."""
        while self._before and self._before[0][0] < changes:
            self._before.popleft()

    def earlier(self, source: str, destination: str, changes: int) -> Iterator[Passage]:
        """Yield what passed from one event service to another, oldest first, and what passes now.

        Args:
            source: Where events are published.
            destination: Where they are received.
            changes: How many changes there were at the earliest.
        """
        for known, passages in self._before:
            if known >= changes and (source, destination) in passages:
                yield passages[source, destination]
        yield self.passage(source, destination)

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
        passage = self._passage_of(row, service)
        known = self._confined.get(key)
        if known is None or known[0] is not row or known[1] != passage:
            if len(self._confined) >= MAX_CONFINED:
                self._confined.clear()  # what is made again only is not the same object
            known = self._confined[key] = (row, passage, _made(row, passage))
        return known[2]

    def _passage_of(self, row: Row, service: str) -> Passage:
        """Return what passes for a request: what its source announces, it publishes."""
        if row.body:
            return self.passage(row.source, service)
        return self.passage(service, row.source)


def _made(row: Row, passage: Passage) -> Row | None:
    if not passage.open:
        return None
    if row.body or passage.is_free:
        return row
    tree = passage.condition
    if not passage.managed:
        if tree == Truth(value=True):  # widened: what it may not receive, routing drops
            return row
        try:
            tree = all_of((parse(row.filter), tree))
        except FilterError:
            return row
    return msgspec.structs.replace(row, what=canonical(tree), filter=to_text(tree))
