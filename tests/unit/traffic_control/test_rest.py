"""The REST interface of traffic-control."""

import asyncio
import math
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from eventservices.siena import Notification
from eventservices.stamp import Stamp
from serving.guard import BodyGuard
from traffic_control.commander import Commander
from traffic_control.http.app import MOST_OFFENDERS, make_app
from traffic_control.jsonlines import JsonLines
from traffic_control.limits import Limits
from traffic_control.offenders import Offenders
from traffic_control.office import Office
from traffic_control.serve import BODY_BYTES
from unit.traffic_control.fakes import M01, M02, FakeAsker, FakeConfirms


class Desk:
    """An office with stand-ins around it, and a client of its interface."""

    def __init__(self, folder: Path) -> None:
        self.asker = FakeAsker()
        self.log = JsonLines(folder / "offenders.jsonl", "wall_us", 0)
        commander = Commander(self.asker, FakeConfirms(), lambda _: None, 90.0)
        self.siena = cast("Any", SimpleNamespace(fault="", counters={"received": 3}))
        self.office = Office(
            siena=self.siena,
            commander=commander,
            limits=Limits((M01, M02), commander, 30.0),
            offenders=Offenders(self.log.append, lambda: 9),
            logs=(self.log,),
        )
        transport = httpx.ASGITransport(BodyGuard(make_app(self.office), BODY_BYTES))
        self.http = httpx.AsyncClient(transport=transport, base_url="http://city")


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    found = Desk(tmp_path)
    async with found.http:
        yield found
    await found.office.limits.close()
    found.log.close()


async def test_limits_are_listed(desk: Desk) -> None:
    answer = await desk.http.get("/v1/limits")
    assert answer.status_code == 200
    assert answer.json()[0] == {
        "monitor": "M01",
        "destination": "steam-m-M01",
        "limit_kmh": 70.0,
        "filter": "subject = 'Speed' AND rate > 70",
        "state": "pending",
        "applied_us": None,
        "request": "",
        "superseded": [],
    }


async def test_a_limit_is_changed(desk: Desk) -> None:
    answer = await desk.http.put("/v1/limits/M02", json={"limit_kmh": 80})
    assert answer.status_code == 202
    assert answer.json() == {
        "monitor": "M02",
        "limit_kmh": 80.0,
        "requests": ["traffic-control/1/1"],
    }
    await asyncio.sleep(0.01)
    row = (await desk.http.get("/v1/limits")).json()[1]
    assert (row["limit_kmh"], row["state"], row["request"]) == (
        80.0,
        "applied",
        "traffic-control/1/1",
    )


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b"", "body: not JSON"),
        (b"{", "body: not JSON"),
        (b"[]", "body: "),
        (b"{}", "limit_kmh: "),
        (b'{"limit_kmh": "80"}', "limit_kmh: "),
        (b'{"limit_kmh": true}', "limit_kmh: "),
        (b'{"limit_kmh": -1}', "limit_kmh: "),
        (b'{"limit_kmh": 10001}', "limit_kmh: "),
        (b'{"limit_kmh": NaN}', "body: not JSON: bare NaN"),
        (b'{"limit_kmh": 1e999}', "body: not JSON"),
        (b'{"limit_kmh": 80, "limit_kmh": 90}', "occurs twice"),
        (b'{"limit_kmh": 80, "limit": 1}', "limit: "),
        (b"[" * 60000, "nested deeper"),
        (b"\xff", "body: not JSON"),
    ],
)
async def test_bad_input_is_refused_with_its_place(desk: Desk, body: bytes, place: str) -> None:
    answer = await desk.http.put("/v1/limits/M01", content=body)
    assert answer.status_code == 422
    assert place in answer.json()["detail"]
    assert desk.asker.made == []


async def test_an_unknown_monitor_is_not_found(desk: Desk) -> None:
    answer = await desk.http.put("/v1/limits/M09", json={"limit_kmh": 80})
    assert (answer.status_code, answer.json()) == (404, {"detail": "no monitor 'M09'"})


async def test_while_siena_takes_nothing_a_change_is_unavailable(desk: Desk) -> None:
    desk.asker.away = True
    answer = await desk.http.put("/v1/limits/M01", json={"limit_kmh": 80})
    assert answer.status_code == 503


