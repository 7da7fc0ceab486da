"""The REST interface: the verdict so far."""

from dataclasses import asdict
from typing import Any, Final

from fastapi import FastAPI, Response
from fastapi.responses import HTMLResponse, JSONResponse
from serving.documented import documented_app

from analytics.http.metrics import CONTENT_TYPE, metrics_text
from analytics.http.schemas import Health, Problem, VerdictOut
from analytics.live.board import Board

_NOT_YET: Final[dict[int | str, dict[str, Any]]] = {
    503: {"model": Problem, "description": "There is no verdict now; the detail states why."}
}
_REFUSED: Final[dict[int | str, dict[str, Any]]] = {
    413: {"model": Problem, "description": "The body is too large; none is needed."},
    415: {"model": Problem, "description": "The body is encoded; none is needed."},
}
_PAGE: Final = "<!doctype html><meta http-equiv=refresh content=5><title>waiting</title><p>"


def make_app(board: Board, patience_s: float) -> FastAPI:
    """Return the application that shows a board.

    Args:
        board: The board.
        patience_s: Without a sign of life of the judge for so long it counts as stuck.
    """
    app = documented_app(
        title="Analytics",
        description="Reports whether a run satisfied what was promised, while it goes on.",
        responses=_REFUSED,
        home=False,
    )
    _add_verdict(app, board)
    _add_health(app, board, patience_s)
    return app


def _add_verdict(app: FastAPI, board: Board) -> None:
    @app.get("/", response_class=HTMLResponse, responses={503: {"content": {"text/html": {}}}})
    async def page() -> HTMLResponse:
        """Show the verdict so far to people."""
        shown = board.shown
        if shown.page:
            return HTMLResponse(shown.page)
        return HTMLResponse(f"{_PAGE}There is no verdict yet.</p>", 503)

    @app.get("/v1/verdict", response_model=VerdictOut, responses=_NOT_YET, tags=["verdict"])
    @app.get("/verdict.json", response_model=VerdictOut, responses=_NOT_YET, tags=["verdict"])
    async def verdict() -> Response:
        """Return the verdict so far, and how far it goes."""
        interim = board.shown.interim
        if interim is None or interim.verdict is None:
            return JSONResponse({"detail": board.shown.waits_for or "there is none yet"}, 503)
        told = {**interim.verdict.as_json(), "verdict": interim.word}
        return JSONResponse({**told, "progress": asdict(interim.progress)})


def _add_health(app: FastAPI, board: Board, patience_s: float) -> None:
    @app.get("/healthz", tags=["health"])
    async def healthz() -> Health:
        """Report that the process lives."""
        return Health(status="alive", faults={})

    @app.get("/readyz", responses={503: {"model": Health}}, tags=["health"])
    async def readyz(response: Response) -> Health:
        """Return whether the judge publishes verdicts; name what prevents it."""
        faults = board.faults(patience_s)
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
        return Response(metrics_text(board), media_type=CONTENT_TYPE)
