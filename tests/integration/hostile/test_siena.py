"""Bad input on a SIENA service: counted, told in the event log, and the next event arrives."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from eventservices.servers import NatsServer
from eventservices.siena import Client, Connection
from eventservices.siena.subjects import Subjects
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
  siena: {{kind: siena, brokers: [nats], settings: {{index: FES_Subject}}}}
  city: {{kind: memory, settings: {{bus: "%(tag)s city"}}}}
gateways:
  g1: {{adapters: {{siena: {{}}, city: {{}}}}}}
limits: {{event_bytes: 1048576}}
"""
ADAPTER = "g1.siena"
SUBJECTS = Subjects("siena", "FES_Subject")
SPEED = SUBJECTS.publish_to({"FES_Subject": "Speed"})
STAMP = "o;1;1;5;siena;"


@dataclass
class Town:
    """A federation between a SIENA service and a city."""

    hosted: Hosted
    server: NatsServer
    native: Client
    city: MemoryClient
    numbers: Iterator[int]

    async def good_one_arrives(self) -> None:
        """Make sure that the next good event is delivered, and that the adapter is well."""
        number = next(self.numbers)
        await self.native.publish({"FES_Subject": "Speed", "rate": 40.0, "number": number})
        good = Event.of("Speed", rate=40.0, number=number)
        await eventually(lambda: self.city.events()[-1:] == [good])
        runtime = self.hosted.runtime(ADAPTER)
        assert runtime.ready, runtime.reason


@pytest.fixture(scope="module")
async def town(server: NatsServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Town]:
    folder = tmp_path_factory.mktemp("siena")
    async with (
        hosted(folder, FILE.format(url=server.url)) as found,
        Connection([server.url], "siena", index="FES_Subject") as connection,
    ):
        await found.subscribe("g1", "city", "siena", "rate > 0")
        city = found.client("city", "city")
        yield Town(found, server, connection.client("native"), city, count())


def packed(**changes: Any) -> bytes:
    return raw.packed({"FES_Subject": "Speed", "rate": 40.0, **changes})


GOOD = packed()
GARBAGE: dict[str, tuple[bytes, str | None, str]] = {
    "garbage": (b"\xc1\x00 no notification", STAMP, "not a notification"),
    "nothing": (b"", STAMP, "not a notification"),
    "a torn notification": (GOOD[:-3], STAMP, "not a notification"),
    "text": (b"event{ rate=40.0 }", STAMP, "not a notification"),
    "text that breaks off in a letter": (raw.BROKEN_OFF, None, "not a notification"),
    "a list": (raw.packed(["Speed", 40.0]), STAMP, "not a notification"),
    "a name that is no UTF-8": (raw.spoilt(packed(xxxx=1)), STAMP, "not a notification"),
    "a value that is no UTF-8": (raw.spoilt(packed(text="xxxx")), STAMP, "not a notification"),
    "an illegal name": (packed(**{"license-no": "x"}), STAMP, "is not an attribute name"),
    "an empty name": (packed(**{"": "x"}), STAMP, "it is empty"),
    "an endless name": (packed(**{"n" * 300: 1}), STAMP, "more than 255 characters"),
    "too many": (packed(**{f"n{n}": n for n in range(1000)}), STAMP, "more than 1000"),
    "a name twice": (b"\x82\xa1a\x01\xa1a\x02", STAMP, "a name twice"),
    "65 bits": (packed(serial=2**63), STAMP, "out of 64 bit"),
    "nothing as a value": (packed(text=None), STAMP, "is not a type of SIENA"),
    "a value with members": (packed(text={"a": 1}), STAMP, "is not a type of SIENA"),
    "a bottomless value": (GOOD[:-9] + b"\x91" * 100_000, STAMP, "not a notification"),
    "a stamp of five fields": (GOOD, "o;1;1;5;siena", "5 fields"),
    "a stamp out of range": (GOOD, "o;-1;1;5;siena;", "out of range"),
    "a stamp with an endless name": (GOOD, f"o;1;1;5;{'h' * 600};", "more than 512"),
}


def counts(town: Town, name: str) -> int:
    return town.hosted.counted(ADAPTER)[name]


@pytest.mark.parametrize("case", sorted(GARBAGE))
async def test_what_is_no_notification_is_set_aside(case: str, town: Town) -> None:
    payload, stamp, reason = GARBAGE[case]
    before = town.hosted.counted(ADAPTER)
    town.hosted.forget()

    await raw.publish(town.server, SPEED, payload, stamp)

    await eventually(lambda: counts(town, "malformed") == before["malformed"] + 1)
    assert counts(town, "native_malformed") == before["native_malformed"] + 1
    assert (await town.hosted.told(reason, "refused"))["name"] == ADAPTER
    await town.good_one_arrives()


