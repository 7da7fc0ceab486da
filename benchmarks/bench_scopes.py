"""Scopes: what an event costs in 10,000 scopes with 100,000 components, and what changes cost."""

import gc
import itertools
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TypeVar

from fes.filter import Filter
from fes.model import Event, Stamp
from fes.scopes import (
    Client,
    CompiledRouter,
    DirectRouter,
    Edge,
    Graph,
    Scope,
    ScopeManager,
    ScopeState,
)
from fes.scopes.passage import Passages
from report import keep

MARKETS, LEVELS, COMPONENTS = 100, 100, 1_000
"""Markets that cannot see one another; scopes and components of each."""

BOUNDARIES = (0, 1, 2, 4, 8)
EVENTS, CHANGES = 2_000, 2_000
MATCHING = 10
"""Components, all over the markets, whose subscription matches an event."""


Case = TypeVar("Case")


class Matched:
    """An audience whose matching costs next to nothing: what is measured is beyond it."""

    def __init__(self) -> None:
        self.of: dict[str, list[str]] = {}

    def listen_to(self, publisher: str, listed: tuple[str, ...] = ()) -> None:
        """Do nothing: subscriptions are to what anybody publishes."""

    def matching(self, event: Event) -> Iterable[str]:
        """Return who has subscribed to an event's subject."""
        return self.of.get(event.subject, ())

    def matches(self, consumer: str, event: Event) -> bool:
        """Return whether a component has subscribed to an event's subject."""
        return consumer in self.of.get(event.subject, ())

    def is_present(self, _: str) -> bool:
        """Return that everybody is there."""
        return True

    def load(self, _: str) -> int:
        """Return that nobody has anything to do."""
        return 0


@dataclass(frozen=True)
class Row:
    """What was measured; times in microseconds, the median and the worst percentile."""

    what: str
    us: float
    us_p99: float
    most_us: float


def town(chance: random.Random) -> tuple[Graph, list[list[str]]]:
    """Return markets of scopes in trees, and the components of each."""
    graph = Graph()
    components: list[list[str]] = []
    for market in range(MARKETS):
        for at in range(LEVELS):
            graph.add(Scope(f"m{market}s{at}"))
            if at:
                graph.join(Edge(f"m{market}s{at}", f"m{market}s{(at - 1) // 4}"))
        names = [f"m{market}c{at}" for at in range(COMPONENTS)]
        for name in names:
            graph.add(Client(name))
            graph.join(Edge(name, f"m{market}s{chance.randrange(LEVELS)}"))
        components.append(names)
    return graph, components


def chain(graph: Graph, boundaries: int) -> tuple[str, str]:
    """Add scopes within scopes, each with an interface; return the innermost and the outermost."""
    passes = (Filter.of("price > 1.0"),)
    names = [f"b{boundaries}.{at}" for at in range(boundaries + 1)]
    for at, name in enumerate(names):
        graph.add(Scope(name, output=passes if at < boundaries else None))
    for inner, outer in itertools.pairwise(names):
        graph.join(Edge(inner, outer))
    for name, scope in ((f"p{boundaries}", names[0]), (f"q{boundaries}", names[-1])):
        graph.add(Client(name))
        graph.join(Edge(name, scope))
    return f"p{boundaries}", f"q{boundaries}"


def measure() -> list[Row]:
    """Measure events and changes; what is delivered is verified against the definition."""
    chance = random.Random(13)
    begun = time.perf_counter()
    graph, components = town(chance)
    audience = Matched()
    manager = ScopeManager(graph, CompiledRouter(graph), audience, ScopeState())
    built_us = (time.perf_counter() - begun) * 1e6
    rows = [Row("build 10,000 scopes, 100,000 components", built_us, built_us, built_us)]
    rows += events_within(manager, audience, components, chance)
    rows += [events_across(graph, manager, audience, each) for each in BOUNDARIES]
    rows.append(joins(graph, chance))
    rows.append(edges(graph, chance))
    rows.append(after_a_change(graph, manager, components, chance))
    rows += confined(graph, components, chance)
    return rows


