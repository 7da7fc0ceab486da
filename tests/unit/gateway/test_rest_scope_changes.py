"""Scopes are changed over REST at the gateway that orders changes."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import httpx
import pytest
from fes.eventlog.writer import NullLog
from fes.federation import loads
from fes.federation.clock import FederationClock
from fes.gateway import GatewaySettings
from fes_gateway.host import GatewayHost
from fes_gateway.http.app import make_app
from fes_gateway.http.dispatch import Dispatch
from fes_gateway.store.memory import MemoryJournal
from support.scopes.federated import FILE

Hosts = dict[str, GatewayHost]

CLIENTS = """
clients:
  ann: {service: south, principal: ann}
  bob: {service: south, principal: bob}
"""


@pytest.fixture
async def hosts() -> AsyncIterator[Hosts]:
    federation, clock = loads(FILE + CLIENTS, {}), FederationClock(0, 0, 1)
    with ThreadPoolExecutor(1) as executor:
        found = {}
        for name in federation.gateways:
            settings = GatewaySettings.of(federation, name)
            found[name] = GatewayHost(settings, MemoryJournal(), executor, NullLog(), clock)
            await found[name].start()
        yield found
        for host in found.values():
            await host.stop()


@pytest.fixture
async def http(hosts: Hosts) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(cast("Any", Dispatch(make_app(), hosts)))
    async with httpx.AsyncClient(transport=transport, base_url="http://gateway") as client:
        yield client


async def change(http: httpx.AsyncClient, method: str, path: str, body: object = None) -> Any:
    answer = await http.request(method, f"/gateways/g1/v1/scopes/{path}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_scopes_memberships_interfaces_and_policies_are_changed(
    http: httpx.AsyncClient, hosts: Hosts
) -> None:
    put = await change(http, "PUT", "floor", {"input": ["n > 1"], "traverse": "top-down"})
    assert put == {"change": 1, "acknowledged": {"g1": 1}}
    await change(http, "PUT", "market/members/floor", {})
    await change(http, "PUT", "floor/members/middle", {"output": []})
    await change(http, "PATCH", "floor", {"input": None, "output": ["n > 2"]})
    shown = (await http.get("/gateways/g1/v1/scopes/floor")).json()
    assert (shown["input"], shown["output"], shown["traverse"]) == (None, ["n > 2"], "top-down")
    assert [(each["member"], each["output"]) for each in shown["members"]] == [("middle", [])]
    await change(http, "DELETE", "floor/members/middle")
    assert (await change(http, "DELETE", "floor"))["change"] == 6
    assert "floor" not in hosts["g1"].core.settings.scopes
    listed = (await http.get("/gateways/g1/v1/scopes")).json()
    assert (listed["changes"], listed["orders"]) == (6, "g1")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "detail"),
    [
        ("PUT", "market/members/nobody", {}, 422, "unknown component or scope: nobody"),
        ("PUT", "nowhere/members/north", {}, 404, "unknown scope: nowhere"),
        ("PATCH", "nowhere", {}, 404, "unknown scope: nowhere"),
        ("DELETE", "nowhere", None, 404, "unknown scope: nowhere"),
        ("DELETE", "ann", None, 404, "unknown scope: ann"),
        ("PUT", "ann", {}, 422, "ann is a simple component already"),
        ("PUT", "ann/members/north", {}, 404, "unknown scope: ann"),
        ("DELETE", "market/members/south", None, 404, "south is not a member of market"),
        ("PUT", "market", {"input": ["n >"]}, 422, "input.0: "),
        ("PUT", "market", {"inputs": []}, 422, "Object contains unknown field `inputs`"),
        ("PUT", "market", {"members": {"south": {}}}, 422, "members: each is a change of its own"),
        ("PUT", "market", [], 422, "body: not a JSON object"),
        ("PUT", "north", {}, 422, "north is a simple component already"),
        ("PUT", "x", {"publishing": {"delay_s": 1e9}}, 422, "Expected `float` <= 604800.0"),
        ("PUT", "a*", {}, 422, "not a change of scopes: Expected `str` matching regex"),
        ("PUT", "market/members/market", {}, 422, "cycle: market -> market"),
    ],
)
async def test_what_the_scopes_do_not_admit_is_named_in_one_line(
    http: httpx.AsyncClient, method: str, path: str, body: object, status: int, detail: str
) -> None:
    answer = await http.request(method, f"/gateways/g1/v1/scopes/{path}", json=body)
    assert (answer.status_code, set(answer.json())) == (status, {"detail"}), answer.text
    assert answer.json()["detail"].startswith(detail)
    assert "\n" not in answer.json()["detail"]
    assert (await http.get("/gateways/g1/v1/scopes")).json()["changes"] == 0


async def test_a_gateway_of_another_process_names_the_one_that_orders(hosts: Hosts) -> None:
    app = cast("Any", Dispatch(make_app(), {"g2": hosts["g2"]}))
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://gateway"
    ) as http:
        answer = await http.put("/gateways/g2/v1/scopes/floor", json={})
    assert answer.status_code == 409
    assert answer.json() == {"detail": "g1 orders changes of scopes"}


async def test_changes_at_two_gateways_at_once_are_ordered_and_make_no_cycle(
    http: httpx.AsyncClient, hosts: Hosts
) -> None:
    for scope in ("floor", "desk"):
        await change(http, "PUT", scope, {})
    answers = await asyncio.gather(
        http.put("/gateways/g1/v1/scopes/floor/members/desk", json={}),
        http.put("/gateways/g2/v1/scopes/desk/members/floor", json={}),
    )
    assert sorted(each.status_code for each in answers) == [200, 422]
    (refused,) = [each.json()["detail"] for each in answers if each.is_error]
    assert refused.startswith("cycle: ")
    assert hosts["g1"].core.scopes.generation == 3


async def test_what_another_change_replaced_meanwhile_is_not_undone(
    http: httpx.AsyncClient, hosts: Hosts
) -> None:
    await change(http, "PUT", "floor", {})

    async def slowly() -> AsyncIterator[bytes]:
        await change(http, "PATCH", "floor", {"traverse": "top-down"})
        yield b'{"input": ["n > 1"]}'

    answer = await http.patch("/gateways/g2/v1/scopes/floor", content=slowly())
    assert answer.status_code == 200
    part = hosts["g1"].core.scopes.part("floor")
    assert (part.traverse, part.input) == ("top-down", ("n > 1",))


async def test_a_named_client_joins_and_leaves_and_is_not_parted_from_another(
    http: httpx.AsyncClient, hosts: Hosts
) -> None:
    graph = hosts["g1"].core.settings.scopes
    await change(http, "PUT", "floor", {})
    await change(http, "PUT", "market/members/ann", {})
    assert graph.visible("south", "north")
    path = "/gateways/g1/v1/scopes/floor/members/bob"
    refused = await http.put(path, json={})
    assert refused.status_code == 422
    assert refused.json()["detail"] == (
        "ann and bob receive each other's events natively at south, and no scope has both; declare"
        " an event service for each account or channel, or make south the member"
    )
    await change(http, "PUT", "market/members/bob", {})
    (listed, *_) = (await http.get("/gateways/g1/v1/scopes/market?start=2")).json()["members"]
    assert (listed["member"], listed["kind"], listed["service"]) == ("ann", "client", "south")
    await change(http, "DELETE", "market/members/ann")
    assert graph.visible("south", "north")
    await change(http, "DELETE", "market/members/bob")
    assert not graph.visible("south", "north")
