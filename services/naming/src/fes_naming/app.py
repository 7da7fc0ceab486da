"""The REST interface of a naming server."""

from typing import Final, Literal

from eventservices.bus.wire.naming import AddName, Lookup, Query, RemoveName, Result
from fastapi import FastAPI, Response
from pydantic import BaseModel
from serving.clocks import wall_us
from serving.documented import documented_app

from fes_naming.server import NamingServer

NOT_KNOWN_NOW: Final = 503


class Answer(BaseModel):
    """What is known of a name.

    Attributes:
        state: `known`, `pending` or `unknown`.
        buses: With sources of it; meaningful where it is known.
        lifetime_s: How long the answer may be used.
        cached: Whether it is a copy.
        reason: Why it is not known.
    """

    state: Literal["known", "pending", "unknown"]
    buses: list[str]
    lifetime_s: float
    cached: bool
    reason: str


class Status(BaseModel):
    """Where a server is, and its counters."""

    server: str
    domain: str
    others: dict[str, str]
    counters: dict[str, int]


def make_app(server: NamingServer) -> FastAPI:
    """Return the application."""
    app = documented_app(title="FES naming", description="Names of events, and their sources.")

    async def ask(query: Query, response: Response) -> Answer:
        result = await server.ask(query)
        if result.state == "unknown":
            response.status_code = NOT_KNOWN_NOW
        elif result.state == "pending":
            response.status_code = 202
        return _shown(result)

    @app.get("/v1/names/{name}", responses={NOT_KNOWN_NOW: {"model": Answer}})
    async def lookup(name: str, response: Response) -> Answer:
        """Return the buses with sources of an event; 503 where that is not known now."""
        return await ask(Lookup(name), response)

    @app.put("/v1/names/{name}/{bus}", responses={202: {"model": Answer}})
    async def add(name: str, bus: str, response: Response) -> Answer:
        """Add a bus to an event's sources; 202 where it is tried again until it is done."""
        return await ask(AddName(name, bus, wall_us()), response)

    @app.delete("/v1/names/{name}/{bus}", responses={202: {"model": Answer}})
    async def remove(name: str, bus: str, response: Response) -> Answer:
        """Remove a bus from an event's sources; 202 where it is tried again until it is done."""
        return await ask(RemoveName(name, bus, wall_us()), response)

    @app.get("/v1/status")
    async def status() -> Status:
        """Return where the server is, and its counters."""
        links = server.links
        return Status(
            server=server.name,
            domain=links.domain,
            others=links.others,
            counters=server.core.counters,
        )

    @app.get("/healthz")
    async def health() -> dict[str, str]:
        """Answer as long as the server lives."""
        return {"status": "ok"}

    return app


def _shown(result: Result) -> Answer:
    return Answer(
        state=result.state,
        buses=list(result.buses),
        lifetime_s=result.lifetime_us / 1e6,
        cached=result.cached,
        reason=result.reason,
    )
