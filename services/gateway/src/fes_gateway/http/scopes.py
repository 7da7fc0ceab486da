"""Scopes in the REST interface: their members, what each edge checks, and why events pass."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial
from itertools import islice
from typing import Annotated, Any, Final

from fastapi import FastAPI, HTTPException, Query, Request, Response
from fastapi.responses import StreamingResponse
from fes.errors import EventError
from fes.model import Event
from fes.model.text import from_json
from fes.scopes import Client, Edge, Graph, Interface, Scope
from fes.scopes.explain import explain, passes

from fes_gateway.host import GatewayHost
from fes_gateway.http.addressed import JSON, REFUSED, host_of
from fes_gateway.http.schemas import NAME, Problem
from fes_gateway.http.scope_schemas import (
    DeliveryOut,
    ExplainedOut,
    MemberOut,
    PublishingOut,
    ScopeOut,
    ScopesOut,
)
from fes_gateway.http.views import listed

PAGE: Final = 100
"""Most scopes in one list, and most members of a scope that is requested by name."""

MEMBERS: Final = 20
"""Most members of each scope of a list."""

TEXTS: Final = 20
"""Most filters of an interface, patterns and names of superscopes."""

CHARACTERS: Final = 1000
"""Most characters of a text."""

EVENT: Final = 4000
"""Most characters of an event in a URL: percent-encoded, these have room in its 64 KiB."""

LINES: Final = 500
"""Most lines that explain."""

EXPLAINING_S: Final = 5.0
"""Longest wait for other explanations."""

Start = Annotated[int, Query(ge=0, le=10**9, description="Number of entries to skip.")]
Limit = Annotated[int, Query(ge=1, le=PAGE, description="Most entries to return.")]
Named = Annotated[str, Query(min_length=1, max_length=NAME)]

_Responses = dict[int | str, dict[str, Any]]

_INVALID: _Responses = {422: {"model": Problem, "description": "A parameter is not valid."}}
_UNKNOWN: _Responses = {404: {"model": Problem, "description": "The name is not known here."}}
_BUSY: _Responses = {503: {"model": Problem, "description": "Others are being explained."}}


def add_scopes(app: FastAPI) -> None:
    """Add the routes of scopes to the REST interface."""
    _add_explained(app)
    _add_shown(app)


def _add_explained(app: FastAPI) -> None:
    explaining = asyncio.Lock()  # one at a time: a thread that computes slows the loop down

    @app.get(
        "/v1/scopes/explain",
        responses={**REFUSED, **_INVALID, **_UNKNOWN, **_BUSY},
        tags=["scopes"],
    )
    async def why(
        request: Request,
        publisher: Annotated[Named, Query(alias="from", description="The publishing component.")],
        consumer: Annotated[Named, Query(alias="to", description="The receiving component.")],
        event: Annotated[
            str | None,
            Query(max_length=EVENT, description="JSON; names what blocks this event."),
        ] = None,
    ) -> ExplainedOut:
        """Explain which paths lead from a component to another, and what each edge checks."""
        graph = host_of(request).core.settings.scopes
        for name in (publisher, consumer):
            if name not in graph:
                raise HTTPException(404, f"unknown component or scope: {name}")
        read = _event(event)
        try:
            async with asyncio.timeout(EXPLAINING_S):
                await explaining.acquire()
        except TimeoutError as error:
            raise HTTPException(503, "other scopes are being explained; try again") from error
        try:
            return await asyncio.to_thread(_explained, graph.copy(), publisher, consumer, read)
        finally:
            explaining.release()


def _add_shown(app: FastAPI) -> None:
    @app.get(
        "/v1/scopes",
        response_model=ScopesOut,
        responses={**REFUSED, **_INVALID},
        tags=["scopes"],
    )
    async def scopes(request: Request, start: Start = 0, limit: Limit = PAGE) -> Response:
        """List the scopes in declaration order, each with its first 20 members."""
        return StreamingResponse(_scopes(host_of(request), start, limit), media_type=JSON)

    @app.get(
        "/v1/scopes/{name:path}",
        responses={**REFUSED, **_INVALID, **_UNKNOWN},
        tags=["scopes"],
    )
    async def scope(request: Request, name: str, start: Start = 0, limit: Limit = PAGE) -> ScopeOut:
        """Return a scope; `start` and `limit` are of its members."""
        graph = host_of(request).core.settings.scopes
        node = graph.nodes.get(name)
        if not isinstance(node, Scope):
            raise HTTPException(404, f"unknown scope: {name[:100]}")
        return _scope(graph, node, start, limit)


async def _scopes(host: GatewayHost, start: int, limit: int) -> AsyncIterator[bytes]:
    """Yield the scopes as a JSON object, in parts."""
    core = host.core
    graph = core.settings.scopes
    every = [node for node in graph.nodes.values() if isinstance(node, Scope)]
    head = ScopesOut(
        manager=core.scopes.manager,
        manages=core.scopes.manages,
        generation=graph.generation,
        orders=core.scopes.orderer,
        changes=core.scopes.generation,
        acknowledged=core.gossip.presence.acknowledged(),
        total=len(every),
        scopes=[],
    )
    yield head.model_dump_json().removesuffix("[]}").encode()
    shown = partial(_scope, graph, start=0, limit=MEMBERS)
    async for part in listed(every[start : start + limit], shown):
        yield part
    yield b"}"


def _scope(graph: Graph, scope: Scope, start: int, limit: int) -> ScopeOut:
    members = graph.members(scope.name)
    publishing = scope.publishing
    return ScopeOut(
        name=scope.name,
        session=scope.session,
        superscopes=_texts(tuple(graph.supers(scope.name))),
        input=_interface(scope.input),
        output=_interface(scope.output),
        delivery=DeliveryOut(
            to=scope.delivery.turn, key=scope.delivery.key, plugin=scope.delivery.plugin
        ),
        traverse=scope.traverse,
        publishing=PublishingOut(
            choose={
                name: _text(filter_.text)
                for name, filter_ in islice(publishing.choose.items(), TEXTS)
            },
            which=None if publishing.which is None else _text(publishing.which.text),
            delay_s=publishing.delay_us / 1e6,
            until=None if publishing.until is None else _text(publishing.until.text),
            waiting=publishing.waiting,
            overflow=publishing.overflow,
            at_end="drop" if publishing.drop_at_end else "release",
        ),
        producers=_patterns(scope.rights.producers),
        consumers=_patterns(scope.rights.consumers),
        members=[_member(graph, each) for each in islice(members.values(), start, start + limit)],
        members_total=len(members),
    )


def _member(graph: Graph, edge: Edge) -> MemberOut:
    node = graph.nodes[edge.member]
    client = node if isinstance(node, Client) else None
    whole = client is not None and client.service == client.name
    return MemberOut(
        member=edge.member,
        kind="scope" if client is None else "event service" if whole else "client",
        service="" if client is None else client.service,
        principal="" if client is None else client.principal,
        input=_interface(graph.input_of(edge)),
        output=_interface(graph.output_of(edge)),
        up=len(edge.up.rules),
        down=len(edge.down.rules),
        produces=graph.lets_up(edge),
        consumes=graph.lets_down(edge),
    )


def _explained(graph: Graph, one: str, other: str, event: Event | None) -> ExplainedOut:
    lines = explain(graph, one, other, event)
    return ExplainedOut(
        passes=passes(lines, event),
        lines=[_text(line) for line in lines[:LINES]],
        left_off=max(0, len(lines) - LINES),
    )


def _event(text: str | None) -> Event | None:
    if text is None:
        return None
    try:
        return from_json(text)
    except EventError as error:
        raise HTTPException(422, f"query.event: {error}") from error


def _interface(interface: Interface) -> list[str] | None:
    return None if interface is None else _texts([each.text for each in interface])


def _patterns(patterns: tuple[str, ...] | None) -> list[str] | None:
    return None if patterns is None else _texts(patterns)


def _texts(texts: Sequence[str]) -> list[str]:
    more = len(texts) - TEXTS
    shown = [_text(each) for each in texts[:TEXTS]]
    return [*shown, f"… and {more} more"] if more > 0 else shown


def _text(text: str) -> str:
    return text if len(text) <= CHARACTERS else f"{text[:CHARACTERS]}…"
