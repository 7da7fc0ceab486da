"""Which methods a path has, for the answer to one that it has not.

Each route of an application knows its own method only, and several routes share a path.

Source:
    RFC 9110, section 15.5.6: 405 lists the methods that the resource supports.
"""

import re
from typing import Final

from fastapi import FastAPI, Request, Response
from fastapi.exception_handlers import http_exception_handler
from starlette._utils import get_route_path
from starlette.exceptions import HTTPException
from starlette.routing import Route

NOT_ALLOWED: Final = 405
_PARAMETER: Final = re.compile(r"\{[^}]*\}")


def add_allowed(app: FastAPI) -> None:
    """Have each answer 405 of an application list every method that its path has."""

    async def answer(request: Request, error: Exception) -> Response:
        if not isinstance(error, HTTPException):
            raise error
        answer = await http_exception_handler(request, error)
        if error.status_code == NOT_ALLOWED:
            answer.headers["allow"] = ", ".join(_methods(app, get_route_path(request.scope)))
        return answer

    app.add_exception_handler(HTTPException, answer)


def _methods(app: FastAPI, path: str) -> list[str]:
    """Return the methods of the routes that match a path the most closely, in order."""
    found: dict[str, set[str]] = {}
    for route in app.routes:
        if not isinstance(route, Route) or not route.include_in_schema:
            continue
        if route.path_regex.match(path):
            found.setdefault(_PARAMETER.sub("", route.path), set()).update(route.methods or ())
    return sorted(found[max(found, key=len)]) if found else []
