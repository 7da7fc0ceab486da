"""Scopes in the REST interface of a gateway: read-only, bounded, and named where they block."""

import asyncio
import threading
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from fes.federation import loads
from fes.federation.model import Federation
from fes.gateway import GatewayCore, GatewaySettings
from fes.model import Event
from fes.model.text import to_json
from fes.testing.eventually import eventually
from fes_gateway.http import scopes
from fes_gateway.http.app import make_app
from fes_gateway.http.dispatch import Dispatch

FILE = """\
version: 1
system: town
event_services:
  a: {kind: memory}
  b: {kind: memory}
  c: {kind: memory}
  d: {kind: memory}
gateways:
  g: {adapters: {a: {}}}
  h: {adapters: {a: {}, b: {}, c: {}, d: {}}}
clients:
  alice: {service: d, principal: al}
scopes:
  M:
    members:
      P: {up: [{drop: [n]}]}
      b: {input: [], consumes: false}
      a: {}
  P:
    input: ["n > 1", "subject = 'E'"]
    output: ["n > 2"]
    delivery: {to: hash, key: k}
    traverse: top-down
    publishing: {choose: {M: "n > 3"}, delay_s: 2.5, waiting: 7, at_end: drop}
    join: {producers: ["a*"]}
    members:
      alice: {}
  Far/away:
    session: true
    members:
      c: {}
"""

MANY = 150


def federation() -> Federation:
    return loads(FILE, {})


def http_of(*gateways: GatewaySettings) -> httpx.AsyncClient:
    """Return a client of the interface of gateways of which only the settings are there."""
    hosts = {
        each.id: cast("Any", SimpleNamespace(settings=each, core=GatewayCore(each)))
        for each in gateways
    }
    transport = httpx.ASGITransport(cast("Any", Dispatch(make_app(), hosts)))
    return httpx.AsyncClient(transport=transport, base_url="http://gateway")


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with http_of(*(GatewaySettings.of(federation(), name) for name in "gh")) as found:
        yield found


async def get(http: httpx.AsyncClient, path: str, **query: object) -> Any:
    answer = await http.get(f"/gateways/h/v1/scopes{path}", params=cast("Any", query))
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_the_list_has_every_scope_and_the_gateway_that_manages(
    http: httpx.AsyncClient,
) -> None:
    shown = await get(http, "")
    assert [each["name"] for each in shown["scopes"]] == ["M", "P", "Far/away"]
    assert (shown["total"], shown["manager"], shown["manages"]) == (3, "h", True)
    assert shown["generation"] > 0
    assert [each["session"] for each in shown["scopes"]] == [False, False, True]
    part = await get(http, "", start=1, limit=1)
    assert ([each["name"] for each in part["scopes"]], part["total"]) == (["P"], 3)
    assert (await get(http, "", start=9))["scopes"] == []


async def test_the_manager_is_named_by_the_others_too(http: httpx.AsyncClient) -> None:
    answer = (await http.get("/gateways/g/v1/scopes")).json()
    assert (answer["manager"], answer["manages"]) == ("h", False)


async def test_a_scope_is_shown_with_its_interfaces_and_policies(http: httpx.AsyncClient) -> None:
    shown = await get(http, "/P")
    members = shown.pop("members")
    assert shown == {
        "name": "P",
        "session": False,
        "superscopes": ["M"],
        "input": ["n > 1", "subject = 'E'"],
        "output": ["n > 2"],
        "delivery": {"to": "hash", "key": "k", "plugin": ""},
        "traverse": "top-down",
        "publishing": {
            "choose": {"M": "n > 3"},
            "which": None,
            "delay_s": 2.5,
            "until": None,
            "waiting": 7,
            "overflow": "drop-oldest",
            "at_end": "drop",
        },
        "producers": ["a*"],
        "consumers": None,
        "members_total": 1,
    }
    assert [(each["member"], each["kind"], each["principal"]) for each in members] == [
        ("alice", "client", "al")
    ]
    assert (await get(http, "/Far%2Faway"))["members"][0]["member"] == "c"


async def test_each_edge_has_the_interfaces_that_hold_on_it(http: httpx.AsyncClient) -> None:
    scope, shut, free = (await get(http, "/M"))["members"]
    assert (scope["member"], scope["kind"], scope["up"], scope["down"]) == ("P", "scope", 1, 0)
    assert scope["input"] == ["n > 1", "subject = 'E'"]
    assert (shut["kind"], shut["input"], shut["output"]) == ("event service", [], None)
    assert (shut["produces"], shut["consumes"]) == (True, False)
    assert (free["service"], free["input"], free["consumes"]) == ("a", None, True)
    assert (await get(http, "/M", start=1, limit=1))["members"] == [shut]


