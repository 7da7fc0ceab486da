"""The city's place on SIENA."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from eventservices.siena import Connection, Notification
from eventservices.stamp import Stamp
from fes.errors import UnavailableError
from fes.testing.eventually import eventually
from integration.adapter_siena.bench import Cluster
from traffic_control import siena
from traffic_control.city import City
from traffic_control.errors import InputError
from traffic_control.siena import STALE_S, Siena

pytestmark = pytest.mark.broker


def city_at(service: str, *brokers: str, **settings: Any) -> City:
    return City("traffic", service, brokers, settings, (), 0)


def deaf(_notification: Notification, _stamp: Stamp | None) -> None:
    """Hear nothing."""


async def test_a_round_trip_proves_the_service_for_a_while(cluster: Cluster) -> None:
    now_s = 100.0
    async with Siena(city_at("place-1", *cluster.urls), deaf, lambda: now_s) as place:
        assert place.fault == "not connected yet"
        with pytest.raises(UnavailableError, match="not connected yet"):
            await place.subscribe("x", "y")
        await place.connect()
        assert place.fault == ""
        now_s += STALE_S + 1
        assert place.fault.startswith("no round trip for 11 s")
        await place.prove()
        assert place.fault == ""
        assert place.counters["unproved"] == 0


async def test_speed_events_are_heard_at_another_server(cluster: Cluster) -> None:
    heard: list[Notification] = []
    place = Siena(
        city_at("place-2", cluster.a.url, index="FES_Subject"), lambda event, _: heard.append(event)
    )
    async with (
        place,
        Connection([cluster.b.url], "place-2", index="FES_Subject") as connection,
    ):
        await place.connect()
        client = connection.client("native")
        await client.publish({"FES_Subject": "Other", "rate": 1.0})
        await client.publish({"FES_Subject": "Speed", "rate": 2.0})
        await eventually(lambda: heard)
    assert [event["rate"] for event in heard] == [2.0]


async def test_settings_that_do_not_fit_the_service_end_it(cluster: Cluster) -> None:
    async with (
        Connection(cluster.urls, "place-3", index="FES_Subject"),
        Siena(city_at("place-3", *cluster.urls), deaf) as place,
    ):
        with pytest.raises(InputError, match="index is None here"):
            await place.connect()


async def test_a_service_that_is_away_is_tried_until_it_comes(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(siena, "OPEN_S", 0.3)
    cluster.a.stop()
    try:
        async with Siena(city_at("place-4", cluster.a.url), deaf) as place:
            connecting = asyncio.create_task(place.connect())
            await eventually(lambda: "no answer from" in place.fault)
            cluster.a.start()
            await connecting
            assert place.fault == ""
    finally:
        cluster.a.start()
