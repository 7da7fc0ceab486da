"""Dispatches requests to the gateways of a process.

`/gateways/<gateway>/…` names the gateway; where a process hosts one gateway, `/…` is for that.
`/healthz`, `/readyz` and `/metrics` at the root concern the process as a whole.
"""

import json
from urllib.parse import quote, unquote

from fastapi import FastAPI
from serving.guard import raw_path, refuse
from serving.turns import TurnMeter
from starlette.types import Receive, Scope, Send

from fes_gateway.host import GatewayHost
from fes_gateway.http.addressed import HOST, HOSTS
from fes_gateway.http.metrics import CONTENT_TYPE, metrics_text

PREFIX = "/gateways/"
READING = ("GET", "HEAD")
METRICS = "/metrics"
"""Of the whole process at the root, its loop's turns among them, however many gateways it hosts."""


class Dispatch:
    """Finds the gateway of a request and passes it to the REST interface.

    Args:
        app: The REST interface.
        hosts: The process's gateways, by identifier.
        meter: Measures the turns of the process's loop.
    """

    def __init__(
        self, app: FastAPI, hosts: dict[str, GatewayHost], meter: TurnMeter | None = None
    ) -> None:
        self._meter = meter
        self._app = app
        self._hosts = hosts
        self._only = next(iter(hosts.values())) if len(hosts) == 1 else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Accept a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = raw_path(scope)
        if path.startswith(PREFIX):
            name = _named(path)
            host = self._hosts.get(name)
            if host is None:
                await refuse(send, 404, f"no gateway {name[:100]!r} in this process")
                return
            await self._to(host, scope, PREFIX + name, receive, send)
        elif self._only is not None and path != METRICS:
            await self._to(self._only, scope, "", receive, send)
        elif scope["method"] not in READING:
            await refuse(send, 405, f"request it with GET: {path[:100]}", {b"allow": b"GET, HEAD"})
        else:
            await self._of_all(path, send)

    def count_refusal(self, path: str) -> None:
        """Count a request that was refused unread, at its gateway or else at the process's first.

        Args:
            path: Path of the request, percent-encoded as it was sent.
        """
        host = self._hosts.get(_named(path)) or next(iter(self._hosts.values()))
        host.counters.add("refused", "malformed", "api")

    async def _to(
        self, host: GatewayHost, scope: Scope, root: str, receive: Receive, send: Send
    ) -> None:
        inner = dict(scope)
        inner["root_path"] = scope.get("root_path", "") + root
        inner[HOST], inner[HOSTS] = host, self._hosts
        await self._app(inner, receive, send)

    async def _of_all(self, path: str, send: Send) -> None:
        hosts = list(self._hosts.values())
        if path == METRICS:
            await _answer(send, 200, await metrics_text(hosts, self._meter), CONTENT_TYPE)
        elif path == "/healthz":
            await _answer_json(send, 200, {"status": "alive", "faults": {}})
        elif path == "/readyz":
            faults = {part: why for host in hosts for part, why in host.faults.items()}
            status = {"status": "not ready" if faults else "ready", "faults": faults}
            await _answer_json(send, 503 if faults else 200, status)
        elif path in ("/", "/gateways", PREFIX):
            await _answer_json(
                send, 200, [f"{PREFIX}{quote(name, safe='')}" for name in self._hosts]
            )
        else:
            await refuse(send, 404, f"name the gateway: {PREFIX}<gateway>{path[:100]}")


def _named(path: str) -> str:
    """Return the gateway that a path names; any character in it may be percent-encoded, `/` too."""
    return unquote(path.removeprefix(PREFIX).partition("/")[0])


async def _answer_json(send: Send, status: int, content: object) -> None:
    await _answer(send, status, json.dumps(content).encode(), "application/json")


async def _answer(send: Send, status: int, body: bytes, kind: str) -> None:
    headers = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