async def test_a_body_that_is_too_large_or_encoded_is_refused(desk: Desk) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(BODY_BYTES // 1024 + 1):
            yield b" " * 1024

    for content in (b" " * (BODY_BYTES + 1), pieces()):
        answer = await desk.http.put("/v1/limits/M01", content=content)
        assert (answer.status_code, answer.json()["detail"]) == (413, "body exceeds 65536 bytes")
    headers = {"content-encoding": "gzip"}
    answer = await desk.http.put("/v1/limits/M01", content=b"{}", headers=headers)
    assert answer.status_code == 415


async def test_offenders_are_given_in_portions(desk: Desk) -> None:
    stamp = Stamp("o", 1, 1, 5, "h", ("steam-m-M01",))
    for rate in (80.0, 90.0, 95.0):
        notification = Notification({"license_no": "FES0001", "rate": rate})
        desk.office.offenders.take(notification, stamp)

    newest = (await desk.http.get("/v1/offenders?limit=1")).json()
    assert newest == {
        "offenders": [
            {
                "number": 3,
                "wall_us": 9,
                "time_us": 5,
                "id": "o/1/1",
                "monitor": "M01",
                "vehicle": "FES0001",
                "rate": 95.0,
                "path": ["steam-m-M01"],
            }
        ],
        "last": 3,
        "count": 3,
    }
    first = (await desk.http.get("/v1/offenders?after=0&limit=2")).json()
    assert [one["rate"] for one in first["offenders"]] == [80.0, 90.0]
    rest = (await desk.http.get(f"/v1/offenders?after={first['last']}")).json()
    assert [one["rate"] for one in rest["offenders"]] == [95.0]
    assert (await desk.http.get("/v1/offenders?after=3")).json()["last"] == 3


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("limit=0", "query.limit"),
        (f"limit={MOST_OFFENDERS + 1}", "query.limit"),
        ("after=-1", "query.after"),
        ("after=x", "query.after"),
    ],
)
async def test_a_bad_portion_is_refused_with_its_place(desk: Desk, query: str, place: str) -> None:
    answer = await desk.http.get(f"/v1/offenders?{query}")
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(place)


async def test_readiness_names_what_is_not_ready(desk: Desk) -> None:
    assert (await desk.http.get("/healthz")).status_code == 200
    answer = await desk.http.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["faults"] == {
        "M01": "limit 70 km/h is not applied yet",
        "M02": "limit 50 km/h is not applied yet",
    }
    for monitor in ("M01", "M02"):
        await desk.http.put(f"/v1/limits/{monitor}", json={"limit_kmh": 80})
    await asyncio.sleep(0.01)
    assert (await desk.http.get("/readyz")).json() == {"status": "ready", "faults": {}}

    desk.siena.fault, desk.log.fault = "away", "full"
    faults = (await desk.http.get("/readyz")).json()["faults"]
    assert faults == {"siena": "away", "offenders.jsonl": "full"}


async def test_metrics_are_given_as_text(desk: Desk) -> None:
    await desk.http.put("/v1/limits/M01", json={"limit_kmh": 80})
    await asyncio.sleep(0.01)
    text = (await desk.http.get("/metrics")).text
    for line in (
        "fes_traffic_control_offenders_total 0.0",
        'fes_traffic_control_commands_total{action="subscribe",outcome="applied"} 1.0',
        'fes_traffic_control_lines_lost_total{file="offenders.jsonl"} 0.0',
        'fes_traffic_control_siena_total{what="received"} 3.0',
        'fes_traffic_control_limit_kmh{monitor="M01"} 80.0',
        "fes_traffic_control_ready 0.0",
    ):
        assert line in text


async def test_the_interface_documents_itself(desk: Desk) -> None:
    document = (await desk.http.get("/openapi.json")).json()
    assert document["paths"].keys() == {
        "/v1/limits",
        "/v1/limits/{monitor}",
        "/v1/offenders",
        "/healthz",
        "/readyz",
        "/metrics",
    }
    schema = document["components"]["schemas"]["LimitIn"]["properties"]["limit_kmh"]
    assert (schema["minimum"], math.floor(schema["maximum"])) == (0, 10_000)
