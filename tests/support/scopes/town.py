"""Random scopes, events and changes, played with several routers at once.

One seed, one story. Everything has few names and values, so that paths meet and filters agree.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from fes.errors import ScopeError
from fes.filter import Filter
from fes.model import Event, Stamp
from fes.scopes import (
    Client,
    CompiledRouter,
    DirectRouter,
    Edge,
    Figure8Router,
    Graph,
    Interface,
    Outcome,
    Rights,
    Scope,
    ScopeManager,
    ScopeState,
)
from fes.scopes.mappings.mapping import NO_MAPPING, Gather, Mapping, Rule
from fes.scopes.policies.declared import (
    BROADCAST,
    TO_ALL,
    Delivery,
    Overflow,
    Publishing,
    Traverse,
    Turn,
)
from fes.scopes.routing.publication import Router
from support.scopes.audience import Subscribers

FILTERS = tuple(
    Filter.of(text)
    for text in ("subject = 'a'", "subject = 'b'", "n > 1", "n <= 1", "subject = 'a' AND n > 0", "")
)
SECOND_US = 1_000_000

RouterOf = Callable[[Graph], Router]
ROUTERS: dict[str, RouterOf] = {
    "direct": DirectRouter,
    "figure 8": Figure8Router,
    "compiled": CompiledRouter,
}


def _more(by: int) -> Callable[[Event], tuple[Event, ...]]:
    def step(event: Event) -> tuple[Event, ...]:
        return (Event.of(event.subject, n=(event.parameter("n") or 0) + by),)

    return step


def _renamed(subject: str) -> Callable[[Event], tuple[Event, ...]]:
    return lambda event: (Event(subject, event.parameters, event.attributes),)


def _twice(event: Event) -> tuple[Event, ...]:
    return event, Event.of("b", n=0)


def _blocked(_: Event) -> tuple[Event, ...]:
    return ()


STEPS = (_more(1), _more(-1), _renamed("a"), _renamed("b"), _twice, _blocked)


class Draw(Random):
    """Draws what an administrator might declare."""

    def interface(self, often: float = 0.35) -> Interface:
        if self.random() > often:
            return None
        return tuple(self.sample(FILTERS, self.randint(0, 2)))

    def mapping(self, often: float = 0.2) -> Mapping:
        if self.random() > often:
            return NO_MAPPING
        when = self.choice((None, *FILTERS))
        steps: list[Any] = [self.choice(STEPS) for _ in range(self.randint(1, 2))]
        if self.random() < 0.2:
            steps.append(Gather(2, self.choice(("", "n")), 3, "", (("n", "sum", "n"),)))
        return Mapping((Rule(when, tuple(steps)),), self.random() < 0.2)

    def publishing(self, supers: list[str]) -> Publishing:
        choose = {name: self.choice(FILTERS) for name in supers if self.random() < 0.15}
        held = self.random()
        return Publishing(
            choose,
            delay_us=SECOND_US * self.randint(1, 5) if held < 0.12 else 0,
            which=self.choice((None, *FILTERS)) if held < 0.2 else None,
            until=self.choice(FILTERS) if 0.12 < held < 0.18 else None,
            waiting=self.randint(1, 4),
            overflow=self.choice(list(Overflow)),
            drop_at_end=self.random() < 0.5,
        )

    def scope(self, name: str, supers: list[str]) -> Scope:
        turn = self.choice((Turn.TURNS, Turn.HASH, Turn.STICKY, Turn.LOAD))
        return Scope(
            name,
            self.interface(0.15),
            self.interface(0.15),
            Delivery(turn, self.choice(("", "n"))) if self.random() < 0.15 else TO_ALL,
            self.choice((Traverse.TOP_DOWN, Traverse.BOTTOM_UP))
            if self.random() < 0.15
            else BROADCAST,
            self.publishing(supers),
            session=self.random() < 0.2,
            rights=Rights(
                ("c0*", "c1*", "S*") if self.random() < 0.1 else None,
                ("c2*", "c3*", "S*") if self.random() < 0.1 else None,
            ),
        )

    def edge(self, member: str, scope: str) -> Edge:
        return Edge(
            member,
            scope,
            self.interface(0.12),
            self.interface(0.12),
            self.mapping(),
            self.mapping(),
            produces=self.random() < 0.9,
            consumes=self.random() < 0.9,
        )

    def event(self) -> Event:
        return Event.of(self.choice("ab"), n=self.randint(0, 3))


@dataclass
class Played:
    """One step of a story and what each router's manager made of it."""

    step: str
    outcomes: dict[str, Any]

    @property
    def agree(self) -> bool:
        return len({repr(outcome) for outcome in self.outcomes.values()}) == 1


