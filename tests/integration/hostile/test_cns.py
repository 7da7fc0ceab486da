"""Bad input on a channel of CNS: counted, told in the event log, and the next event arrives."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from eventservices.cns import (
    ClientType,
    Connection,
    StructuredProxyPushConsumer,
    structured_event,
)
from eventservices.cns.codec import encode_structured
from eventservices.servers import NatsServer
from fes.model import Event
from fes.testing.eventually import eventually
from fes.testing.memory import MemoryClient
from integration.hostile import raw
from integration.hostile.controls import CASES
from integration.hostile.hosted import Hosted, hosted

FILE = """
version: 1
system: test
brokers: {{nats: {{kind: nats, url: "{url}"}}}}
event_services:
  cns: {{kind: cns, brokers: [nats], settings: {{channel: hostile}}}}
  city: {{kind: memory, settings: {{bus: "%(tag)s city"}}}}
gateways:
  g1: {{adapters: {{cns: {{}}, city: {{}}}}}}
limits: {{event_bytes: 1048576}}
"""
ADAPTER, EVENTS = "g1.cns", "cns.event.hostile"
STAMP = "o;1;1;5;cns;"


@dataclass
class Town:
    """A federation between a channel and a city."""

    hosted: Hosted
    server: NatsServer
    native: StructuredProxyPushConsumer
    city: MemoryClient
    numbers: Iterator[int]

    async def push(
        self, kind: str, data: dict[str, Any], header: dict[str, Any] | None = None
    ) -> None:
        """Publish natively."""
        event = structured_event(("", kind), kind, variable_header=header, filterable_data=data)
        await self.native.push_structured_event(event)

    async def good_one_arrives(self) -> None:
        """Make sure that the next good event is delivered, and that the adapter is well."""
        number = next(self.numbers)
        await self.push("Speed", {"rate": 40.0, "number": number})
        await eventually(
            lambda: self.city.events()[-1:] == [Event.of("Speed", rate=40.0, number=number)]
        )
        runtime = self.hosted.runtime(ADAPTER)
        assert runtime.ready, runtime.reason


@pytest.fixture(scope="module")
async def town(server: NatsServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Town]:
    folder = tmp_path_factory.mktemp("cns")
    async with (
        hosted(folder, FILE.format(url=server.url)) as found,
        Connection(server.url, name="native") as connection,
    ):
        channel = await connection.open_channel("hostile")
        native = channel.default_supplier_admin.obtain_notification_push_consumer(
            ClientType.STRUCTURED_EVENT
        )
        await native.connect_structured_push_supplier(origin="native")
        await found.subscribe("g1", "city", "cns", "rate > 0")
        yield Town(found, server, native, found.client("city", "city"), count())


GOOD = encode_structured(structured_event(("", "Speed"), "", filterable_data={"rate": 40.0}))
NAMED = encode_structured(structured_event(("", "Speed"), "xxxx", filterable_data={"rate": 1.0}))
VALUED = encode_structured(
    structured_event(("", "Speed"), "", filterable_data={"rate": 1.0, "text": "xxxx"})
)
MEMBER = encode_structured(
    structured_event(("", "Speed"), "", filterable_data={"rate": 1.0, "xxxx": 5})
)
GARBAGE: dict[str, tuple[bytes, str | None, str]] = {
    "garbage": (b"\xc1\x00 no event", STAMP, "no event"),
    "nothing": (b"", STAMP, "no event"),
    "a torn event": (GOOD[:-3], STAMP, "no event"),
    "text": (b'{"rate": 40.0}', STAMP, "no event"),
    "text that breaks off in a letter": (raw.BROKEN_OFF, None, "no event"),
    "an unknown form": (raw.packed([9, {}]), STAMP, "no event"),
    "a name that is no UTF-8": (raw.spoilt(NAMED), STAMP, "no event"),
    "a value that is no UTF-8": (raw.spoilt(VALUED), STAMP, "no event"),
    "a parameter's name that is no UTF-8": (raw.spoilt(MEMBER), STAMP, "no event"),
    "65 bits": (GOOD.replace(b"\xcb@D\0\0\0\0\0\0", b"\xcf" + b"\xff" * 8), STAMP, "64 bits"),
    "a deep value": (raw.packed([1, None])[:-1] + b"\x91" * 40 + b"\x01", STAMP, "deeper"),
    "a bottomless value": (raw.packed([1, None])[:-1] + b"\x91" * 100_000, STAMP, "no event"),
    "a stamp of five fields": (GOOD, "o;1;1;5;cns", "5 fields"),
    "a stamp without numbers": (GOOD, "o;x;1;5;cns;", "not well formed"),
    "a stamp of nobody": (GOOD, ";1;1;5;cns;", "names no origin"),
    "a stamp out of range": (GOOD, f"o;1;{2**63};5;cns;", "out of range"),
    "a stamp with an endless name": (GOOD, f"{'o' * 600};1;1;5;cns;", "more than 512"),
    "a stamp that is no UTF-8": (GOOD, "%F4%02;1;1;5;cns;", "not well formed"),
}


@pytest.mark.parametrize("case", sorted(GARBAGE))
async def test_what_is_no_event_is_set_aside(case: str, town: Town) -> None:
    payload, stamp, reason = GARBAGE[case]
    before = town.hosted.counted(ADAPTER)
    town.hosted.forget()

    await raw.publish(town.server, EVENTS, payload, stamp)

    await eventually(lambda: counts(town, "malformed") == before["malformed"] + 1)
    assert counts(town, "native_malformed") == before["native_malformed"] + 1
    assert (await town.hosted.told(reason, "refused"))["name"] == ADAPTER
    await town.good_one_arrives()


async def test_a_notice_that_is_none_is_set_aside(town: Town) -> None:
    before = counts(town, "malformed")
    await raw.publish(town.server, "cns.change.hostile", b"\x93\x01\xf4\x02")
    await eventually(lambda: counts(town, "malformed") == before + 1)
    await town.good_one_arrives()


def counts(town: Town, name: str) -> int:
    return town.hosted.counted(ADAPTER)[name]


REFUSED: dict[str, tuple[str, dict[str, Any], dict[str, Any], str]] = {
    "a reserved subject": ("FES_Other", {"rate": 1.0}, {}, "'FES_Other' is reserved"),
    "an endless subject": ("s" * 600, {"rate": 1.0}, {}, "600 characters, more than 512"),
    "an endless name": ("Speed", {"rate": 1.0, "n" * 600: 1}, {}, "identifier 'nnn"),
    "too many fields": ("Speed", {"rate": 1.0} | {f"p{n}": n for n in range(1000)}, {}, "1001 f"),
    "a timeout that is none": ("Speed", {"rate": 1.0}, {"Timeout": "soon"}, "'Timeout': 'soon'"),
    "a stop that is none": ("Speed", {"rate": 1.0}, {"StopTime": "soon"}, "'StopTime': 'soon'"),
}


@pytest.mark.parametrize("case", sorted(REFUSED))
async def test_what_may_not_enter_is_refused(case: str, town: Town) -> None:
    kind, data, header, reason = REFUSED[case]
    before = counts(town, "refused")
    town.hosted.forget()

    await town.push(kind, data, header)

    await eventually(lambda: counts(town, "refused") == before + 1)
    told = await town.hosted.told(reason, "refused")
    assert told["name"] == ADAPTER
    assert len(told["subject"]) <= 200
    await town.good_one_arrives()


@pytest.mark.parametrize("case", sorted(CASES))
async def test_a_malformed_control_event_is_refused_and_changes_nothing(
    case: str, town: Town
) -> None:
    parameters, attributes = CASES[case].request("cns")
    rows = len(town.hosted.pack.hosts["g1"].core.table)
    before = await refused(town)
    town.hosted.forget()

    await town.push("FES_ControlEvent", parameters, attributes)

    await town.hosted.told(CASES[case].reason, "refused")
    await eventually(lambda: refused_once(town, before))
    assert len(town.hosted.pack.hosts["g1"].core.table) == rows
    await town.good_one_arrives()


async def refused_once(town: Town, before: float) -> bool:
    return await refused(town) == before + 1


async def refused(town: Town) -> float:
    own = counts(town, "malformed") + counts(town, "refused")
    return own + await town.hosted.decisions("g1", "refused")


async def test_a_broker_refuses_what_is_too_large_and_the_adapter_stays(town: Town) -> None:
    rebuilt = counts(town, "native_link_rebuilds"), counts(town, "native_link_reconnects")

    said = await raw.publish_oversize(town.server, EVENTS, 2**20 + 1)

    assert b"Maximum Payload" in said
    await town.good_one_arrives()
    assert rebuilt == (
        counts(town, "native_link_rebuilds"),
        counts(town, "native_link_reconnects"),
    )


async def test_an_event_that_the_broker_would_not_take_is_set_aside_before_it_is_sent(
    town: Town,
) -> None:
    await town.hosted.subscribe("g1", "cns", "city", "EXISTS load")
    before = town.hosted.counted(ADAPTER)

    town.city.publish(Event.of("Load", load=b"small"))
    town.city.publish(Event.of("Load", load=bytes(2**20 - 25)))
    town.city.publish(Event.of("Load", load=bytes(2**20 + 1)))
    town.city.publish(Event.of("Load", load=b"small again"))

    await eventually(lambda: counts(town, "published") == before["published"] + 2)
    assert counts(town, "publish_failed") == before["publish_failed"] + 1
    assert (await town.hosted.told("exceeds the limit of 1048576", "dropped"))["name"] == ADAPTER
    assert (await town.hosted.told("exceeds the limit of 1048576", "refused"))["name"] == "g1.city"
    await town.good_one_arrives()


async def test_an_event_above_the_federations_limit_is_refused(
    server: NatsServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = FILE.format(url=server.url).replace("1048576", "1024").replace("hostile", "small")
    async with (
        hosted(tmp_path_factory.mktemp("small"), text) as found,
        Connection(server.url, name="native") as connection,
    ):
        await found.subscribe("g1", "city", "cns", "rate > 0")
        channel = await connection.open_channel("small")
        native = channel.default_supplier_admin.obtain_notification_push_consumer(
            ClientType.STRUCTURED_EVENT
        )
        await native.connect_structured_push_supplier(origin="native")
        city = found.client("city", "city")
        for size in (2000, 10):
            data: dict[str, Any] = {"rate": 1.0, "load": bytes(size)}
            await native.push_structured_event(structured_event(("", "Load"), filterable_data=data))
        await eventually(city.events)
        assert [len(event.parameter("load")) for event in city.events()] == [10]
        assert found.counted(ADAPTER)["refused"] == 1
        await found.told("exceeds the limit of 1024 bytes", "refused")