def events_within(
    manager: ScopeManager,
    audience: Matched,
    components: Sequence[Sequence[str]],
    chance: random.Random,
) -> tuple[Row, Row]:
    """Measure events that cross no boundary: the first of their components, and later ones."""
    cases = []
    for at in range(EVENTS):
        market = chance.randrange(MARKETS)
        subject = f"e{at}"
        near = chance.sample(components[market], MATCHING // 2)
        far = [chance.choice(chance.choice(components)) for _ in range(MATCHING // 2)]
        audience.of[subject] = [*near, *far]
        cases.append((chance.choice(components[market]), Event.of(subject, price=2.0)))
    verify(manager, audience, cases[:50])
    first = timed("event, its components' first", cases, lambda case: publish(manager, case))
    return first, timed(
        "event, no boundary, 5 receivers", cases, lambda case: publish(manager, case)
    )


def events_across(graph: Graph, manager: ScopeManager, audience: Matched, boundaries: int) -> Row:
    """Measure events that cross some output interfaces."""
    producer, consumer = chain(graph, boundaries)
    audience.of["across"] = [consumer]
    cases = [(producer, Event.of("across", price=2.0))] * EVENTS
    verify(manager, audience, cases[:1])
    return timed(f"event, {boundaries} boundaries", cases, lambda case: publish(manager, case))


def joins(graph: Graph, chance: random.Random) -> Row:
    """Measure new components that join."""
    cases = [(f"new{at}", f"m{chance.randrange(MARKETS)}s{at % LEVELS}") for at in range(CHANGES)]

    def join(case: tuple[str, str]) -> None:
        graph.add(Client(case[0]))
        graph.join(Edge(*case))

    return timed("a component joins", cases, join)


def edges(graph: Graph, chance: random.Random) -> Row:
    """Measure memberships of scopes that come and go."""
    cases = []
    for _ in range(CHANGES // 2):
        market, at = chance.randrange(MARKETS), chance.randrange(50, LEVELS)
        cases += [(True, f"m{market}s{at}", f"m{(market + 1) % MARKETS}s0")]
        cases += [(False, f"m{market}s{at}", f"m{(market + 1) % MARKETS}s0")]

    def change(case: tuple[bool, str, str]) -> None:
        if case[0]:
            graph.join(Edge(case[1], case[2]))
        else:
            graph.leave(case[1], case[2])

    return timed("a scope's edge comes or goes", cases, change)


def after_a_change(
    graph: Graph,
    manager: ScopeManager,
    components: Sequence[Sequence[str]],
    chance: random.Random,
) -> Row:
    """Measure the first event after an edge changed: what is compiled is made anew."""
    cases = [(chance.choice(components[at % MARKETS]), Event.of(f"e{at}")) for at in range(200)]

    def change_and_publish(case: tuple[str, Event]) -> None:
        graph.join(Edge("m0s60", "m1s0"))
        publish(manager, case)

    return timed("a scope's edge, and the first event after it", cases, change_and_publish)


def confined(
    graph: Graph, components: Sequence[Sequence[str]], chance: random.Random
) -> tuple[Row, Row]:
    """Measure what a gateway states of a pair of components, and events of pairs with filters."""
    passages = Passages(graph)
    pairs = [tuple(chance.sample(components[at % MARKETS], 2)) for at in range(CHANGES)]
    stated = timed("what passes between two is stated", pairs, lambda pair: passages.between(*pair))
    farthest = max(BOUNDARIES)
    test = passages.between(f"p{farthest}", f"q{farthest}").test
    events = [Event.of("across", price=2.0)] * EVENTS
    if not all(test(event) for event in events[:1]):
        raise AssertionError("what passes is stated not to")
    return stated, timed(f"event confined, {farthest} boundaries", events, test)


def publish(manager: ScopeManager, case: tuple[str, Event]) -> None:
    """Publish one event."""
    manager.publish(case[0], case[1], Stamp(case[0], 1, 1, 0, "s"), 0)


def verify(manager: ScopeManager, audience: Matched, cases: Sequence[tuple[str, Event]]) -> None:
    """Raise an error unless the definition delivers the same."""
    defined = ScopeManager(manager.graph, DirectRouter(manager.graph), audience, ScopeState())
    for producer, event in cases:
        stamp = Stamp(producer, 1, 1, 0, "s")
        found = manager.publish(producer, event, stamp, 0).deliveries
        right = defined.publish(producer, event, stamp, 0).deliveries
        if not right or sorted(map(repr, found)) != sorted(map(repr, right)):
            raise AssertionError(f"{event} of {producer}: {found}, not {right}")


def timed(what: str, cases: Sequence[Case], act: Callable[[Case], object]) -> Row:
    """Return what each case took."""
    costs = []
    gc.collect()
    gc.disable()
    for case in cases:
        begun = time.perf_counter_ns()
        act(case)
        costs.append((time.perf_counter_ns() - begun) / 1000)
    gc.enable()
    worst = statistics.quantiles(costs, n=100)[98]
    return Row(what, statistics.median(costs), worst, max(costs))


def show() -> int:
    """Measure, print the table and write the file; return the exit status."""
    rows = measure()
    for row in rows:
        print(
            f"{row.what:48} {row.us:12.1f} µs {row.us_p99:12.1f} µs p99 {row.most_us:12.1f} µs most"
        )
    path = keep("scopes", {"results": [asdict(row) for row in rows]})
    print(f"\nwritten to {path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(show())
