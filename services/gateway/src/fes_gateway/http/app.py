"""The REST interface, one for all gateways of a process; `dispatch` finds the one addressed."""

from typing import Annotated

from fastapi import FastAPI, HTTPException, Path, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from serving.documented import documented_app

from fes_gateway.host import GatewayHost
from fes_gateway.http import views
from fes_gateway.http.addressed import JSON, REFUSED, host_of
from fes_gateway.http.intake import BadRequestError, read_request
from fes_gateway.http.metrics import CONTENT_TYPE, metrics_text
from fes_gateway.http.schemas import (
    AdapterOut,
    AnnouncementOut,
    Health,
    Problem,
    ReplicaOut,
    RequestAccepted,
    RequestIn,
    RequestOut,
    StepOut,
    SubscriptionOut,
)
from fes_gateway.http.scope_changes import add_scope_changes
from fes_gateway.http.scopes import add_scopes

COMMIT_S = 5.0
"""Longest wait for the journal before the answer is that the request is not committed."""

_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RequestIn"}}},
    }
}

_OUTCOME = {
    "operationId": "outcome",
    "parameters": {"id": "$response.body#/id"},
    "description": "The outcome of the request.",
}


def make_app() -> FastAPI:
    """Return the application."""
    app = documented_app(
        title="FES gateway",
        description="Inject and inspect requests of the Federated Event Service.",
    )
    _add_requests(app)
    _add_lists(app)
    add_scope_changes(app)
    add_scopes(app)
    app.add_exception_handler(RequestValidationError, _invalid)
    _add_health(app)
    _document_body(app)
    return app


def _refusal(host: GatewayHost, identity: str) -> str | None:
    steps = host.core.outcomes.get(identity) or ()
    return next((step.detail for step in steps if step.decision == "refused"), None)


def _add_requests(app: FastAPI) -> None:
    @app.post(
        "/v1/requests",
        status_code=202,
        responses={
            **REFUSED,
            202: {"description": "The request is committed.", "links": {"outcome": _OUTCOME}},
            422: {"model": Problem, "description": "The body is not a valid request."},
            503: {"model": Problem, "description": "The request is not committed, or is void."},
        },
        openapi_extra=_BODY,
        tags=["requests"],
    )
    async def inject(request: Request) -> RequestAccepted:
        """Inject any request; its outcome is reported under its id."""
        host = host_of(request)
        try:
            control = read_request(await request.body(), host)
        except BadRequestError as error:
            host.counters.add("refused", "malformed", "api")
            raise HTTPException(422, str(error)) from error
        identity = host.inject(control)
        refusal = _refusal(host, identity)
        if refusal is not None:
            raise HTTPException(422, refusal)
        if not await host.is_settled(COMMIT_S):
            why = host.failure or host.store_error or "the journal is slow"
            raise HTTPException(503, f"request {identity!r} is not committed yet: {why}")
        refusal = _refusal(host, identity)
        if refusal is not None:
            raise HTTPException(503, refusal)
        return RequestAccepted(id=identity)

    @app.get(
        "/v1/requests/{id:path}",
        operation_id="outcome",
        responses={
            **REFUSED,
            404: {"model": Problem, "description": "The request is not known here."},
        },
        tags=["requests"],
    )
    async def outcome(request: Request, identity: Annotated[str, Path(alias="id")]) -> RequestOut:
        """Report what this gateway did with a request."""
        steps = host_of(request).core.outcomes.get(identity)
        if steps is None:
            raise HTTPException(404, f"request {identity[:100]!r} is not known here")
        return RequestOut(id=identity, steps=[StepOut(**step._asdict()) for step in steps])


def _add_lists(app: FastAPI) -> None:
    @app.get(
        "/v1/subscriptions",
        response_model=list[SubscriptionOut],
        responses=REFUSED,
        tags=["requests"],
    )
    async def subscriptions(request: Request) -> Response:
        """List the active subscriptions, and where they are applied."""
        return StreamingResponse(views.subscriptions(host_of(request)), media_type=JSON)

    @app.get(
        "/v1/announcements",
        response_model=list[AnnouncementOut],
        responses=REFUSED,
        tags=["requests"],
    )
    async def announcements(request: Request) -> Response:
        """List the active announcements, and where they are applied."""
        return StreamingResponse(views.announcements(host_of(request)), media_type=JSON)

    @app.get("/v1/adapters", responses=REFUSED, tags=["adapters"])
    async def adapters(request: Request) -> list[AdapterOut]:
        """List the adapters, their state and their counters."""
        return views.adapters(host_of(request))

    @app.get("/v1/replicas", responses=REFUSED, tags=["replicas"])
    async def replicas(request: Request) -> list[ReplicaOut]:
        """List the replicas of this gateway that live; none where it is alone."""
        return views.replicas(host_of(request))


def _add_health(app: FastAPI) -> None:
    @app.get("/healthz", responses=REFUSED, tags=["health"])
    async def healthz() -> Health:
        """Report that the process lives."""
        return Health(status="alive", faults={})

    @app.get(
        "/readyz",
        responses={**REFUSED, 503: {"model": Health, "description": "A part is not ready."}},
        tags=["health"],
    )
    async def readyz(request: Request, response: Response) -> Health:
        """Report whether each adapter proved a round trip recently, and which part is not ready."""
        faults = host_of(request).faults
        response.status_code = 503 if faults else 200
        return Health(status="not ready" if faults else "ready", faults=faults)

    @app.get(
        "/metrics",
        response_class=Response,
        responses={**REFUSED, 200: {"content": {CONTENT_TYPE: {}}}},
        tags=["health"],
    )
    async def metrics(request: Request) -> Response:
        """Return the metrics in Prometheus's text form."""
        return Response(await metrics_text([host_of(request)]), media_type=CONTENT_TYPE)


async def _invalid(_request: Request, error: Exception) -> Response:
    """Answer a parameter that is not valid with the place and the reason, in one line."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    first = found[0] if found else {"loc": ("request",), "msg": "not valid"}
    place = ".".join(str(part) for part in first["loc"])
    return JSONResponse({"detail": f"{place}: {first['msg']}"}, 422)


def _document_body(app: FastAPI) -> None:
    document = app.openapi()
    schema = RequestIn.model_json_schema(ref_template="#/components/schemas/{model}")
    document["components"]["schemas"]["RequestIn"] = schema
    app.openapi_schema = document
