"""Requests that a page of another site has a browser make never reach the service."""

from typing import Any

import httpx
import pytest
from serving.origin import OriginGuard
from starlette.types import Receive, Scope, Send

JSON: dict[str, Any] = {"content-type": "application/json"}


class Service:
    """What is guarded; counts what reaches it."""

    def __init__(self) -> None:
        self.taken = 0
        self.refused: list[str] = []
        self.guard = OriginGuard(self, ("Gateway-1", "g1"), self.refused.append)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.taken += 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def ask(self, method: str = "POST", content: bytes = b"{}", **headers: str) -> int:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        transport = httpx.ASGITransport(self.guard)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as web:
            answer = await web.request(method, "/v1/requests", content=content, headers=given)
        assert (answer.status_code == 200) == (self.taken == 1)
        assert self.refused == ([] if answer.status_code == 200 else ["/v1/requests"])
        return answer.status_code


@pytest.mark.parametrize(
    "host",
    ["localhost:8080", "127.0.0.1", "[::1]:8080", "g1:8080", "GATEWAY-1", "172.18.0.3:8080"],
)
async def test_a_request_under_a_name_of_the_service_passes(host: str) -> None:
    assert await Service().ask(host=host, **JSON) == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8080", "g1.evil", "[", ""],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_name_that_another_resolves_to_this_address_is_refused(
    host: str, method: str
) -> None:
    assert await Service().ask(method, b"", host=host, **JSON) == 421


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://127.0.0.1:9999",
        "http://localhost:8080",
        "file://",
        "",
    ],
)
async def test_a_request_of_another_origin_is_refused(origin: str) -> None:
    assert await Service().ask(origin=origin, **JSON) == 403


async def test_the_services_own_pages_may_ask() -> None:
    assert await Service().ask(origin="http://127.0.0.1:8080", **JSON) == 200


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", ""],
)
async def test_a_body_that_any_page_may_send_is_refused(kind: str) -> None:
    assert await Service().ask(content_type=kind) == 415


async def test_a_body_without_a_type_is_refused_and_one_of_json_with_a_parameter_passes() -> None:
    assert await Service().ask() == 415
    assert await Service().ask(content_type="Application/JSON; charset=utf-8") == 200


async def test_what_has_no_body_needs_no_type() -> None:
    assert await Service().ask("GET", b"") == 200
    assert await Service().ask("POST", b"") == 200
