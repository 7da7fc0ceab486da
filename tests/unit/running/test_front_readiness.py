"""The one interface of a run is ready once every gateway can be requested something of."""

from typing import Any

import httpx
from fes.federation.load import loads
from fes.running.faults import Faults
from fes.running.front import Front

TWO = """
version: 1
system: test
event_services:
  north: {kind: memory}
  south: {kind: memory}
gateways:
  g1: {adapters: {north: {}}}
  g2: {adapters: {south: {}}}
"""


async def test_a_run_is_not_ready_while_a_gateway_has_not_started() -> None:
    endpoints: dict[str, dict[str, Any]] = {"g1": {"url": "http://127.0.0.1:1"}}
    front = Front(loads(TWO, {}), endpoints, Faults(lambda _: None))
    await front.start()
    try:
        async with httpx.AsyncClient(trust_env=False) as http:
            before = await http.get(f"{front.url}/readyz")
            endpoints["g2"] = {"url": "http://127.0.0.1:2"}
            after = await http.get(f"{front.url}/readyz")
    finally:
        await front.stop()

    assert (before.status_code, before.json()["faults"]) == (503, {"g2": "has not started yet"})
    assert after.status_code == 200
