"""An event service is in the scopes of its named clients, as if it were itself the member."""

import os
from typing import Any

import pytest
from fes.errors import ScopeError
from fes.model import Event, Stamp
from fes.scopes import (
    Client,
    CompiledRouter,
    DirectRouter,
    Figure8Router,
    Graph,
    ScopeManager,
    ScopeState,
)
from fes.scopes.routing.publication import Router
from support.scopes.audience import Subscribers
from support.scopes.town import Draw, RouterOf, Town

TOWNS = max(300, int(os.environ.get("FES_LAWS", "2000")) // 40)


class _Doors(Town):
    """Some event services are in scopes by one named client only."""

    def _name_clients(self, service: str) -> None:
        draw: Any = self.draw
        name = f"{service}.0"
        each_path, carries = draw.random() < 0.15, draw.random() < 0.9
        self.graph.add(Client(service, service))
        self.graph.add(Client(name, service, "user", carries, each_path))
        self.named.append(name)

    def join(self) -> str:
        draw: Any = self.draw
        whole = [each for each in self.clients if f"{each}.0" not in self.named]
        member, scope = draw.choice(whole + self.named + self.scopes), draw.choice(self.scopes)
        try:
            self.graph.join(draw.edge(member, scope))
        except ScopeError as error:
            return f"refused {error}"
        return f"{member} joins {scope}"

    def component(self, service: str) -> str:
        """Return what an event service is in the graph without named clients."""
        return f"{service}.0" if f"{service}.0" in self.named else service

    def without_named(self) -> tuple[Graph, Subscribers]:
        """Return the graph in which each named client is an event service by itself."""
        graph, audience = Graph(), Subscribers()
        for name, node in self.graph.nodes.items():
            if not isinstance(node, Client):
                graph.add(node)
            elif self.component(name) == name:
                graph.add(Client(name, name, "", node.carries_context, node.each_path))
        for edge in sorted(self.graph.edges(), key=self.graph.number):
            graph.join(edge)
        for name, filters in self.audience.filters.items():
            audience.filters[self.component(name)] = filters
        return graph, audience


def _received(
    graph: Graph, router: Router, audience: Subscribers, publisher: str, event: Event, context: str
) -> list[tuple[str, Event, str, int]]:
    manager = ScopeManager(graph, router, audience, ScopeState())
    stamp = Stamp(publisher, 1, 1, 0, "svc")
    outcome = manager.publish(publisher, event, stamp, 0, context)
    waited = manager.tick(10_000_000)
    made = outcome.deliveries + waited.deliveries
    return [(each.consumer, each.event, each.session, each.mappings) for each in made]


@pytest.mark.timeout(0 if TOWNS > 300 else 300)
@pytest.mark.parametrize("router_of", [DirectRouter, Figure8Router, CompiledRouter])
def test_an_event_service_receives_and_publishes_what_its_one_named_client_does(
    router_of: RouterOf,
) -> None:
    compared = 0
    for seed in range(TOWNS):
        draw = Draw(seed)
        town = _Doors(draw)
        graph, audience = town.without_named()
        router, plain = router_of(town.graph), router_of(graph)
        for publisher in town.clients:
            event = draw.event()
            context = draw.choice((*town.scopes, "", ""))
            found = _received(town.graph, router, town.audience, publisher, event, context)
            component = town.component(publisher)
            right = _received(graph, plain, audience, component, event, context)
            named = [(town.component(each[0]), *each[1:]) for each in found]
            what = f"seed {seed}: {publisher} publishes {event} {context}"
            assert sorted(map(repr, named)) == sorted(map(repr, right)), what
            compared += len(town.named) if found else 0
    assert compared > TOWNS // 10
