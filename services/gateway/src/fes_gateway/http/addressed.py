"""Shared by the routes of the REST interface: the gateway that a request is for."""

from typing import Any, Final

from fastapi import Request

from fes_gateway.host import GatewayHost
from fes_gateway.http.schemas import Problem

JSON: Final = "application/json"

HOST = "fes_gateway"
"""Key of the gateway in a request's scope; `dispatch` sets it."""

HOSTS = "fes_gateways"
"""Key of all gateways of the process, by identifier, in a request's scope."""

REFUSED: dict[int | str, dict[str, Any]] = {
    400: {"description": "The request cannot be read: its URL is longer than 64 KiB, or no HTTP."},
    404: {"model": Problem, "description": "There is no such gateway."},
    413: {"model": Problem, "description": "The body is too large."},
    415: {"model": Problem, "description": "The body is encoded."},
}
"""Error responses of every route."""


def host_of(request: Request) -> GatewayHost:
    """Return the gateway that a request is for."""
    host: GatewayHost = request.scope[HOST]
    return host


def neighbour_of(request: Request, gateway: str) -> GatewayHost | None:
    """Return a gateway of the same process; None where it runs elsewhere."""
    hosts: dict[str, GatewayHost] = request.scope.get(HOSTS, {})
    return hosts.get(gateway)
