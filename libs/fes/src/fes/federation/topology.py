"""Routes over the attachments of gateways to event services."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from msgspec import UNSET

from fes.federation.model import Federation

Attachment = tuple[str, str]
"""(gateway, event service)."""

Vertex = tuple[str, str]
"""("gateway" | "service" | "medium", name)."""

Graph = dict[Vertex, list[Vertex]]
"""Neighbours, in the order of the file."""


class Silence(NamedTuple):
    """Attachments where publications are not forwarded as control events.

    See `control` in the file.

    Attributes:
        deaf: Attachments where the gateway accepts none.
        mute: Attachments where the gateway forwards none.
    """

    deaf: frozenset[Attachment] = frozenset()
    mute: frozenset[Attachment] = frozenset()


NOWHERE_SILENT: Final = Silence()


class Hop(NamedTuple):
    """The first step of a route.

    Attributes:
        service: The gateway's own event service over which to send.
        gateway: The gateway that is to accept it; "" where none is in between, or where all that
            receive it on a medium may.
    """

    service: str
    gateway: str = ""


def attachments(federation: Federation) -> tuple[Attachment, ...]:
    """Return every adapter's (gateway, event service), in the order of the file."""
    return tuple(
        (name, service)
        for name, gateway in federation.gateways.items()
        for service in gateway.adapters
    )


def mediums(federation: Federation) -> dict[str, str]:
    """Return the medium of each event service that is an access point."""
    return {
        name: service.medium
        for name, service in federation.event_services.items()
        if service.medium is not UNSET
    }


def silence(federation: Federation) -> Silence:
    """Return where the file specifies that publications are not forwarded as control events."""
    controls = {
        (name, service): adapter.control
        for name, gateway in federation.gateways.items()
        for service, adapter in gateway.adapters.items()
    }
    return Silence(
        frozenset(at for at, control in controls.items() if "publication" not in control.accepted),
        frozenset(at for at, control in controls.items() if not control.relays),
    )


def spanning_tree(live: Iterable[Attachment], on_medium: Mapping[str, str]) -> Graph:
    """Return the graph over which events are routed.

    Wired attachments that would close a circle are left out, the later in the file first; those to
    access points all stay, and each access point is joined to its medium.

    Args:
        live: The attachments that work, in the order of the file.
        on_medium: Medium by event service.

    Source:
        Design, section 6, rule 5; the order decides as in the simulation of the protocol.
    """
    graph: Graph = {}
    parents: dict[Vertex, Vertex] = {}
    for gateway, service in live:
        ends: tuple[Vertex, Vertex] = (("gateway", gateway), ("service", service))
        if service in on_medium or _join(parents, *ends):
            _connect(graph, *ends)
    for service, medium in on_medium.items():
        _connect(graph, ("service", service), ("medium", medium))
    return graph


def _join(parents: dict[Vertex, Vertex], a: Vertex, b: Vertex) -> bool:
    """Unite two sets; return whether they were separate."""
    root_a, root_b = _root(parents, a), _root(parents, b)
    if root_a == root_b:
        return False
    parents[root_a] = root_b
    return True


def _root(parents: dict[Vertex, Vertex], vertex: Vertex) -> Vertex:
    while vertex in parents:
        above = parents[vertex]
        if above in parents:
            parents[vertex] = parents[above]
        vertex = above
    return vertex


def _connect(graph: Graph, a: Vertex, b: Vertex) -> None:
    graph.setdefault(a, []).append(b)
    graph.setdefault(b, []).append(a)


ROUTES_KEPT: Final = 8
"""Routes of a topology that are kept, for gateways of one process that see the same."""


@dataclass(frozen=True, slots=True)
class Topology:
    """Which gateway is attached to which event service, by the file.

    Attributes:
        attachments: In the order of the file, which decides the routes.
        on_medium: Medium by event service.
        silent: Where publications are not forwarded as control events.
    """

    attachments: tuple[Attachment, ...] = ()
    on_medium: Mapping[str, str] = field(default_factory=dict)
    silent: Silence = NOWHERE_SILENT
    _made: dict[tuple[Attachment, ...], "Routes"] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @staticmethod
    def of(federation: Federation) -> "Topology":
        """Return the topology of a federation."""
        return Topology(attachments(federation), mediums(federation), silence(federation))

    def at(self, service: str) -> tuple[str, ...]:
        """Return the gateways attached to an event service, in the order of the file."""
        return tuple(gateway for gateway, attached in self.attachments if attached == service)

    def routes(self, live: Collection[Attachment] | None = None) -> "Routes":
        """Return the routes while certain attachments work.

        Args:
            live: The attachments that work, in any order; None for all.
        """
        every = self.attachments
        works = every if live is None else frozenset(live)
        kept = every if live is None else tuple([each for each in every if each in works])
        made = self._made.get(kept)
        if made is None:
            made = self._made[kept] = Routes(kept, self.on_medium, self.silent)
            if len(self._made) > ROUTES_KEPT:
                del self._made[next(iter(self._made))]
        return made


