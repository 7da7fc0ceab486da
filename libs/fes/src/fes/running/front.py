"""The interface of `fes run`: one address for the gateways of all its processes.

`/gateways/<gateway>/…` is forwarded to the process that hosts the gateway; where the federation has
one gateway, `/v1/…` is forwarded to that. `/healthz`, `/readyz` and `/gateways` concern the run as
a whole.
"""

import json
import socket
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, unquote

import httpx
from msgspec import UNSET
from serving.guard import BodyGuard, raw_path, refuse
from serving.loopback import async_client
from serving.origin import OriginGuard
from serving.server import HttpServer
from starlette.types import Receive, Scope, Send

from fes.federation.model import Federation, Http
from fes.running.faults import Faults

PREFIX: Final = "/gateways/"
BODY_BYTES: Final = 256 * 1024
ANSWER_S: Final = 10.0
KEPT: Final = frozenset({"content-type", "content-length", "location", "allow"})
"""Headers of an answer that are forwarded."""

ANYWHERE: Final = Http(port=0)
"""Where it listens unless the file specifies it: a free port on loopback."""


class Front:
    """Forwards requests to the processes of a run.

    Args:
        federation: The file.
        endpoints: Entries of `endpoints.json` by gateway; more are added while the run starts.
        faults: The parts that are not ready.
    """

    def __init__(
        self, federation: Federation, endpoints: Mapping[str, Mapping[str, Any]], faults: Faults
    ) -> None:
        self._gateways = federation.gateways
        self._endpoints = endpoints
        self._faults = faults
        told = ANYWHERE if federation.http is UNSET else federation.http
        self.host, self.port = told.host, told.port
        guarded = OriginGuard(self._serve, (self.host, socket.gethostname()))
        self._server = HttpServer(BodyGuard(guarded, BODY_BYTES), self.host, self.port)
        self._client = async_client(ANSWER_S)

    @property
    def url(self) -> str:
        """Its address for a client on this machine."""
        return self._server.url

    async def start(self) -> None:
        """Begin to listen.

        Raises:
            OSError: The address is in use, or not of this machine.
        """
        await self._server.start()

    async def stop(self) -> None:
        """Stop listening; idempotent."""
        await self._server.stop()
        await self._client.aclose()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        path = raw_path(scope)
        if path.startswith(PREFIX) and path != PREFIX:
            segment, slash, rest = path.removeprefix(PREFIX).partition("/")
            await self._hand_on(unquote(segment), slash + rest, scope, receive, send)
        elif path == "/healthz":
            await _answer(send, 200, {"status": "alive", "faults": {}})
        elif path == "/readyz":
            faults = {**self._not_started(), **self._faults.reasons}
            status = {"status": "not ready" if faults else "ready", "faults": faults}
            await _answer(send, 503 if faults else 200, status)
        elif path in ("/", "/gateways", PREFIX):
            await _answer(send, 200, [f"{PREFIX}{quote(name, safe='')}" for name in self._gateways])
        elif len(self._gateways) == 1:
            await self._hand_on(next(iter(self._gateways)), path, scope, receive, send)
        else:
            await refuse(send, 404, f"the path begins with {PREFIX}<gateway>, then {path[:100]}")

    def _not_started(self) -> dict[str, str]:
        """Return the gateways that nobody can request anything of yet: they may have no fault."""
        return {
            name: "has not started yet"
            for name in self._gateways
            if self._endpoints.get(name) is None
        }

    async def _hand_on(
        self, name: str, path: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if name not in self._gateways:
            await refuse(send, 404, f"no gateway {name[:100]!r} in this federation")
            return
        point = self._endpoints.get(name)
        if point is None:
            await refuse(send, 503, f"gateway {name!r} has not started yet")
            return
        query = scope["query_string"].decode("ascii", "replace")
        url = f"{point['url']}{path}" + (f"?{query}" if query else "")
        body = (await receive()).get("body", b"")
        headers = {"content-type": kind} if (kind := _content_type(scope)) else {}
        try:
            answer = await self._client.request(scope["method"], url, content=body, headers=headers)
        except httpx.HTTPError as error:
            await refuse(send, 502, f"gateway {name!r} does not answer: {error!r}"[:300])
            return
        kept = [
            (key.encode(), value.encode())
            for key, value in answer.headers.items()
            if key in KEPT and key != "content-length"
        ]
        size = (b"content-length", str(len(answer.content)).encode())
        start = {"type": "http.response.start", "status": answer.status_code}
        await send({**start, "headers": [*kept, size]})
        await send({"type": "http.response.body", "body": answer.content})


def _content_type(scope: Scope) -> str:
    return next(
        (value.decode("latin-1") for key, value in scope["headers"] if key == b"content-type"), ""
    )


async def _answer(send: Send, status: int, content: object) -> None:
    body = json.dumps(content).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