async def test_a_control_message_that_is_none_is_set_aside(town: Town) -> None:
    before = counts(town, "malformed")
    for payload in (
        b"\xc1",
        b"\x92\xa3bye\xf4\x02",
        raw.packed(["bye", ["x" * 9999, "", None, 0]]),
    ):
        await raw.publish(town.server, SUBJECTS.control, payload)
    await eventually(lambda: counts(town, "malformed") == before + 3)
    await town.good_one_arrives()


REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "no subject": ({"rate": 1.0}, "malformed", "no subject: attribute 'FES_Subject' is None"),
    "a number as a subject": ({"FES_Subject": 5, "rate": 1.0}, "malformed", "'FES_Subject' is 5"),
    "a reserved name": (
        {"FES_Subject": "Speed", "rate": 1.0, "FES_Mine": 1},
        "malformed",
        "'FES_Mine' is reserved",
    ),
    "a type that is none": (
        {"FES_Subject": "Speed", "rate": 1.0, "FES_Types": "rate:short"},
        "malformed",
        "'rate:short' is not name:longlong",
    ),
    "a type that is not the value's": (
        {"FES_Subject": "Speed", "rate": 1.0, "FES_Types": "rate:event"},
        "malformed",
        "'rate' is not of type event",
    ),
    "an event that is none": (
        {"FES_Subject": "Speed", "rate": 1.0, "in": '{"subject": NaN}', "FES_Types": "in:event"},
        "malformed",
        "bare NaN",
    ),
    "a reserved subject": ({"FES_Subject": "FES_Other", "rate": 1.0}, "refused", "'FES_Other' is"),
    "an endless subject": ({"FES_Subject": "s" * 600, "rate": 1.0}, "refused", "600 characters"),
    "a timeout that is none": (
        {"FES_Subject": "Speed", "rate": 1.0, "FES_A.Timeout": -5},
        "refused",
        "'Timeout': -5",
    ),
}


@pytest.mark.parametrize("case", sorted(REFUSED))
async def test_what_may_not_enter_is_refused(case: str, town: Town) -> None:
    attributes, counter, reason = REFUSED[case]
    before = counts(town, counter)
    town.hosted.forget()

    await town.native.publish(attributes)

    await eventually(lambda: counts(town, counter) == before + 1)
    assert (await town.hosted.told(reason, "refused"))["name"] == ADAPTER
    await town.good_one_arrives()


@pytest.mark.parametrize("case", sorted(CASES))
async def test_a_malformed_control_event_is_refused_and_changes_nothing(
    case: str, town: Town
) -> None:
    parameters, attributes = CASES[case].request("siena")
    context = {f"FES_A.{name}": value for name, value in attributes.items()}
    rows = len(town.hosted.pack.hosts["g1"].core.table)
    before = await refused(town)
    town.hosted.forget()

    await town.native.publish({"FES_Subject": "FES_ControlEvent", **parameters, **context})

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
    links = counts(town, "native_link_rebuilds"), counts(town, "native_link_reconnects")

    assert b"Maximum Payload" in await raw.publish_oversize(town.server, SPEED, 2**20 + 1)

    await town.good_one_arrives()
    now = counts(town, "native_link_rebuilds"), counts(town, "native_link_reconnects")
    assert now == links


async def test_what_the_service_would_not_take_is_set_aside_before_it_is_sent(town: Town) -> None:
    await town.hosted.subscribe("g1", "siena", "city", "EXISTS load")
    before = town.hosted.counted(ADAPTER)

    town.city.publish(Event.of("Load", load=b"small"))
    town.city.publish(Event.of("Load", load=bytes(2**20 - 25)))
    town.city.publish(Event.of("Load", {"load": b"x", "n" * 300: 1}))
    town.city.publish(Event.of("Load", load=b"small again"))

    await eventually(lambda: counts(town, "published") == before["published"] + 2)
    assert counts(town, "publish_failed") == before["publish_failed"] + 2
    assert (await town.hosted.told("exceeds the limit of 1048576", "dropped"))["name"] == ADAPTER
    told = await town.hosted.told("has 300 characters, more than 255", "dropped")
    assert told["name"] == ADAPTER
    await town.good_one_arrives()
