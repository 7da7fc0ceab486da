"""Gateways are asked when a command came into force."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from traffic_control.command import Action, Command
from traffic_control.confirm import Confirmer, Step, in_force_us
from traffic_control.endpoints import Endpoints
from unit.traffic_control.fakes import M01

Answer = Callable[[httpx.Request], httpx.Response]


def command(action: Action = "subscribe") -> Command:
    return Command(
        action=action,
        monitor="M01",
        destination="steam-m-M01",
        limit=70.0,
        filter="",
        request="traffic control/1/2",
        sent_us=1,
    )


def step(decision: str, service: str = "", wall_us: int = 1) -> dict[str, Any]:
    return {"decision": decision, "service": service, "detail": "", "wall_us": wall_us}


def tell(path: Path, url: str) -> Path:
    """Write where the gateway of M01 is."""
    fresh = path / "fresh"
    fresh.write_text(json.dumps({"gateways": {"g-m-M01": {"url": url, "pid": 1}}}))
    return fresh.replace(path / "endpoints.json")


def steps_of(*steps: dict[str, Any]) -> httpx.Response:
    return httpx.Response(200, json={"id": "x", "steps": list(steps)})


async def ask(path: Path, answer: Answer, made: Command, seconds: float = 2.0) -> int | None:
    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
        confirmer = Confirmer(Endpoints(path / "endpoints.json"), http)
        return await confirmer.within(M01, made, seconds)


async def test_a_subscription_is_in_force_once_it_is_applied_at_its_destination(
    tmp_path: Path,
) -> None:
    tell(tmp_path, "http://g/gateways/g-m-M01/")
    answers = [
        httpx.Response(404, json={"detail": "not known"}),
        steps_of(step("accepted", "siena-m")),
        steps_of(step("ordered", "steam-m-M01"), step("applied", "siena-m", 5)),
        steps_of(step("ordered", "steam-m-M01"), step("applied", "steam-m-M01", 7)),
    ]
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.raw_path.decode())
        return answers[len(asked) - 1]

    assert await ask(tmp_path, answer, command()) == 7
    assert asked == ["/gateways/g-m-M01/v1/requests/traffic%20control/1/2"] * 4


async def test_an_unsubscription_is_in_force_once_the_gateway_took_it(tmp_path: Path) -> None:
    steps = [Step("received", "siena-m", 3), Step("accepted", "siena-m", 4)]
    assert in_force_us(steps, "steam-m-M01", command("unsubscribe")) == 4
    assert in_force_us(steps, "steam-m-M01", command("subscribe")) is None
    assert in_force_us(steps, "steam-m-M01", command("renew")) is None


async def test_a_refusal_ends_the_wait(tmp_path: Path) -> None:
    tell(tmp_path, "http://g")
    asked = 0

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal asked
        asked += 1
        return steps_of(step("refused", "siena-m"))

    assert await ask(tmp_path, answer, command()) is None
    assert asked == 1


@pytest.mark.parametrize(
    "bad",
    [
        httpx.Response(500),
        httpx.Response(200, content=b"{"),
        httpx.Response(200, json={"steps": 5}),
        httpx.ConnectError("refused"),
    ],
)
async def test_a_gateway_that_answers_badly_is_asked_again(
    tmp_path: Path, bad: httpx.Response | Exception
) -> None:
    tell(tmp_path, "http://g")
    asked = 0

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal asked
        asked += 1
        if asked > 1:
            return steps_of(step("applied", "steam-m-M01", 9))
        if isinstance(bad, Exception):
            raise bad
        return bad

    assert await ask(tmp_path, answer, command()) == 9


async def test_a_gateway_that_moved_is_found_again(tmp_path: Path) -> None:
    tell(tmp_path, "http://old")

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "old":
            tell(tmp_path, "http://elsewhere")
            raise httpx.ConnectError("gone")
        return steps_of(step("applied", "steam-m-M01", 9))

    assert await ask(tmp_path, answer, command()) == 9


async def test_time_runs_out_where_nobody_knows(tmp_path: Path) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise AssertionError("nobody is known to ask")

    assert await ask(tmp_path, answer, command(), 0.05) is None


async def test_a_look_asks_once(tmp_path: Path) -> None:
    tell(tmp_path, "http://g")

    async with httpx.AsyncClient(
        transport=httpx.MockTransport(lambda _: steps_of(step("ordered", "steam-m-M01")))
    ) as http:
        confirmer = Confirmer(Endpoints(tmp_path / "endpoints.json"), http)
        assert await confirmer.once(M01, command("renew")) is None
        assert confirmer.asked == 1


def test_endpoints_are_kept_while_their_file_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "endpoints.json"
    endpoints = Endpoints(path)
    assert endpoints.url("g-m-M01") is None
    tell(tmp_path, "http://g/")
    assert endpoints.url("g-m-M01") == "http://g"
    assert endpoints.url("other") is None
    path.write_text("{")
    assert endpoints.url("g-m-M01") == "http://g"
    path.unlink()
    assert endpoints.url("g-m-M01") == "http://g"


async def test_a_gateway_that_gets_on_is_waited_for_and_one_that_does_not_is_not(
    tmp_path: Path,
) -> None:
    tell(tmp_path, "http://g")
    told: list[dict[str, Any]] = []

    def gets_on(_: httpx.Request) -> httpx.Response:
        told.append(step("ordered", "steam-m-M01"))
        if len(told) == 5:  # after 20 + 40 + 80 + 160 ms, longer than 0.2 s
            told[-1] = step("applied", "steam-m-M01", 7)
        return steps_of(*told)

    assert await ask(tmp_path, gets_on, command(), 0.2) == 7
    stands = steps_of(step("accepted", "siena-m"))
    assert await ask(tmp_path, lambda _: stands, command(), 0.2) is None
