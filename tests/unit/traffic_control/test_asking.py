"""Asking gateways leaves no place of the HTTP client's pool taken for ever."""

import asyncio
import time
from pathlib import Path

import httpx
import pytest
from traffic_control import confirm
from traffic_control.confirm import Confirmer
from traffic_control.endpoints import Endpoints
from unit.traffic_control.fakes import M01
from unit.traffic_control.test_confirm import command, tell


class Slow(httpx.AsyncBaseTransport):
    """Connects for longer than anybody wants to wait, and notes who gave up on it."""

    def __init__(self) -> None:
        self.asked = 0
        self.cancelled = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        try:
            await asyncio.sleep(request.extensions["timeout"]["connect"])
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        raise httpx.ConnectTimeout("nobody there", request=request)


@pytest.mark.parametrize("seconds", [0.0, 0.15])
async def test_a_request_is_never_cancelled_while_it_connects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(confirm, "TIMEOUT_S", 0.1)
    tell(tmp_path, "http://g")
    slow, began_s = Slow(), time.monotonic()
    async with httpx.AsyncClient(transport=slow) as http:
        confirmer = Confirmer(Endpoints(tmp_path / "endpoints.json"), http)
        assert await confirmer.within(M01, command(), seconds) is None
    assert slow.asked >= 1
    assert slow.cancelled == 0
    assert time.monotonic() - began_s < 20
