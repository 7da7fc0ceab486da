"""Values cross CNS, STEAM and SIENA as they are: every bit, every type."""

import math
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from eventservices.cns import (
    ClientType,
    Connection,
    LongLong,
    StructuredProxyPushConsumer,
    structured_event,
)
from eventservices.servers import NatsServer
from eventservices.siena import Connection as SienaConnection
from eventservices.siena import Notification, where
from eventservices.stamp import Stamp
from fes.testing.eventually import eventually
from integration.hostile.hosted import Hosted, hosted

FILE = """
version: 1
system: test
media: {{air: {{}}}}
brokers:
  nats: {{kind: nats, url: "{nats}"}}
  air: {{kind: mqtt, url: "{mqtt}"}}
event_services:
  cns: {{kind: cns, brokers: [nats], settings: {{channel: cns-w}}}}
  steam-v:
    kind: steam
    brokers: [air]
    medium: air
    settings: {{air: values, location: {{lat: 50.0, lon: 11.0}}}}
  steam-m:
    kind: steam
    brokers: [air]
    medium: air
    settings: {{air: values, location: {{lat: 50.0, lon: 11.0}}}}
  siena-w: {{kind: siena, brokers: [nats], settings: {{index: FES_Subject}}}}
gateways:
  g1: {{adapters: {{cns: {{}}, steam-v: {{control: {{accept: [], relay: false}}}}}}}}
  g2: {{adapters: {{steam-m: {{control: {{accept: [], relay: false}}}}, siena-w: {{}}}}}}
"""


@dataclass
class Way:
    """A native client of CNS at one end, one of SIENA at the other."""

    hosted: Hosted
    native: StructuredProxyPushConsumer
    arrived: list[tuple[Notification, Stamp | None]]

    async def cross(self, **values: Any) -> dict[str, Any]:
        """Publish values on CNS, and return what a client of SIENA gets."""
        before = len(self.arrived)
        event = structured_event(("", "Reading"), "Reading", filterable_data=values)
        await self.native.push_structured_event(event)
        await eventually(lambda: len(self.arrived) > before)
        return dict(self.arrived[-1][0])


@pytest.fixture(scope="module")
async def way(server: NatsServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Way]:
    text = FILE.format(nats=server.url, mqtt=server.mqtt_url)
    arrived: list[tuple[Notification, Stamp | None]] = []
    async with (
        hosted(tmp_path_factory.mktemp("values"), text) as found,
        Connection(server.url, name="native") as connection,
        SienaConnection([server.url], "siena-w", index="FES_Subject") as siena,
    ):
        channel = await connection.open_channel("cns-w")
        native = channel.default_supplier_admin.obtain_notification_push_consumer(
            ClientType.STRUCTURED_EVENT
        )
        await native.connect_structured_push_supplier(origin="native")
        await siena.client("native").subscribe(
            where(("FES_Subject", "=", "Reading")), lambda *event: arrived.append(event)
        )
        for gateway, source, destination in (
            ("g1", "steam-v", "cns"),
            ("g2", "siena-w", "steam-m"),
        ):
            await found.subscribe(gateway, source, destination, "subject = 'Reading'")
        yield Way(found, native, arrived)


async def test_integers_keep_their_last_digits(way: Way) -> None:
    values = {"userId": 1688888483063664642, "low": -(2**63), "high": 2**63 - 1, "odd": 2**53 + 1}
    got = await way.cross(**values)
    assert {name: got[name] for name in values} == values
    assert all(type(got[name]) is int for name in values)


async def test_a_whole_double_stays_a_double_and_an_integer_an_integer(way: Way) -> None:
    got = await way.cross(double=1.0, zero=-0.0, integer=1, truth=True, wide=LongLong(5))
    assert [type(got[name]) for name in ("double", "integer", "truth")] == [float, int, bool]
    assert math.copysign(1.0, got["zero"]) == -1.0
    assert (got["wide"], got["FES_Types"]) == (5, "wide:longlong")


async def test_bytes_above_7f_come_out_as_they_went_in(way: Way) -> None:
    payload = bytes.fromhex("84f4bd1e595b1121")
    got = await way.cross(payload=payload, every=bytes(range(256)), none=b"")
    assert (got["payload"], got["every"], got["none"]) == (payload, bytes(range(256)), b"")


async def test_what_is_no_number_crosses_as_it_is(way: Way) -> None:
    got = await way.cross(nan=math.nan, up=math.inf, down=-math.inf, least=5e-324)
    assert math.isnan(got["nan"])
    assert (got["up"], got["down"], got["least"]) == (math.inf, -math.inf, 5e-324)


async def test_text_crosses_whatever_the_script(way: Way) -> None:
    texts = {"t1": "Größe 5 µm", "t2": "\x00\x1f\u2028", "t3": "𝛑 🚗", "t4": ""}
    got = await way.cross(**texts)
    assert {name: got[name] for name in texts} == texts


async def test_names_cross_and_come_back(way: Way) -> None:
    names = {"license-no": 1, "größe": 2, "a b": 3, "FES_Mine": 4}
    got = await way.cross(**names)
    assert got["license_.2D.no"] == 1
    assert sorted(value for value in got.values() if type(value) is int) == [1, 2, 3, 4]
