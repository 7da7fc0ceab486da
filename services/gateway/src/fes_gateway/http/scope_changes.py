"""Changes of scopes in the REST interface, in the words of the federation file."""

from collections.abc import Callable
from typing import Annotated, Any, Final, TypeVar

from fastapi import FastAPI, HTTPException, Request
from fastapi import Path as InPath
from fes.errors import FesError, ScopeError
from fes.federation.scopes.change import Change, member_part, patched, scope_part
from fes.model.text import load_json

from fes_gateway.host import GatewayHost
from fes_gateway.http.addressed import REFUSED, host_of, neighbour_of
from fes_gateway.http.schemas import NAME, Problem
from fes_gateway.http.scope_schemas import ChangedOut

COMMIT_S: Final = 5.0
"""Longest wait until a change is committed."""

_Responses = dict[int | str, dict[str, Any]]

_ANSWERS: _Responses = {
    **REFUSED,
    404: {"model": Problem, "description": "The scope, or the membership, is not known here."},
    409: {
        "model": Problem,
        "description": "A gateway of another process, or another replica, orders changes.",
    },
    422: {"model": Problem, "description": "The scopes do not admit the change."},
    503: {"model": Problem, "description": "The change is not committed yet."},
}

_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
}

Part = TypeVar("Part")

Named = Annotated[str, InPath(min_length=1, max_length=NAME)]


def add_scope_changes(app: FastAPI) -> None:
    """Add the routes that change scopes to the REST interface."""
    _add_members(app)
    _add_scopes(app)


def _add_members(app: FastAPI) -> None:
    path = "/v1/scopes/{name:path}/members/{member:path}"

    @app.put(path, responses=_ANSWERS, tags=["scopes"], openapi_extra=_BODY)
    async def join(request: Request, name: Named, member: Named) -> ChangedOut:
        """Make an event service, client or scope a member, or declare its edge again."""
        host = _orderer_of(request)
        _check_scope(host, name)
        return await _changed(host, Change(0, name, member, edge=await _read(request, member_part)))

    @app.patch(path, include_in_schema=False)
    async def refused(name: Named, member: Named) -> None:
        """Refuse a path that would match a scope, too, since its name may contain `/`."""
        raise HTTPException(405, f"PUT declares the edge of {member} to {name} again")

    @app.delete(path, responses=_ANSWERS, tags=["scopes"])
    async def leave(request: Request, name: Named, member: Named) -> ChangedOut:
        """End a membership: what its member published before is delivered no more."""
        host = _orderer_of(request)
        _check_scope(host, name)
        if member not in host.core.settings.scopes.members(name):
            raise HTTPException(404, f"{member} is not a member of {name}")
        return await _changed(host, Change(0, name, member))


def _add_scopes(app: FastAPI) -> None:
    path = "/v1/scopes/{name:path}"

    @app.put(path, responses=_ANSWERS, tags=["scopes"], openapi_extra=_BODY)
    async def declare(request: Request, name: Named) -> ChangedOut:
        """Declare a scope, or declare it again; its members stay."""
        return await _changed(
            _orderer_of(request), Change(0, name, part=await _read(request, scope_part))
        )

    @app.patch(path, responses=_ANSWERS, tags=["scopes"], openapi_extra=_BODY)
    async def patch(request: Request, name: Named) -> ChangedOut:
        """Replace interfaces or policies of a scope; null is what the file has by default."""
        host = _orderer_of(request)
        _check_scope(host, name)
        # What it is replaced in is looked up once the whole body is there: it may have changed.
        part = await _read(request, lambda body: patched(host.core.scopes.part(name), body))
        return await _changed(host, Change(0, name, part=part))

    @app.delete(path, responses=_ANSWERS, tags=["scopes"])
    async def end(request: Request, name: Named) -> ChangedOut:
        """End a scope; its members stay in their other scopes."""
        host = _orderer_of(request)
        _check_scope(host, name)
        return await _changed(host, Change(0, name))


def _orderer_of(request: Request) -> GatewayHost:
    """Return the gateway that orders changes: of this process, whichever of them is addressed."""
    host = host_of(request)
    name = host.core.scopes.orderer
    orderer = host if host.core.scopes.orders else neighbour_of(request, name)
    if orderer is None:
        raise HTTPException(409, f"{name} orders changes of scopes")
    if not orderer.core.leads:
        raise HTTPException(409, "another replica leads: change scopes there")
    return orderer


def _check_scope(host: GatewayHost, name: str) -> None:
    if name not in host.core.scopes:
        raise HTTPException(404, f"unknown scope: {name}")


async def _read(request: Request, read: Callable[[dict[str, Any]], Part]) -> Part:
    try:
        body = load_json(await request.body())
        if not isinstance(body, dict):
            raise ScopeError("body: not a JSON object")
        return read(body)
    except FesError as error:
        raise HTTPException(422, str(error)) from error


async def _changed(host: GatewayHost, change: Change) -> ChangedOut:
    try:
        number = host.change_scopes(change)
    except ScopeError as error:
        host.counters.add("refused", "scopes", "api")
        raise HTTPException(422, str(error)) from error
    if not await host.is_settled(COMMIT_S):
        why = host.failure or host.store_error or "the journal is slow"
        raise HTTPException(503, f"change {number} is not committed yet: {why}")
    return ChangedOut(change=number, acknowledged=host.core.gossip.presence.acknowledged())