async def test_explain_names_the_edge_and_the_filter_that_blocks(http: httpx.AsyncClient) -> None:
    shown = await get(http, "/explain", **{"from": "alice", "to": "a"})
    assert shown["passes"]
    assert shown["lines"][0] == "alice > P > M > a"
    assert "  up P in M: output (n > 2)" in shown["lines"]
    event = to_json(Event.of("E", n=2))
    shown = await get(http, "/explain", **{"from": "alice", "to": "a", "event": event})
    assert not shown["passes"]
    assert "  blocked by the output interface of P in M" in shown["lines"]
    shown = await get(http, "/explain", **{"from": "a", "to": "c"})
    assert not shown["passes"]
    assert "have no common superscope" in shown["lines"][0]
    assert shown["left_off"] == 0


@pytest.mark.parametrize(
    ("path", "status", "expected"),
    [
        ("/nothing", 404, "unknown scope: nothing"),
        ("/alice", 404, "unknown scope: alice"),
        ("/explain?from=a&to=nobody", 404, "unknown component or scope: nobody"),
        ("/explain?from=a", 422, "query.to: Field required"),
        ("/explain?from=a&to=", 422, "query.to: String should have at least 1 character"),
        ("/explain?from=a&to=b&event={", 422, "query.event: "),
        ("?limit=0", 422, "query.limit: Input should be greater than or equal to 1"),
        ("?limit=101", 422, "query.limit: Input should be less than or equal to 100"),
        ("/M?start=-1", 422, "query.start: Input should be greater than or equal to 0"),
        ("?start=x", 422, "query.start: Input should be a valid integer"),
    ],
)
async def test_what_is_wrong_is_named_in_one_line(
    http: httpx.AsyncClient, path: str, status: int, expected: str
) -> None:
    answer = await http.get(f"/gateways/g/v1/scopes{path}")
    assert answer.status_code == status
    assert set(answer.json()) == {"detail"}
    assert answer.json()["detail"].startswith(expected)
    assert "\n" not in answer.json()["detail"]


async def test_without_scopes_the_list_is_empty() -> None:
    text = FILE[: FILE.index("clients:")]
    async with http_of(GatewaySettings.of(loads(text, {}), "h")) as http:
        assert (await get(http, ""))["total"] == 0


async def test_answers_are_bounded() -> None:
    services = "".join(f"  s{at}: {{kind: memory}}\n" for at in range(MANY))
    members = ", ".join(f"s{at}: {{}}" for at in range(MANY))
    filters = ", ".join(f'"n > {at}"' for at in range(MANY))
    scopes = f"  S0: {{members: {{{members}}}, input: [{filters}]}}\n"
    scopes += "".join(f"  S{at}: {{members: {{c0: {{}}, c1: {{}}}}}}\n" for at in range(1, MANY))
    text = f"version: 1\nsystem: town\nevent_services:\n{services}"
    text += "  k0: {kind: memory}\n  k1: {kind: memory}\n"
    text += "clients: {c0: {service: k0, principal: a}, c1: {service: k1, principal: b}}\n"
    text += f"gateways:\n  h: {{adapters: {{s0: {{}}}}}}\nscopes:\n{scopes}"
    async with http_of(GatewaySettings.of(loads(text, {}), "h")) as http:
        shown = await get(http, "")
        assert (len(shown["scopes"]), shown["total"]) == (100, MANY)
        first = shown["scopes"][0]
        assert (len(first["members"]), first["members_total"]) == (20, MANY)
        assert first["input"][19:] == ["n > 19", "… and 130 more"]
        assert len((await get(http, "/S0"))["members"]) == 100
        rest = (await get(http, "/S0", start=100))["members"]
        assert [each["member"] for each in rest] == [f"s{at}" for at in range(100, MANY)]
        explained = await get(http, "/explain", **{"from": "c0", "to": "c1"})
        assert explained["lines"][-1] == "and more than 50 paths"
        assert all(len(line) <= 1001 for line in explained["lines"])


async def test_one_explanation_is_made_at_a_time(
    http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, ends = threading.Event(), threading.Event()

    def slow(*_: object) -> list[str]:
        began.set()
        ends.wait()
        return ["a > b"]

    monkeypatch.setattr(scopes, "explain", slow)
    monkeypatch.setattr(scopes, "EXPLAINING_S", 0.01)
    path = "/gateways/h/v1/scopes/explain?from=a&to=b"
    first = asyncio.create_task(http.get(path))
    try:
        await eventually(began.is_set, what="the first is at work")
        assert (await http.get(path)).status_code == 503
        assert (await http.get("/gateways/h/v1/scopes")).status_code == 200
    finally:
        ends.set()
    assert (await first).json()["lines"] == ["a > b"]
    assert (await http.get(path)).status_code == 200


async def test_the_documentation_lists_the_routes_with_what_they_answer(
    http: httpx.AsyncClient,
) -> None:
    paths = (await http.get("/gateways/h/openapi.json")).json()["paths"]
    for path in ("/v1/scopes", "/v1/scopes/explain", "/v1/scopes/{name}"):
        route = paths[path]["get"]
        assert route["tags"] == ["scopes"]
        assert {"200", "404", "422"} <= set(route["responses"])
        schema = route["responses"]["422"]["content"]["application/json"]["schema"]
        assert schema == {"$ref": "#/components/schemas/Problem"}
