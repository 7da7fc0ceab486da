"""The REST interface of the policy service."""

import asyncio
from typing import Any

from eventservices.bus.wire.policy import Question
from fastapi import FastAPI, Request, Response
from pydantic import BaseModel
from serving.documented import documented_app
from serving.text import decode

from fes_policy.conflicts import conflicts
from fes_policy.engine import shown
from fes_policy.errors import PolicyError
from fes_policy.rules import parse_rules
from fes_policy.server import PolicyServer

MOST_BYTES = 16 * 1024 * 1024


class Explanation(BaseModel):
    """A decision, and what led to it."""

    permit: bool
    reason: str
    until_us: int
    rules: list[dict[str, str]]
    context: dict[str, Any]


class Loaded(BaseModel):
    """What became of new rules."""

    rules: int
    conflicts: list[str]


class Problem(BaseModel):
    """Why something was refused."""

    detail: str


def make_app(server: PolicyServer) -> FastAPI:
    """Return the application."""
    app = documented_app(title="FES policy", description="Who may subscribe to what, and why.")

    @app.get("/v1/explain")
    def explain(user: str, event: str, device: str = "desk") -> Explanation:
        """Return what would be decided now, and by which rules."""
        found = server.explain(Question(user, event, device, ""))
        return Explanation(
            permit=found.decision.permit,
            reason=found.decision.reason,
            until_us=found.decision.until_us,
            rules=shown(found.rules),
            context=found.context,
        )

    @app.put("/v1/rules", responses={422: {"model": Problem}})
    async def replace(request: Request, response: Response) -> Loaded | Problem:
        """Accept a text of Cedar as the rules; those before stay where it is not valid."""
        body = await request.body()
        try:
            text = decode(body[: MOST_BYTES + 1])
            rules = await asyncio.to_thread(parse_rules, text, "body", MOST_BYTES)
        except (PolicyError, UnicodeDecodeError) as error:
            response.status_code = 422
            return Problem(detail=str(error))
        await server.replace(rules)
        found = await asyncio.to_thread(conflicts, rules, server.engine.building)
        return Loaded(rules=len(rules.rules), conflicts=found)

    @app.get("/v1/status")
    def status() -> dict[str, int]:
        """Return the counters."""
        return {**server.counters, "rules": len(server.engine.rules.rules)}

    @app.get("/healthz")
    def health() -> dict[str, str]:
        """Answer as long as the service lives."""
        return {"status": "ok"}

    return app
