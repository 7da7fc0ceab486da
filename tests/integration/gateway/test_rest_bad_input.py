"""Malformed requests get an error that names the place, a counter, and affect nothing else."""

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fes.model import Event
from fes.testing.eventually import eventually
from fes_gateway.http.schemas import NAME
from support.processes.packs import Running, running

GOOD = {"type": "subscription", "source": "south", "dist_list": "north", "filter": "Speed"}
JSON = {"content-type": "application/json"}
EVENT = {"subject": "Speed", "parameters": {"rate": 1.0}}
LATE = {"subject": "Speed", "attributes": {"Timeout": -1}}


@pytest.fixture
async def federation(tmp_path: Path) -> AsyncIterator[Running]:
    async with running(tmp_path) as found:
        yield found


def body(**changes: object) -> bytes:
    given = {**GOOD, **changes}
    return json.dumps({key: value for key, value in given.items() if value is not ...}).encode()


BAD = {
    "unknown request type": (body(type="request"), "type"),
    "a number for a type": (body(type=2), "type"),
    "missing type": (body(type=...), "type"),
    "missing source": (body(source=...), "source"),
    "missing distribution list": (body(dist_list=...), "dist_list"),
    "empty distribution list": (body(dist_list=""), "dist_list"),
    "distribution list that names nobody": (body(dist_list=" "), "DistList"),
    "destination that does not exist": (body(dist_list="nort"), "no event service 'nort'"),
    "wildcard that nothing matches": (body(dist_list="x*"), "no event service 'x*'"),
    "destination that is the source": (body(dist_list="south"), "no event service but the source"),
    "distribution list with a hole": (body(dist_list="a,,b"), "DistList"),
    "missing filter": (body(filter=...), "filter"),
    "bad filter": (body(filter="rate >"), "Filter"),
    "filter with a caret": (body(filter="speed >> 30"), "column"),
    "over-long filter": (body(filter="x" * 20_000), "filter"),
    "over-long name": (body(source="s" * 200), "source"),
    "unknown source": (body(source="west"), "Source"),
    "unknown key": (body(colour="red"), "colour"),
    "an event where none belongs": (body(event=EVENT), "event"),
    "a filter where none belongs": (body(type="publication", event=EVENT), "filter"),
    "a publication without an event": (body(type="publication", filter=...), "event"),
    "a reserved subject": (
        body(type="publication", filter=..., event={"subject": "FES_Anything"}),
        "reserved",
    ),
    "a control event inside a publication": (
        body(type="announcement", filter=..., event={"subject": "FES_ControlEvent"}),
        "reserved",
    ),
    "an integer of 65 bits": (
        body(type="publication", filter=..., event={"subject": "a", "parameters": {"x": 2**64}}),
        "parameters.x",
    ),
    "a negative timeout": (body(type="publication", filter=..., event=LATE), "Timeout"),
    **{
        f"a {name} of {value!r}": (
            body(
                type="publication",
                filter=...,
                event={"subject": "Speed", "attributes": {name: value}},
            ),
            name,
        )
        for name, value in (
            ("StopTime", "2017-13-45T99:99:99Z"),
            ("StartTime", "2026-01-01T00:00:00+25:00"),
            ("StopTime", 20240101),
            ("Priority", "high"),
            ("Reliability", 2),
            ("Proximity", "0,0,x"),
        )
    },
    "a lease of no time": (body(lease_s=0), "lease_s"),
    "bare NaN": (b'{"type": "subscription", "lease_s": NaN}', "NaN"),
    "number out of range": (b'{"lease_s": 1e400}', "out of range"),
    "duplicate key": (b'{"type": "subscription", "type": "publication"}', "twice"),
    "invalid UTF-8": (b'{"type": "\xf4\x02"}', "JSON"),
    "a byte order mark": (b"\xef\xbb\xbf" + body(), "JSON"),
    "not an object": (b"[1]", "body"),
    "nothing": (b"", "JSON"),
    "deep nesting": (b'{"event":' + b'{"a":' * 5000 + b"1" + b"}" * 5001, "nested"),
}


@pytest.mark.parametrize("case", sorted(BAD))
async def test_what_is_no_request_is_refused_with_its_place(case: str, federation: Running) -> None:
    content, place = BAD[case]

    answer = await federation.http.post(
        f"{federation.url}/gateways/g1/v1/requests", content=content, headers=JSON
    )

    assert answer.status_code == 422, answer.text
    assert place in answer.json()["detail"]
    assert (await federation.post("g1", **GOOD)).status_code == 202
    assert await refused(federation) == 1


