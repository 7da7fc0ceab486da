"""Bad input on an air of STEAM: counted, told in the event log, and the next event arrives."""

import json
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import msgspec
import pytest
from eventservices.servers import NatsServer
from eventservices.stamp import Stamp
from eventservices.steam import Air, AirSettings, FixedLocation, Node, NodeSettings, around
from eventservices.steam import Event as SteamEvent
from eventservices.steam.cells import Grid
from eventservices.steam.codec import encode
from eventservices.steam.event import Notification
from eventservices.steam.geometry import Position
from eventservices.steam.topics import Topics, encode_level
from fes.model import Event
from fes.testing.eventually import eventually
from fes.testing.memory import MemoryClient
from integration.hostile import raw
from integration.hostile.controls import CASES, Case
from integration.hostile.hosted import Hosted, hosted

FILE = """
version: 1
system: test
media: {{air: {{}}}}
brokers: {{air: {{kind: mqtt, url: "{url}"}}}}
event_services:
  steam:
    kind: steam
    brokers: [air]
    medium: air
    settings: {{air: hostile, range_m: 300, location: {{lat: 50.0, lon: 11.0}}}}
  city: {{kind: memory, settings: {{bus: "%(tag)s city"}}}}
gateways:
  g1: {{adapters: {{steam: {{control: {{accept: [{all_types}], relay: true}}}}, city: {{}}}}}}
limits: {{event_bytes: 1048576}}
"""
ALL_TYPES = "announcement, unannouncement, subscription, unsubscription, publication"
ADAPTER = "g1.steam"
HERE = Position(50.0, 11.0)
CELL = Grid(300.0).cell(HERE)
TOPIC = Topics("hostile").of("event", CELL, encode_level("Speed")).encode()
CONTROL_TOPIC = Topics("hostile").of("event", CELL, encode_level("FES_ControlEvent")).encode()
PIECES = [f"Text{number:02}" for number in range(1, 17)]


@dataclass
class Town:
    """A federation between an air and a city."""

    hosted: Hosted
    mqtt: raw.RawMqtt
    native: Node
    city: MemoryClient
    numbers: Iterator[int]

    async def good_one_arrives(self) -> None:
        """Make sure that the next good event is delivered, and that the adapter is well."""
        number = next(self.numbers)
        self.native.publish(SteamEvent("Speed", {"rate": 40.0, "number": number}))
        await eventually(lambda: self.last() == number)
        runtime = self.hosted.runtime(ADAPTER)
        assert runtime.ready, runtime.reason

    def last(self) -> Any:
        """Return the number of the last event that the city got."""
        events = self.city.events()
        return events[-1].parameter("number") if events else None


@pytest.fixture(scope="module")
async def town(server: NatsServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Town]:
    folder = tmp_path_factory.mktemp("steam")
    async with (
        hosted(folder, FILE.format(url=server.mqtt_url, all_types=ALL_TYPES)) as found,
        Air(AirSettings(server.mqtt_url, "hostile")) as air,
    ):
        node = air.node(NodeSettings("native", 300.0), FixedLocation(HERE.lat, HERE.lon))
        for subject in ("Speed", "FES_ControlEvent"):
            node.announce(subject, around(300.0))
        await found.subscribe("g1", "city", "steam", "subject = 'Speed' AND rate > 0")
        mqtt = raw.RawMqtt(server, "stranger")
        yield Town(found, mqtt, node, found.client("city", "city"), count())


