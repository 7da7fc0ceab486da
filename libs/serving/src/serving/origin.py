"""Refuses requests that a page of another site makes a browser send.

A browser sends the requests of any page, also to a service on loopback. Three checks keep such
pages out: the name in `Host` is one of the service's own, so that a page cannot reach it under a
name that its own server resolves to this address (DNS rebinding); `Origin`, which browsers send
with whatever changes something, is the service itself; and a body is `application/json`, which a
page can send to another site only with permission of that site.

Source:
    OWASP, Cross-Site Request Forgery Prevention; Fetch standard, CORS protocol.
"""

from collections.abc import Callable, Iterable
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from serving.guard import raw_path, refuse

LOOPBACK: Final = frozenset({"localhost", "localhost."})
"""Names of the machine itself; addresses are always allowed, since they are not resolved."""

BODIES: Final = frozenset({"POST", "PUT", "PATCH"})
"""Methods with a body."""

Refusal = tuple[int, str]
"""Status and detail."""


class OriginGuard:
    """Accepts only requests that no page of another site can have made.

    Args:
        app: Accepts requests that pass.
        names: Names under which the service is reached, beside loopback and any address.
        on_refusal: Called with the path of each request that does not pass.
    """

    def __init__(
        self,
        app: ASGIApp,
        names: Iterable[str] = (),
        on_refusal: Callable[[str], None] | None = None,
    ) -> None:
        self._app = app
        self._names = LOOPBACK | {name.lower() for name in names}
        self._on_refusal = on_refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Accept a request."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        if refusal is None:
            await self._app(scope, receive, send)
            return
        if self._on_refusal is not None:
            self._on_refusal(raw_path(scope))
        await refuse(send, *refusal)

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name, []).append(value)
        hosts = [value.decode("latin-1") for value in headers.get(b"host", [])]
        if len(hosts) > 1 or not all(map(self._is_own, hosts)):
            return 421, f"host {hosts[0][:100]!r} is not this service"
        for value in headers.get(b"origin", []):
            origin = value.decode("latin-1")
            if not hosts or origin.partition("://")[2].lower() != hosts[0].lower():
                return 403, f"origin {origin[:100]!r} is another site"
        if scope["method"] in BODIES and _has_body(headers) and not _is_json(headers):
            return 415, "expected Content-Type: application/json"
        return None

    def _is_own(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self._names:
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return True


def _has_body(headers: dict[bytes, list[bytes]]) -> bool:
    length = headers.get(b"content-length", [b"0"])[0]
    return b"transfer-encoding" in headers or length != b"0"


def _is_json(headers: dict[bytes, list[bytes]]) -> bool:
    kinds = headers.get(b"content-type", [])
    return len(kinds) == 1 and kinds[0].partition(b";")[0].strip().lower() == b"application/json"