class Routes:
    """The routes through a federation while certain attachments work.

    Immutable; when an attachment fails or works again, make new routes with those that work then: a
    standby (an attachment that closed a circle) may become part of them.

    Args:
        live: The attachments that work, in the order of the file.
        on_medium: Medium by event service.
        silent: Attachments where routes end: a gateway only publishes natively there.
    """

    def __init__(
        self,
        live: Sequence[Attachment],
        on_medium: Mapping[str, str],
        silent: Silence = NOWHERE_SILENT,
    ) -> None:
        self._live = frozenset(live)
        self._on_medium = on_medium
        self._silent = silent
        self._heard = {service for gateway, service in self._live - silent.deaf}
        self._graph = spanning_tree(live, on_medium)
        self._hops: dict[str, dict[str, Hop]] = {}
        self._standbys: dict[str, dict[str, Hop]] = {}

    @staticmethod
    def of(federation: Federation, live: Collection[Attachment] | None = None) -> "Routes":
        """Return the routes of a federation.

        Args:
            federation: The federation file.
            live: The attachments that work, in any order; None for all.
        """
        return Topology.of(federation).routes(live)

    def next_hop(self, gateway: str, service: str) -> Hop | None:
        """Return the first step from a gateway to an event service; None where there is no route.

        An event service to which the gateway is attached is its own first step.
        """
        if (gateway, service) in self._live:
            return Hop(service)
        return self.hops(gateway).get(service)

    def hops(self, gateway: str) -> Mapping[str, Hop]:
        """Return the first step by event service, of all that are reachable and not attached."""
        if gateway not in self._hops:
            self._hops[gateway] = self._search(gateway)
        return self._hops[gateway]

    def standbys(self, gateway: str) -> Mapping[str, Hop]:
        """Return the first step by event service, of all that are attached and not on the tree.

        These attachments work and would close a circle. One is left out where no other route leads
        to its event service.
        """
        if gateway not in self._standbys:
            ways, near = self._ways(("gateway", gateway)), self.neighbours(gateway)
            self._standbys[gateway] = {
                name: self._hop(way)
                for (_, name), way in ways.items()
                if (gateway, name) in self._live and name not in near
            }
        return self._standbys[gateway]

    def neighbours(self, gateway: str) -> tuple[str, ...]:
        """Return the event services over which a gateway forwards what is for many."""
        return tuple(name for _, name in self._graph.get(("gateway", gateway), ()))

    def _search(self, gateway: str) -> dict[str, Hop]:
        ways = self._ways(("gateway", gateway))
        return {
            vertex[1]: self._hop(way)
            for vertex, way in ways.items()
            if vertex[0] == "service" and (gateway, vertex[1]) not in self._live
        }

    def _hop(self, way: tuple[Vertex, ...]) -> Hop:
        own = way[0][1]
        return Hop(own) if own in self._on_medium else Hop(own, way[1][1])

    def _ways(self, start: Vertex) -> dict[Vertex, tuple[Vertex, ...]]:
        """Return the first two steps of the shortest route to each vertex, breadth first."""
        ways: dict[Vertex, tuple[Vertex, ...]] = {start: ()}
        todo = [start]
        for vertex in todo:
            way = ways[vertex]
            for near in self._graph.get(vertex, ()):
                if near in ways or not self._lets_in(vertex, near):
                    continue
                ways[near] = way if len(way) == 2 else (*way, near)
                if self._goes_on(vertex, near):
                    todo.append(near)
        return ways

    def _lets_in(self, vertex: Vertex, near: Vertex) -> bool:
        """Return whether a control event gets from a vertex to the next, and is accepted there."""
        if near[0] == "gateway":
            return (near[1], vertex[1]) not in self._silent.deaf
        return vertex[0] != "medium" or near[1] in self._heard

    def _goes_on(self, vertex: Vertex, near: Vertex) -> bool:
        """Return whether a control event gets from a vertex to one beside it, and beyond."""
        return vertex[0] != "gateway" or (vertex[1], near[1]) not in self._silent.mute
