"""A whole federation of event services in memory, hosted in one process."""

from pathlib import Path

import pytest
from fes.errors import StoreError
from fes.federation.load import loads
from fes.model import Event
from fes.testing.eventually import eventually
from fes_gateway.pack import Pack, PackSettings
from support.processes.packs import CHAIN, running

SPEEDING = "subject = 'Speed' AND rate > 30"


async def test_an_event_crosses_two_gateways_filtered_at_its_source(tmp_path: Path) -> None:
    async with running(tmp_path) as federation:
        city, car = federation.client("south", "city"), federation.client("north", "car")
        answer = await federation.post(
            "g2", type="subscription", source="south", dist_list="north", filter=SPEEDING
        )
        assert answer.status_code == 202
        await eventually(lambda: SPEEDING in federation.bus("north").subscribed)

        slow = car.publish(Event.of("Speed", rate=20.0))
        fast = car.publish(Event.of("Speed", rate=50.0, license_no="FES0001"))
        await eventually(city.events)

        stamps = [item.stamp for item in city.received if item.event.subject == "Speed"]
        assert [stamp.identity for stamp in stamps if stamp is not None] == [fast.identity]
        assert None not in stamps
        assert city.events() == [Event.of("Speed", rate=50.0, license_no="FES0001")]
        assert slow.sequence == 1


async def test_an_unsubscription_leaves_nothing_behind(tmp_path: Path) -> None:
    async with running(tmp_path) as federation:
        body = {"source": "south", "dist_list": "north", "filter": SPEEDING}
        await federation.post("g1", type="subscription", **body)
        await eventually(lambda: federation.bus("north").subscribed)

        await federation.post("g2", type="unsubscription", **body)

        await eventually(lambda: not federation.bus("north").subscribed)
        for gateway in ("g1", "g2"):
            listed = await federation.get(gateway, "/v1/subscriptions")
            assert listed.json() == []


async def test_an_announcement_is_made_and_withdrawn(tmp_path: Path) -> None:
    async with running(tmp_path) as federation:
        body = {
            "source": "south",
            "dist_list": "north",
            "event": {"subject": "Speed", "parameters": {"rate": 1.0}},
        }
        await federation.post("g2", type="announcement", **body)
        await eventually(lambda: "Speed" in federation.bus("north").announced)
        listed = (await federation.get("g1", "/v1/announcements")).json()
        assert listed[0]["event"]["subject"] == "Speed"

        await federation.post("g2", type="unannouncement", **body)

        await eventually(lambda: "Speed" not in federation.bus("north").announced)


async def test_a_request_tells_what_became_of_it(tmp_path: Path) -> None:
    async with running(tmp_path) as federation:
        answer = await federation.post(
            "g1", type="subscription", source="south", dist_list="north", filter="Speed"
        )
        identity = answer.json()["id"]

        async def applied() -> bool:
            found = await federation.get("g1", f"/v1/requests/{identity}")
            steps = [(step["decision"], step["service"]) for step in found.json()["steps"]]
            return ("applied", "north") in steps and ("forwarded", "middle") in steps

        await eventually(applied)


async def test_a_gateway_started_again_has_the_subscriptions_it_had(tmp_path: Path) -> None:
    async with running(tmp_path) as federation:
        await federation.post(
            "g2", type="subscription", source="south", dist_list="north", filter=SPEEDING
        )
        await eventually(lambda: federation.bus("north").subscribed)

    assert not federation.bus("north").subscribed, "a graceful stop withdraws natively"
    async with running(tmp_path) as again:
        await eventually(lambda: SPEEDING in again.bus("north").subscribed)
        listed = (await again.get("g2", "/v1/subscriptions")).json()
        assert [row["filter"] for row in listed] == [SPEEDING]


async def test_readiness_names_the_event_service_that_is_down(tmp_path: Path) -> None:
    async with running(tmp_path) as federation:
        assert (await federation.get("g1", "/readyz")).status_code == 200
        federation.bus("north").up = False

        async def faulty() -> bool:
            answer = await federation.get("g1", "/readyz")
            return answer.status_code == 503 and "g1.north" in answer.json()["faults"]

        await eventually(faulty)
        assert (await federation.get("g1", "/healthz")).status_code == 200


async def test_a_gateway_that_fails_at_a_tick_stops_no_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fes_gateway.pack.TICK_S", 0.01)
    ticks: list[int] = []

    def fail() -> None:
        ticks.append(1)
        raise ValueError("a bug")

    async with running(tmp_path) as federation:
        failing = federation.pack.hosts["g1"]
        monkeypatch.setattr(failing, "tick", fail)

        await eventually(lambda: len(ticks) > 2)
        assert "tick_failed" in {labels.decision for labels, _ in failing.counters.items()}
        answer = await federation.get("g1", "/readyz")
        assert (answer.status_code, answer.json()["faults"]) == (
            503,
            {"time": "its ticks fail: ValueError: a bug"},
        )
        assert (await federation.get("g2", "/readyz")).status_code == 200


async def test_a_gateway_is_not_ready_while_a_request_of_the_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = {"g1.north: subscription 'Speed'": "failed: the broker refused it"}
    monkeypatch.setattr("fes_gateway.host.refused_requests", lambda _: refused)
    async with running(tmp_path) as federation:
        answer = await federation.get("g1", "/readyz")
        assert (answer.status_code, answer.json()["faults"]) == (503, refused)


async def test_what_was_started_is_stopped_where_the_rest_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    federation = loads(CHAIN % {"tag": str(tmp_path)}, {})
    pack = Pack(federation, PackSettings("test", ("g1", "g2"), frozenset(), tmp_path), tmp_path)
    first, second = pack.hosts.values()

    async def fail() -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(second, "start", fail)
    with pytest.raises(StoreError, match="the disk is full"):
        async with pack:
            raise AssertionError("it started")
    assert not await first.committing.stop(1.0)
