"""The exceptions of the standard as answers."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from eventservices.cns.domains import (
    AlreadyExistsError,
    ClientTypeError,
    CycleCreationForbiddenError,
    DiamondCreationForbiddenError,
    DomainDestroyedError,
    InterfaceNotSupportedError,
    InvocationError,
    NoSuchImplementationError,
)
from eventservices.cns.errors import AdminLimitExceededError, NotFoundError
from eventservices.cns.qos.errors import PropertiesError, PropertyError
from eventservices.errors import EventServiceError, MalformedError, NotConnectedError
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from event_domains.errors import JournalError
from event_domains.http.schemas import Problem

_STATUS: Final[tuple[tuple[type[Exception], int], ...]] = (
    (NotFoundError, 404),
    (DomainDestroyedError, 404),
    (NoSuchImplementationError, 404),
    (AlreadyExistsError, 409),
    (CycleCreationForbiddenError, 409),
    (DiamondCreationForbiddenError, 409),
    (AdminLimitExceededError, 429),
    (PropertiesError, 422),
    (ClientTypeError, 422),
    (InterfaceNotSupportedError, 422),
    (InvocationError, 422),
    (MalformedError, 422),
    (NotConnectedError, 503),
    (JournalError, 503),
    (EventServiceError, 500),
)
MOST_TEXT: Final = 500
"""Most characters of a detail."""

_ABOUT: Final = {
    404: "There is no such thing.",
    409: "It exists, or the domain forbids it; the data show why.",
    413: "The body is too large.",
    415: "The body is encoded.",
    422: "It is not valid; the detail names the place.",
    429: "A limit is reached.",
    503: "A broker, or the journal, is away.",
}


def problems(*codes: int) -> dict[int | str, dict[str, Any]]:
    """Return what a path documents of its refusals."""
    return {code: {"model": Problem, "description": _ABOUT[code]} for code in codes}


def add_problems(app: FastAPI) -> None:
    """Make the application answer exceptions with their names and data."""
    for kind in (EventServiceError, JournalError):
        app.add_exception_handler(kind, _answer)
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    app.add_exception_handler(HTTPException, _answer_http)


def data_of(error: Exception) -> dict[str, Any]:
    """Return the data that an exception carries."""
    match error:
        case CycleCreationForbiddenError():
            data: dict[str, Any] = {"cyc": error.cyc}
        case DiamondCreationForbiddenError():
            data = {"diam": error.diam.items, "more": error.diam.more}
        case AlreadyExistsError():
            data = {"supplier_id": error.supplier_id, "consumer_id": error.consumer_id}
        case InterfaceNotSupportedError():
            data = {"interface": error.interface, "member_id": error.member_id}
        case AdminLimitExceededError():
            data = {"name": error.name, "value": error.value}
        case PropertiesError():
            data = {"errors": [_property(each) for each in error.errors]}
        case _:
            data = {}
    return data


def _property(error: PropertyError) -> dict[str, Any]:
    return {
        "name": error.name,
        "code": error.code.name,
        "available_range": error.available_range and list(error.available_range),
    }


async def _answer(_request: Request, error: Exception) -> Response:
    status = next(code for kind, code in _STATUS if isinstance(error, kind))
    name = type(error).__name__.removesuffix("Error")
    return _problem(status, name, str(error), data_of(error))


async def _answer_invalid(_request: Request, error: Exception) -> Response:
    found = error.errors() if isinstance(error, RequestValidationError) else []
    first = found[0] if found else {"loc": (), "msg": "not valid"}
    place = ".".join(str(part) for part in first["loc"]) or "request"
    return _problem(422, "Invalid", f"{place}: {first['msg']}")


async def _answer_http(_request: Request, error: Exception) -> Response:
    """Answer what the framework refuses, e.g. a body that is not JSON, in the same form."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    detail = error.detail if isinstance(error, HTTPException) else ""
    return _problem(status, HTTPStatus(status).phrase.replace(" ", ""), detail, headers=headers)


def _problem(
    status: int,
    error: str,
    detail: str,
    data: Mapping[str, Any] | None = None,
    *,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return a refusal in one line of ASCII, whatever characters the request had."""
    body = {"error": error, "detail": one_line(detail), "data": data or {}}
    text = json.dumps(body, allow_nan=False)
    return Response(text, status, headers, "application/json")


def one_line(text: str) -> str:
    """Return a text as one line, its control characters escaped, cut where it is long."""
    line = "".join(each if each.isprintable() else repr(each)[1:-1] for each in text[:MOST_TEXT])
    return line if len(text) <= MOST_TEXT else f"{line}…"