async def refused(federation: Running) -> float:
    metrics = (await federation.get("g1", "/metrics")).text
    lines = [line for line in metrics.splitlines() if 'decision="refused"' in line]
    return sum(float(line.split()[-1]) for line in lines)


async def test_a_body_that_is_too_large_is_refused_before_it_is_read(federation: Running) -> None:
    url = f"{federation.url}/gateways/g1/v1/requests"
    declared = await federation.http.post(url, content=b"x" * (10 * 2**20))
    assert declared.status_code == 413

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(200):
            yield b"y" * 65_536

    streamed = await federation.http.post(url, content=chunks())
    assert streamed.status_code == 413
    assert await refused(federation) == 2
    assert (await federation.post("g1", **GOOD)).status_code == 202


async def test_an_encoded_body_is_refused(federation: Running) -> None:
    answer = await federation.http.post(
        f"{federation.url}/gateways/g1/v1/requests",
        content=b"\x1f\x8b",
        headers={"Content-Encoding": "gzip"},
    )
    assert answer.status_code == 415
    assert await refused(federation) == 1


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/gateways/g9/v1/subscriptions", 404),
        ("/v1/subscriptions", 404),
        ("/gateways/g1/v1/requests/no/such/id", 404),
        ("/gateways/g1/nowhere", 404),
        ("/gateways", 200),
        ("/healthz", 200),
        ("/readyz", 200),
        ("/metrics", 200),
        ("/gateways/g1/docs", 200),
        ("/gateways/g1/openapi.json", 200),
    ],
)
async def test_every_path_answers(path: str, status: int, federation: Running) -> None:
    assert (await federation.http.get(federation.url + path)).status_code == status


async def test_a_path_longer_than_any_is_refused_as_every_route_documents(
    federation: Running,
) -> None:
    routes = (await federation.get("g1", "/openapi.json")).json()["paths"]
    with contextlib.suppress(httpx.ReadError):  # the server may close before it has read all
        long = await federation.get("g1", f"/v1/scopes/{'x' * 65_400}")
        assert long.status_code == 400
    text = "\U0001f600" * 4000
    query = {"from": text[:NAME], "to": text[:NAME], "event": text}
    room = await federation.http.get(
        f"{federation.url}/gateways/g1/v1/scopes/explain", params=query
    )

    assert all("400" in told["responses"] for route in routes.values() for told in route.values())
    assert room.status_code == 404, "the longest that is legal has room"


async def test_bad_requests_do_not_disturb_events(federation: Running) -> None:
    await federation.post("g2", **GOOD)
    await eventually(lambda: federation.bus("north").subscribed)
    city, car = federation.client("south", "city"), federation.client("north", "car")

    for content, _ in BAD.values():
        await federation.http.post(
            f"{federation.url}/gateways/g1/v1/requests", content=content, headers=JSON
        )
        car.publish(Event.of("Speed", rate=1.0))

    await eventually(lambda: len(city.events()) == len(BAD))


async def test_a_malformed_control_event_on_an_event_service_harms_nothing(
    federation: Running,
) -> None:
    stranger = federation.client("middle", "stranger")
    for event in (
        Event.of("FES_ControlEvent", x=1),
        Event.of("FES_ControlEvent", Type=99, DistList="north", Source="middle"),
        Event.of("FES_ControlEvent", Type=2, DistList="north", Source="middle", Filter="a >"),
        Event.of("FES_ControlEvent", {"Type": 2, "DistList": "north", "Source": "north"}),
        Event.of("FES_ControlEvent", Type=3, DistList="north", Source="middle"),
    ):
        stranger.publish(event)

    async def all_refused() -> bool:
        return await refused(federation) == 5

    await eventually(all_refused)
    assert not federation.bus("north").subscribed


@pytest.mark.parametrize("blank", ["", " ", "\n\t "])
async def test_a_blank_filter_accepts_everything(federation: Running, blank: str) -> None:
    assert (await federation.post("g2", **{**GOOD, "filter": blank})).status_code == 202
    await eventually(lambda: federation.bus("north").subscribed)
    city, car = federation.client("south", "city"), federation.client("north", "car")
    car.publish(Event.of("Speed", rate=1.0))
    car.publish(Event.of("Fog"))
    await eventually(lambda: {event.subject for event in city.events()} == {"Speed", "Fog"})
    assert (
        await federation.post("g2", **{**GOOD, "type": "unsubscription", "filter": blank})
    ).status_code == 202
    await eventually(lambda: not federation.bus("north").subscribed)
