"""The REST interface: limits and offenders."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fes.errors import CodecError
from fes.model.text import load_json
from pydantic import ValidationError
from serving.documented import documented_app

from traffic_control.errors import AwayError, BusyError, ControlError, InputError, UnknownError
from traffic_control.http.metrics import CONTENT_TYPE, metrics_text
from traffic_control.http.schemas import (
    Accepted,
    Health,
    LimitIn,
    LimitOut,
    OffenderOut,
    OffendersOut,
    Problem,
)
from traffic_control.limit import filter_of
from traffic_control.office import Office
from traffic_control.post import Post

MOST_OFFENDERS = 1000
"""Most offenders in one answer."""

_STATUS: dict[type[ControlError], int] = {
    InputError: 422,
    UnknownError: 404,
    BusyError: 429,
    AwayError: 503,
}
_ABOUT = {
    404: "There is no such monitor.",
    413: "The body is too large.",
    415: "The body is encoded.",
    422: "The request is not valid; the detail names the place.",
    429: "Too many changes are in progress.",
    503: "SIENA cannot be reached now.",
}
_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/LimitIn"}}},
    }
}


def make_app(office: Office) -> FastAPI:
    """Return the application of an office."""
    app = documented_app(
        title="Traffic control",
        description="Sets the speed limits of a city's monitors and shows the offenders.",
    )
    app.add_exception_handler(ControlError, _told)
    app.add_exception_handler(RequestValidationError, _told_place)
    _add_limits(app, office)
    _add_offenders(app, office)
    _add_health(app, office)
    _document_body(app)
    return app


def _add_limits(app: FastAPI, office: Office) -> None:
    @app.get("/v1/limits", tags=["limits"])
    async def limits() -> list[LimitOut]:
        """List the limits of all monitors."""
        return [_limit_out(post) for post in office.limits.posts]

    @app.put(
        "/v1/limits/{monitor}",
        status_code=202,
        responses=_problems(404, 413, 415, 422, 429, 503),
        openapi_extra=_BODY,
        tags=["limits"],
    )
    async def change(monitor: str, request: Request) -> Accepted:
        """Change a monitor's limit: the new one is applied before the old one is withdrawn."""
        given = _limit_in(await request.body())
        requests = await office.limits.change(monitor, given.limit_kmh)
        return Accepted(monitor=monitor, limit_kmh=given.limit_kmh, requests=list(requests))


def _add_offenders(app: FastAPI, office: Office) -> None:
    @app.get("/v1/offenders", responses=_problems(422), tags=["offenders"])
    async def offenders(
        after: Annotated[int | None, Query(ge=0, le=2**53)] = None,
        limit: Annotated[int, Query(ge=1, le=MOST_OFFENDERS)] = 100,
    ) -> OffendersOut:
        """List the offenders after a number, or the newest ones; the oldest of them first."""
        log = office.offenders
        found = log.last(limit) if after is None else log.after(after, limit)
        return OffendersOut(
            offenders=[
                OffenderOut(
                    number=number,
                    wall_us=one.wall_us,
                    time_us=one.time_us,
                    id=one.id,
                    monitor=one.monitor,
                    vehicle=one.vehicle,
                    rate=one.rate,
                    path=list(one.path),
                )
                for number, one in found
            ],
            last=found[-1].number if found else max(after or 0, 0),
            count=log.count,
        )


def _add_health(app: FastAPI, office: Office) -> None:
    @app.get("/healthz", tags=["health"])
    async def healthz() -> Health:
        """Report that the process lives."""
        return Health(status="alive", faults={})

    @app.get("/readyz", responses={503: {"model": Health}}, tags=["health"])
    async def readyz(response: Response) -> Health:
        """Report whether all limits are applied and SIENA answers, and what is not ready."""
        faults = office.faults
        response.status_code = 503 if faults else 200
        return Health(status="not ready" if faults else "ready", faults=faults)

    @app.get(
        "/metrics",
        response_class=Response,
        responses={200: {"content": {CONTENT_TYPE: {}}}},
        tags=["health"],
    )
    async def metrics() -> Response:
        """Return the metrics in Prometheus's text form."""
        return Response(metrics_text(office), media_type=CONTENT_TYPE)


def _limit_out(post: Post) -> LimitOut:
    return LimitOut(
        monitor=post.monitor.name,
        destination=post.monitor.destination,
        limit_kmh=post.limit,
        filter=filter_of(post.limit),
        state="pending" if post.applied_us is None else "applied",
        applied_us=post.applied_us,
        request=post.request,
        superseded=list(post.superseded),
    )


def _limit_in(body: bytes) -> LimitIn:
    try:
        return LimitIn.model_validate(load_json(body))
    except CodecError as error:
        raise InputError(f"body: {error}") from error
    except ValidationError as error:
        raise InputError(_first(error.errors(), "body")) from error


async def _told(_request: Request, error: Exception) -> Response:
    status = next(code for kind, code in _STATUS.items() if isinstance(error, kind))
    return JSONResponse({"detail": str(error)}, status)


async def _told_place(_request: Request, error: Exception) -> Response:
    found = error.errors() if isinstance(error, RequestValidationError) else []
    return JSONResponse({"detail": _first(found, "request")}, 422)


def _first(errors: Sequence[Any], whole: str) -> str:
    first = errors[0] if errors else {"loc": (), "msg": "not valid"}
    return f"{'.'.join(str(part) for part in first['loc']) or whole}: {first['msg']}"


def _problems(*codes: int) -> dict[int | str, dict[str, Any]]:
    return {code: {"model": Problem, "description": _ABOUT[code]} for code in codes}


def _document_body(app: FastAPI) -> None:
    document = app.openapi()
    schema = LimitIn.model_json_schema(ref_template="#/components/schemas/{model}")
    document["components"]["schemas"]["LimitIn"] = schema
    app.openapi_schema = document
