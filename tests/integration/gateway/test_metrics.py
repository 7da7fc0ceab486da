"""What a process tells of itself at /metrics, and of each gateway under its own path."""

from pathlib import Path

import httpx
import pytest
from fes.federation.load import loads
from fes_gateway.http.server import server_of
from fes_gateway.pack import Pack, PackSettings

TURNS = "fes_loop_turn_seconds_max"
ONE = """
version: 1
system: test
event_services:
  north: {kind: memory, settings: {bus: "%(tag)s north"}}
gateways:
  g1: {adapters: {north: {}}}
"""
TWO = (
    ONE
    + """  g2: {adapters: {south: {}}}
"""
).replace("gateways:", """  south: {kind: memory, settings: {bus: "%(tag)s south"}}\ngateways:""")


@pytest.mark.parametrize(("text", "names"), [(ONE, ("g1",)), (TWO, ("g1", "g2"))])
async def test_the_turns_of_the_loop_are_served_however_many_gateways_a_process_hosts(
    tmp_path: Path, text: str, names: tuple[str, ...]
) -> None:
    federation = loads(text % {"tag": tmp_path}, {})
    pack = Pack(federation, PackSettings("test", names, frozenset(), tmp_path), tmp_path)
    server = server_of(pack, "127.0.0.1", 0)
    async with pack, httpx.AsyncClient(trust_env=False) as http:
        await server.start()
        try:
            process = (await http.get(f"{server.url}/metrics")).text
            gateways = [
                (await http.get(f"{server.url}/gateways/{name}/metrics")).text for name in names
            ]
            refused = await http.request("TRACE", f"{server.url}/metrics")
        finally:
            await server.stop()

    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")
    assert TURNS in process
    assert all(f'gateway="{name}"' in process for name in names)
    for name, own in zip(names, gateways, strict=True):
        assert f'gateway="{name}"' in own
        assert TURNS not in own, "the loop is the process's, not the gateway's"
