"""REST: cycles, diamonds and pictures; a long search runs beside everything else."""

import asyncio
from enum import Enum

from eventservices.cns.domains import DiamondView, EventLogDomainFactory
from eventservices.cns.domains.graph import Bounded, elementary_cycles, list_diamonds
from fastapi import FastAPI, Response

from event_domains.http.problems import problems
from event_domains.http.schemas import CyclesOut, DiamondsOut, Identifier
from event_domains.http.views import svg_of

_TAGS: list[str | Enum] = ["graph"]
_SVG = "image/svg+xml"


def add_graph(app: FastAPI, factory: EventLogDomainFactory) -> None:
    """Add the paths of what the connections make together."""

    @app.get("/v1/domains/{domain_id}/cycles", responses=problems(404, 422), tags=_TAGS)
    async def get_cycles(domain_id: Identifier) -> CyclesOut:
        """List the elementary cycles; there are none where they are forbidden."""
        state = factory.get_event_domain(domain_id).state
        found: Bounded[tuple[int, ...]] = Bounded()
        if not state.record.forbid_cycles:
            graph = state.graph.restricted(state.graph)
            found = await asyncio.to_thread(elementary_cycles, graph)
        return CyclesOut(cycles=[list(cycle) for cycle in found], more=found.more)

    @app.get("/v1/domains/{domain_id}/diamonds", responses=problems(404, 422), tags=_TAGS)
    async def get_diamonds(
        domain_id: Identifier, view: DiamondView = DiamondView.MINIMAL
    ) -> DiamondsOut:
        """List the diamonds; there are none where they are forbidden."""
        state = factory.get_event_domain(domain_id).state
        found: Bounded[tuple[tuple[int, ...], ...]] = Bounded()
        if not state.record.forbid_diamonds:
            graph = state.graph.restricted(state.graph)
            found = await asyncio.to_thread(list_diamonds, graph, view)
        diamonds = [[list(route) for route in diamond] for diamond in found]
        return DiamondsOut(view=view.value, diamonds=diamonds, more=found.more)

    @app.get(
        "/v1/domains/{domain_id}/picture.svg",
        response_class=Response,
        responses=problems(404, 422) | {200: {"content": {_SVG: {}}}},
        tags=_TAGS,
    )
    async def picture(domain_id: Identifier) -> Response:
        """Draw the domain."""
        return Response(await svg_of(factory.get_event_domain(domain_id)), media_type=_SVG)
