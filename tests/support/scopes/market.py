"""The paper's stock market: figures 3 and 7 with table 1, corrected as docs/scopes.md lists."""

from fes.filter import Filter
from fes.model import Event, Stamp
from fes.scopes import (
    Client,
    Delivered,
    Edge,
    Graph,
    Interface,
    Outcome,
    Scope,
    ScopeManager,
    ScopeState,
)
from fes.scopes.policies.declared import Publishing
from support.scopes.audience import Subscribers
from support.scopes.town import RouterOf

MINUTE_US = 60_000_000
QUARTER_US = 15 * MINUTE_US
COMPONENTS = ("pc1", "pc2", "pc3", "pc4", "me", "db", "me2")


def subjects(*names: str) -> Interface:
    """Return the interface of some subjects; none of them where nothing may pass."""
    return tuple(Filter.of(f"subject = '{name}'") for name in names)


class World:
    """A graph, its subscribers and one manager whose time a test sets."""

    def __init__(self, graph: Graph, router: RouterOf) -> None:
        self.graph = graph
        self.router_of = router
        self.audience = Subscribers()
        self.now_us = 0
        self.rows: dict[str, bytes] = {}
        self._sequence = 0
        self.manager = ScopeManager(graph, router(graph), self.audience, ScopeState())

    def publish(self, publisher: str, subject: str, context: str = "", **data: object) -> Outcome:
        """Publish an event with the parameters `data`."""
        self._sequence += 1
        stamp = Stamp(publisher, 1, self._sequence, self.now_us, publisher)
        event = Event.of(subject, data)
        return self.kept(self.manager.publish(publisher, event, stamp, self.now_us, context))

    def wait(self, us: int) -> Outcome:
        """Let time pass and release what is due."""
        self.now_us += us
        return self.kept(self.manager.tick(self.now_us))

    def kept(self, outcome: Outcome) -> Outcome:
        """Commit what changed."""
        for key, value in self.manager.state.changes().items():
            if value is None:
                self.rows.pop(key, None)
            else:
                self.rows[key] = value
        return outcome

    def restart(self) -> None:
        """Lose all but the journal."""
        state = ScopeState()
        assert state.restore(self.rows) == ()
        self.manager = ScopeManager(self.graph, self.router_of(self.graph), self.audience, state)


def receivers(outcome: Outcome) -> list[str]:
    """Return who received something, sorted."""
    return sorted(each.consumer for each in outcome.deliveries)


def only(outcome: Outcome) -> Delivered:
    """Return the only delivery."""
    assert len(outcome.deliveries) == 1, outcome
    return outcome.deliveries[0]


def figure3(router: RouterOf, *, sessions: bool = False) -> World:
    """Return the market of figure 3, with `sessions` that of figure 7."""
    graph = Graph()
    for name in COMPONENTS:
        graph.add(Client(name))
    quotes_later = Publishing(delay_us=QUARTER_US, which=Filter.of("subject = 'Quote'"))
    for scope in (
        Scope("M1"),
        Scope("M2"),
        Scope("Private", output=subjects("Order", "Trade"), input=subjects("Quote", "Accept")),
        Scope(
            "Prof",
            input=subjects("Order"),
            output=subjects("Accept", "Quote"),
            publishing=quotes_later,
        ),
        *(
            Scope(
                f"C{at}",
                input=subjects("Accept", "Quote", "Limit"),
                output=subjects() if sessions else subjects("Order"),
                session=sessions,
            )
            for at in (1, 2, 3, 4)
        ),
        Scope("TF", input=subjects("Order"), output=subjects("Accept", "Quote")),
        Scope("TF2", input=subjects("Order"), output=subjects("Accept", "Quote")),
    ):
        graph.add(scope)
    memberships = (
        ("Private", "M1"),
        ("C1", "Private"),
        ("C2", "Private"),
        ("Prof", "Private"),
        ("C3", "Prof"),
        ("TF", "Prof"),
        ("me", "TF"),
        ("db", "TF"),
        ("TF2", "M2"),
        ("me2", "TF2"),
        ("C3", "M2"),
        ("C4", "M2"),
        *((f"pc{at}", f"C{at}") for at in (1, 2, 3, 4)),
    )
    for member, above in memberships:
        graph.join(Edge(member, above))
    if sessions:
        _as_figure7(graph)
    world = World(graph, router)
    _subscribe(world)
    return world


def _as_figure7(graph: Graph) -> None:
    """Have customers' scopes include their floor, which has an interface for each use."""
    graph.join(Edge("TF", "Prof", input=subjects(), output=subjects("Quote")))
    graph.join(Edge("TF2", "M2", input=subjects(), output=subjects("Quote")))
    for customer, floor in (("C1", "TF"), ("C2", "TF"), ("C3", "TF"), ("C3", "TF2"), ("C4", "TF2")):
        graph.join(Edge(floor, customer, input=subjects("Order"), output=subjects("Accept")))


def _subscribe(world: World) -> None:
    for at, share in ((1, "IBM"), (2, "SAP"), (3, "SAP"), (4, "SAP")):
        world.audience.subscribe(f"pc{at}", f"subject = 'Quote' AND share = '{share}'")
        world.audience.subscribe(f"pc{at}", "subject = 'Accept'")
    for engine in ("me", "me2"):
        world.audience.subscribe(engine, "subject = 'Order'")
    world.audience.subscribe("db", "subject IN ('Order', 'Quote', 'OrderBook', 'Accept')")