def said(**changes: Any) -> bytes:
    """Return the payload of a good event, with changes."""
    stamp = Stamp("o", 1, 1, time.time_ns() // 1000, "steam")
    good = Notification(stamp, "o", HERE, 300.0, around(300.0), "Speed", {"rate": 40.0}, {})
    return encode(msgspec.structs.replace(good, **changes))


def stamped(**changes: Any) -> bytes:
    return said(stamp=msgspec.structs.replace(Stamp("o", 1, 1, 5, "steam"), **changes))


MALFORMED = "payload is not well formed"
GARBAGE: dict[str, tuple[bytes, str]] = {
    "garbage": (b"\xc1\x00 no event", MALFORMED),
    "nothing": (b"", MALFORMED),
    "a torn event": (said()[:-3], MALFORMED),
    "text": (b'{"rate": 40.0}', MALFORMED),
    "text that breaks off in a letter": (raw.BROKEN_OFF, MALFORMED),
    "a map": (raw.packed({"rate": 40.0}), MALFORMED),
    "a subject that is no UTF-8": (raw.spoilt(said(subject="xxxx")), MALFORMED),
    "a name that is no UTF-8": (raw.spoilt(said(parameters={"xxxx": 1})), MALFORMED),
    "a value that is no UTF-8": (raw.spoilt(said(parameters={"a": "xxxx"})), MALFORMED),
    "an endless subject": (said(subject="s" * 600), MALFORMED),
    "an endless name": (said(parameters={"n" * 600: 1}), "a name of 1 .. 255"),
    "too many": (said(parameters={f"n{n}": n for n in range(1025)}), "more than 1024"),
    "65 bits": (said(parameters={"serial": 2**63}), "STEAM has no type for"),
    "a value with members": (said(parameters={"a": {"b": 1}}), "STEAM has no type for"),
    "a bottomless value": (said()[:-1] + b"\x91" * 100_000, MALFORMED),
    "another topic's subject": (said(subject="Other"), "'Other' is not the topic's"),
    "nowhere": (said(position=Position(float("nan"), 11.0)), ""),
    "beyond the pole": (said(position=Position(95.0, 11.0)), ""),
    "a range below nothing": (said(range_m=-1.0), MALFORMED),
    "a stamp of nobody": (stamped(origin=""), "names no origin"),
    "a stamp out of range": (stamped(sequence=0), "out of range"),
    "a stamp with an endless name": (stamped(origin="o" * 600), "more than 512"),
    "a stamp with an endless way": (stamped(via=("a",) * 99), "passed 99 event services"),
    "a megabyte of garbage": (b"\xc1" * 1_000_000, MALFORMED),
}


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have counters of the air added up for each who asks, not once in a while."""
    monkeypatch.setattr("eventservices.steam.shared.COUNTED_S", 0.0)


def counts(town: Town, name: str) -> int:
    return town.hosted.counted(ADAPTER)[name]


@pytest.mark.parametrize("case", sorted(GARBAGE))
async def test_what_is_no_event_is_set_aside(case: str, town: Town) -> None:
    payload, reason = GARBAGE[case]
    before = town.hosted.counted(ADAPTER)
    town.hosted.forget()

    await town.mqtt.publish((TOPIC, payload))

    await eventually(lambda: counts(town, "malformed") == before["malformed"] + 1)
    assert counts(town, "native_air_malformed") == before["native_air_malformed"] + 1
    assert (await town.hosted.told(reason, "refused"))["name"] == ADAPTER
    await town.good_one_arrives()


REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "types that are none": ({"FES_Types": "rate"}, "malformed", "FES_Types"),
    "types that are not the values'": (
        {"FES_Types": '{"parameters": {"rate": "event"}}'},
        "malformed",
        "'rate' is not of type event",
    ),
    "an unknown key in the types": ({"FES_Types": '{"colour": 1}'}, "malformed", "colour"),
    "bottomless types": ({"FES_Types": "[" * 100_000}, "malformed", "FES_Types"),
    "a timeout that is none": ({"Timeout": float("nan")}, "refused", "'Timeout': nan"),
    "a stop that is none": ({"StopTime": "soon"}, "refused", "'StopTime': 'soon'"),
}


@pytest.mark.parametrize("case", sorted(REFUSED))
async def test_what_may_not_enter_is_refused(case: str, town: Town) -> None:
    attributes, counter, reason = REFUSED[case]
    before = counts(town, counter)
    town.hosted.forget()

    town.native.publish(SteamEvent("Speed", {"rate": 40.0}, attributes))

    await eventually(lambda: counts(town, counter) == before + 1)
    assert (await town.hosted.told(reason, "refused"))["name"] == ADAPTER
    await town.good_one_arrives()


async def test_a_reserved_subject_is_heard_by_nobody(town: Town) -> None:
    town.native.announce("FES_Other", around(300.0))
    town.native.publish(SteamEvent("FES_Other", {"rate": 40.0}))
    await town.good_one_arrives()
    body = {
        "type": "subscription",
        "source": "city",
        "dist_list": "steam",
        "filter": "subject = 'FES_Other'",
    }
    await town.hosted.http.post(f"{town.hosted.url}/gateways/g1/v1/requests", json=body)
    await eventually(lambda: counts(town, "request_failed") == 1)
    await town.good_one_arrives()


def told(case: Case) -> str:
    """Return a control event as STEAM carries it: JSON text."""
    parameters, attributes = case.request("steam")
    inner = parameters.pop("Event", None)
    event = f', "Event": {{"event": {inner}}}' if inner is not None else ""
    request = json.dumps(parameters)[:-1] + event + "}"
    context = {
        name: {"longlong": value} if isinstance(value, int) and value < 2**31 else value
        for name, value in attributes.items()
    }
    return (
        f'{{"subject": "FES_ControlEvent", "parameters": {request}, '
        f'"attributes": {json.dumps(context)}}}'
    )


@pytest.mark.parametrize("case", sorted(CASES))
async def test_a_malformed_control_event_is_refused_and_changes_nothing(
    case: str, town: Town
) -> None:
    text = told(CASES[case])
    rows = len(town.hosted.pack.hosts["g1"].core.table)
    before = await refused(town)
    town.hosted.forget()

    pieces = {name: text[at * 4096 : (at + 1) * 4096] for at, name in enumerate(PIECES)}
    town.native.publish(SteamEvent("FES_ControlEvent", pieces))

    await town.hosted.told(CASES[case].reason, "refused")
    await eventually(lambda: refused_once(town, before))
    assert len(town.hosted.pack.hosts["g1"].core.table) == rows
    await town.good_one_arrives()


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"Text01": "no JSON"}, "not JSON"),
        ({"Text01": 5}, "16 strings"),
        ({"Text01": "x" * 5000}, "16 strings"),
        ({"Text01": '{"subject": "Speed"}'}, "'Speed' is used in a control event"),
    ],
)
async def test_a_control_event_in_another_form_is_set_aside(
    parameters: dict[str, Any], reason: str, town: Town
) -> None:
    before = counts(town, "malformed")
    town.hosted.forget()
    town.native.publish(SteamEvent("FES_ControlEvent", parameters))
    await town.hosted.told(reason, "refused")
    assert counts(town, "malformed") == before + 1
    await town.good_one_arrives()


async def refused_once(town: Town, before: float) -> bool:
    return await refused(town) == before + 1


async def refused(town: Town) -> float:
    own = counts(town, "malformed") + counts(town, "refused")
    return own + await town.hosted.decisions("g1", "refused")


async def test_ten_megabytes_end_the_link_of_their_sender_only(town: Town) -> None:
    reconnected = counts(town, "native_air_reconnected")

    answer = await town.mqtt.publish((TOPIC, bytes(10_000_000)))

    assert len(answer) == 4, "the broker took it"
    await town.good_one_arrives()
    assert counts(town, "native_air_reconnected") == reconnected


async def test_what_the_service_would_not_take_is_set_aside_before_it_is_sent(town: Town) -> None:
    await town.hosted.subscribe("g1", "steam", "city", "EXISTS load")
    before = town.hosted.counted(ADAPTER)
    town.hosted.forget()

    town.city.publish(Event.of("Load", load=b"small"))
    town.city.publish(Event.of("Load", load=bytes(2**20 - 25)))
    town.city.publish(Event.of("Load", {"load": b"x", "n" * 300: 1}))
    town.city.publish(Event.of("L" * 300, load=b"x"))
    town.city.publish(Event.of("Load", load=b"small again"))

    await eventually(lambda: counts(town, "published") == before["published"] + 2)
    assert counts(town, "publish_failed") == before["publish_failed"] + 3
    assert (await town.hosted.told("exceeds the limit of 1000000", "dropped"))["name"] == ADAPTER
    assert (await town.hosted.told("a name of 1 .. 255", "dropped"))["name"] == ADAPTER
    await town.good_one_arrives()
