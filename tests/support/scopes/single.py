"""One gateway at three event services, its scopes, and the journal that outlives it."""

from typing import Any

from fes.gateway import AdapterSettings, GatewayCore, GatewaySettings
from fes.gateway.inputs import Inject, LinkUp, Tick
from fes.gateway.outputs import DropRow, PutRow
from fes.gateway.settings import Instant
from fes.link.messages import Publish
from fes.model import Event, binary
from fes.scopes import Client, Edge, Graph, Scope
from support.gateways.cores import NOW, heard, orders, request, topology_of

SERVICES = ("north", "south", "west")


class Gateway:
    """A core and the journal that outlives it."""

    def __init__(self, graph: Graph, *, manages: bool = True, **settings: Any) -> None:
        self.settings = GatewaySettings(
            id="g1",
            system="test",
            adapters={name: AdapterSettings(f"g1.{name}", name) for name in SERVICES},
            services=(*SERVICES, "far"),
            topology=topology_of(*SERVICES),
            scopes=graph,
            scope_manager="g1" if manages else "g2",
            gateways={"g1": SERVICES},
            **settings,
        )
        self.rows: dict[str, bytes] = {}
        self.now = NOW
        self.start()

    def start(self) -> None:
        """Start the gateway with what its journal has."""
        self.core = GatewayCore(self.settings, self.rows)
        for name in SERVICES:
            self.give(LinkUp(), name)

    def give(self, message: Any, service: str = "") -> list[Any]:
        """Have an input processed and committed; return the outputs."""
        mutations, outputs = self.core.handle(message, self.now, service)
        self.commit(mutations)
        return outputs

    def commit(self, mutations: list[Any]) -> None:
        """Write mutations into the journal."""
        for each in mutations:
            if isinstance(each, PutRow):
                self.rows[each.key] = each.value
            elif isinstance(each, DropRow):
                self.rows.pop(each.key, None)

    def subscribe(self, source: str, sequence: int, **changes: Any) -> None:
        """Subscribe for the clients of an event service."""
        mutations, _ = self.core.handle(
            Inject(request(source=source, sequence=sequence, requester=source, **changes)),
            self.now,
        )
        self.commit(mutations)

    def hear(self, sequence: int, event: Event | None = None, **changes: Any) -> list[Any]:
        """Have a native event of north received; return the outputs."""
        numbers = tuple(applied.number for applied in self.core.applied("north"))
        body = {} if event is None else {"body": binary.encode(event), "subject": event.subject}
        return self.give(heard(numbers, sequence, **body, **changes), "north")

    def wait(self, us: int) -> list[Any]:
        """Let time pass; return the outputs."""
        time_us = self.now.time_us + us
        self.now = Instant(time_us, time_us)
        return self.give(Tick())

    def filters(self) -> list[str]:
        """Return the filters that are active at north."""
        return [applied.filter for applied in self.core.applied("north")]


def published(outputs: list[Any], service: str) -> list[Event]:
    """Return the events that an adapter had to publish."""
    return [
        binary.decode(order.body)
        for order in orders(outputs, service)
        if isinstance(order, Publish)
    ]


def two(scope: Scope, **edge: Any) -> Graph:
    """Return north in a scope, which is in a market with south and west."""
    graph = Graph()
    for name in (*SERVICES, "far"):
        graph.add(Client(name, name))
    graph.add(Scope("market"))
    graph.add(scope)
    graph.join(Edge(scope.name, "market", **edge))
    graph.join(Edge("north", scope.name))
    graph.join(Edge("south", "market"))
    return graph