class Town:
    """Plays a story with managers that share a graph and nothing else."""

    def __init__(self, draw: Random, routers: dict[str, RouterOf] | None = None) -> None:
        self.draw = draw
        self.graph = Graph()
        self.audience = Subscribers()
        self.routers = routers or ROUTERS
        self.states = {name: ScopeState() for name in self.routers}
        self.rows: dict[str, dict[str, bytes]] = {name: {} for name in self.routers}
        self.made = {name: router_of(self.graph) for name, router_of in self.routers.items()}
        self.now_us = SECOND_US
        self.sequence = 0
        draw = self.draw
        self.scopes = [f"S{at}" for at in range(draw.randint(1, 6))]
        self.clients = [f"c{at}" for at in range(draw.randint(2, 5))]
        self.named: list[str] = []
        self._declare()

    def _declare(self) -> None:
        draw: Any = self.draw
        for name in self.clients:
            self.graph.add(Client(name, name, each_path=draw.random() < 0.15))
            for _ in range(draw.randint(1, 2)):
                self.audience.filters.setdefault(name, []).append(draw.choice(FILTERS))
            if draw.random() < 0.3:
                self._name_clients(name)
        for name in self.scopes:
            self.graph.add(draw.scope(name, self.scopes))
        for _ in range(draw.randint(4, 18)):
            self.join()

    def _name_clients(self, service: str) -> None:
        """Declare clients of an event service, which `join` may have join scopes."""
        draw: Any = self.draw
        for at in range(draw.randint(1, 2)):
            name = f"{service}.{at}"
            each_path, carries = draw.random() < 0.15, draw.random() < 0.9
            self.graph.add(Client(name, service, "user", carries, each_path))
            self.named.append(name)

    def managers(self) -> dict[str, ScopeManager]:
        """Return managers of what their journals say; routers are kept over all changes."""
        return {
            name: ScopeManager(self.graph, router, self.audience, self.states[name])
            for name, router in self.made.items()
        }

    def join(self) -> str:
        draw: Any = self.draw
        member = draw.choice(self.clients + self.named + self.scopes)
        scope = draw.choice(self.scopes)
        try:
            self.graph.join(draw.edge(member, scope))
        except ScopeError as error:
            return f"refused {error}"
        return f"{member} joins {scope}"

    def step(self) -> Played:
        """Play one step."""
        draw: Any = self.draw
        self.now_us += draw.randint(0, 2) * SECOND_US // 2
        act = draw.random()
        if act < 0.6:
            return self._publish()
        if act < 0.72:
            return self._each("tick", lambda manager: manager.tick(self.now_us))
        if act < 0.76:
            name = draw.choice(self.scopes)
            return self._each(f"end {name}", lambda manager: manager.end(name, self.now_us))
        changes = (self.join, self.join, self._leave, self._declare_anew, self._restart)
        return Played(draw.choice(changes)(), {})

    def _declare_anew(self) -> str:
        draw: Any = self.draw
        name = draw.choice(self.scopes)
        try:
            self.graph.add(draw.scope(name, self.scopes))
        except ScopeError as error:
            return f"refused {error}"
        return f"declare {name}"

    def _leave(self) -> str:
        edges = sorted((edge.member, edge.scope) for edge in self.graph.edges())
        if edges:
            self.graph.leave(*self.draw.choice(edges))
        return "leave"

    def _restart(self) -> str:
        """Have all managers lose what they remember, and take it back from their journals."""
        for name in self.routers:
            state = ScopeState()
            assert state.restore(self.rows[name]) == ()
            self.states[name] = state
        return "restart"

    def _publish(self) -> Played:
        draw: Any = self.draw
        publisher, event = draw.choice(self.clients), draw.event()
        context = draw.choice(self.scopes) if draw.random() < 0.3 else ""
        self.sequence += 1
        stamp = Stamp(publisher, 1, self.sequence, self.now_us, "svc")
        return self._each(
            f"{publisher} publishes {event} {context}",
            lambda manager: manager.publish(publisher, event, stamp, self.now_us, context),
        )

    def _each(self, step: str, act: Callable[[ScopeManager], Outcome]) -> Played:
        outcomes = {}
        for name, manager in self.managers().items():
            outcome = act(manager)
            for key, value in manager.state.changes().items():
                if value is None:
                    self.rows[name].pop(key, None)
                else:
                    self.rows[name][key] = value
            deliveries = sorted(map(repr, outcome.deliveries))
            outcomes[name] = (deliveries, outcome.waiting, outcome.dropped, self.rows[name])
        return Played(step, outcomes)


STEPS_OF_A_STORY = 12


def disagreement(seed: int, routers: dict[str, RouterOf] | None = None) -> str:
    """Return where the routers disagree in a story; "" where they never do."""
    return disagreement_in(Draw(seed), routers)


def disagreement_in(draw: Random, routers: dict[str, RouterOf] | None = None) -> str:
    """Return where the routers disagree in the story that is drawn."""
    town = Town(draw, routers)
    told = []
    for _ in range(STEPS_OF_A_STORY):
        played = town.step()
        told.append(played.step)
        if played.outcomes and not played.agree:
            shown = "\n".join(f"  {name}: {what}" for name, what in played.outcomes.items())
            return "; ".join(told) + "\n" + shown
    return ""
