"""Whatever dials the link server harms neither the links that are there nor the REST interface."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from fes.link.end import Hello, Message
from fes.link.frames import Frame, encode_frame
from fes.link.messages import (
    Counted,
    Done,
    HeardControl,
    Publish,
    Subscribe,
)
from fes.link.websocket import MAX_FRAME_BYTES
from fes.model import Event, Field, Stamp, Type, binary
from fes.testing.eventually import eventually
from fes_gateway import linkserver
from integration.hostile.hosted import Hosted, hosted, resident_mb
from integration.hostile.peer import GOOD, Peer, dialled, heard
from msgspec.structs import replace

FILE = """
version: 1
system: test
event_services:
  near: {kind: memory, settings: {bus: "%(tag)s near"}}
  far: {kind: memory}
  beyond: {kind: memory}
gateways:
  g1: {adapters: {near: {}, far: {}, beyond: {}}}
"""
FAR, BEYOND = "g1.far", "g1.beyond"
HELLO = Hello(FAR, "far", 1, {})


def frame(number: int, *messages: Message) -> bytes:
    return encode_frame(Frame(number, 0, messages))


FIRST: dict[str, tuple[bytes | str, str]] = {
    "garbage": (b"\xff\xfe no frame", "not a frame"),
    "a torn frame": (frame(1, HELLO)[:-4], "not a frame"),
    "nothing": (b"", "not a frame"),
    "invalid UTF-8": (
        frame(1, Hello("x" * 5, "far", 1, {})).replace(b"xxxxx", b"\xf4\x02aaa"),
        "u",
    ),
    "a frame nested deep": (b"\x93\x01\x00" + b"\x91" * 100_000, "not a frame"),
    "text": ("hello", "a frame is binary"),
    "10 MB": (b"\x00" * 10_000_000, "refused by the other end"),
    "no hello first": (frame(1, Done(1)), "the first message is not a hello"),
    "an order first": (frame(1, Subscribe(1, "Speed", 1)), "the first message is not a hello"),
    "a frame that is not the first": (frame(2, HELLO), "frame 2 came after frame 0"),
    "a frame without a number": (frame(0, HELLO), "frame 0 came after frame 0"),
    "an acknowledgement of nothing": (encode_frame(Frame(1, 7, (HELLO,))), "frame 7 was ack"),
    "an unknown adapter": (frame(1, Hello("g1.lost", "far", 1, {})), "no adapter 'g1.lost'"),
    "an unknown event service": (frame(1, Hello(FAR, "west", 1, {})), "at 'west'"),
    "an adapter of this process": (frame(1, Hello("g1.near", "near", 1, {})), "linked already"),
    "the protocol of a later version": (frame(1, replace(HELLO, version=9)), "protocol 9"),
}


@pytest.fixture
async def town(tmp_path: Path) -> AsyncIterator[Hosted]:
    async with hosted(tmp_path, FILE, remote={FAR, BEYOND}) as found:
        yield found


@pytest.fixture
async def beyond(town: Hosted) -> AsyncIterator[Peer]:
    """Give a good adapter that was there before."""
    async with dialled(town.links.port) as peer:
        await peer.join(BEYOND, "beyond")
        await eventually(lambda: town.pack.hosts["g1"].adapters["beyond"].ready)
        yield peer


async def unharmed(town: Hosted, beyond: Peer) -> None:
    """Make sure that events still pass from a link that was there before, and REST answers."""
    city = town.client("near", "city")
    await town.subscribe("g1", "beyond", "near", "subject = 'Speed'")
    before = len(published(beyond))
    city.publish(GOOD)
    await eventually(lambda: len(published(beyond)) == before + 1)
    assert not beyond.closed.is_set()
    assert (await town.http.get(f"{town.url}/gateways/g1/healthz")).status_code == 200


def published(peer: Peer) -> list[Publish]:
    return [message for message in peer.got if isinstance(message, Publish)]


@pytest.mark.parametrize("case", sorted(FIRST))
async def test_what_is_no_hello_ends_its_own_link_only(
    case: str, town: Hosted, beyond: Peer
) -> None:
    content, reason = FIRST[case]
    async with dialled(town.links.port) as stranger:
        await stranger.socket.send(content)
        await asyncio.wait_for(stranger.closed.wait(), 30)

    told = await town.told(reason)
    assert (told["reason"], told["name"]) == ("link", "g1")
    assert await town.decisions("g1", "refused", "link") == town.links.refused == 1
    assert not town.pack.hosts["g1"].adapters["far"].linked
    await unharmed(town, beyond)


async def test_a_refused_adapter_is_told_the_reason(town: Hosted) -> None:
    async with dialled(town.links.port) as stranger:
        await stranger.hello("g1.lost", "far")
        await eventually(lambda: stranger.refusals)
        assert "no adapter 'g1.lost' at 'far'" in stranger.refusals[0]


async def test_a_second_adapter_of_one_id_is_refused_and_the_first_goes_on(
    town: Hosted, beyond: Peer
) -> None:
    async with dialled(town.links.port) as second:
        await second.hello(BEYOND, "beyond")
        await eventually(lambda: second.refusals)
        assert "is linked already" in second.refusals[0]
        await asyncio.wait_for(second.closed.wait(), 30)

    assert town.pack.hosts["g1"].adapters["beyond"].linked
    await unharmed(town, beyond)


BREACHES = {
    "garbage": (b"\xc1", "not a frame"),
    "a frame out of order": (frame(7, Done(1)), "frame 7 came after frame 2"),
    "a second hello": (encode_frame(Frame(3, 1, (HELLO,))), "does not send Hello"),
    "an order": (encode_frame(Frame(3, 1, (Subscribe(1, "a", 1),))), "does not send Subscribe"),
    "too large a frame": (bytes(MAX_FRAME_BYTES + 1), "refused by the other end"),
}


@pytest.mark.parametrize("case", sorted(BREACHES))
async def test_an_adapter_that_breaks_the_protocol_may_come_again(
    case: str, town: Hosted, beyond: Peer
) -> None:
    content, reason = BREACHES[case]
    state = town.pack.hosts["g1"].adapters["far"]
    async with dialled(town.links.port) as peer:
        await peer.join(FAR, "far")
        await eventually(lambda: state.ready)
        await peer.socket.send(content)
        await asyncio.wait_for(peer.closed.wait(), 30)
    await eventually(lambda: reason in state.reason)
    await town.told(reason)

    async with dialled(town.links.port) as again:
        await again.join(FAR, "far")
        await eventually(lambda: state.ready)
        await unharmed(town, beyond)


WRONG_TYPE = Event("Speed", (Field("rate", Type.STRING, 5),))
OTHER = Event.of("Other", rate=1.0)
UNKNOWN = binary.encode(Event.of("FES_ControlEvent", Type=99))
TYPELESS = binary.encode(Event.of("FES_ControlEvent", x=1))
RESERVED = Event.of("FES_ControlEvent", rate=1.0)
BAD_HEARD = {
    "a body that is no event": (heard(1, (1,), b"\xc1"), "near", "not an event"),
    "a body that is no UTF-8": (heard(1, (1,), b"\x91\xa2\xf4\x02"), "near", "not an event"),
    "an unknown match": (heard(1, (99,)), "", "no subscription"),
    "a match of nothing": (heard(1, ()), "", "no subscription"),
    "a reserved subject": (replace(heard(1, (1,)), subject="FES_Any"), "", "reserved subject"),
    "a reserved subject in the body": (heard(1, (1,), binary.encode(RESERVED)), "near", "reserved"),
    "an endless subject": (replace(heard(1, (1,)), subject="s" * 600), "", "600 characters"),
    "no subject": (replace(heard(1, (1,)), subject=""), "", "0 characters"),
    "an endless way": (
        replace(heard(1, (1,)), via=("a",) * 99),
        "",
        "the event has too long a path",
    ),
    "a stamp of nobody": (
        replace(heard(1, (1,)), stamp=Stamp("", 1, 1, 1, "far")),
        "",
        "stamp's origin",
    ),
    "a stamp out of range": (
        replace(heard(1, (1,)), stamp=Stamp("o", 1, 2**63, 1, "far")),
        "",
        "stamp's epoch or sequence",
    ),
}


@pytest.mark.parametrize("case", sorted(BAD_HEARD))
async def test_an_event_that_is_none_is_refused_and_the_next_arrives(
    case: str, town: Hosted
) -> None:
    message, destination, reason = BAD_HEARD[case]
    city = town.client("near", "city")
    async with dialled(town.links.port) as peer:
        number = await subscribed(town, peer)
        matched = tuple(number if match == 1 else match for match in message.matched)
        await peer.say(heard(2, (number,)))
        await peer.say(replace(message, matched=matched))
        await peer.say(heard(3, (number,)))

        await eventually(lambda: len(city.events("Speed")) == 2)

    told = await town.told(reason)
    assert told["name"] == ("g1.near" if destination else "g1")
    assert city.events() == [GOOD, GOOD]
    counted = (
        town.counted("g1.near")["publish_failed"]
        if destination
        else (await town.decisions("g1", "refused") + await town.decisions("g1", "dropped"))
    )
    assert counted == 1


async def subscribed(town: Hosted, peer: Peer) -> int:
    """Join as the adapter at `far`, and return the number of the subscription made there."""
    await peer.join(FAR, "far")
    body = {"type": "subscription", "source": "near", "dist_list": "far", "filter": "Speed"}
    await town.http.post(f"{town.url}/gateways/g1/v1/requests", json=body)

    def number() -> int | None:
        made = [message for message in peer.got if isinstance(message, Subscribe)]
        return made[-1].number if made else None

    found: int = await eventually(number)
    await peer.say(Done(found))
    return found


async def test_a_first_body_that_is_no_event_is_not_announced_for_the_next(town: Hosted) -> None:
    city = town.client("near", "city")
    async with dialled(town.links.port) as peer:
        number = await subscribed(town, peer)
        await peer.say(heard(1, (number,), b"\xc1"), heard(2, (number,), binary.encode(OTHER)))
        await peer.say(heard(3, (number,)))
        await eventually(city.events)
    await town.told("is not an event of subject 'Speed'", "refused")
    assert await town.decisions("g1", "refused") == 2
    assert city.events() == [GOOD]


async def test_an_ill_typed_body_does_not_stop_the_adapter_that_gets_it(town: Hosted) -> None:
    city = town.client("near", "city")
    nested = Event("Speed", (Field("inner", Type.EVENT, 5),))
    async with dialled(town.links.port) as peer:
        number = await subscribed(town, peer)
        await peer.say(heard(1, (number,), binary.encode(nested)))
        await peer.say(heard(2, (number,), binary.encode(WRONG_TYPE)))
        await peer.say(heard(3, (number,)))
        await eventually(lambda: GOOD in city.events())
    assert town.runtime("g1.near").ready


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param(b"\xc1", "not an event", id="garbage"),
        pytest.param(UNKNOWN, "no request has number 99", id="unknown type"),
        pytest.param(TYPELESS, "'Type' is missing", id="missing type"),
    ],
)
async def test_a_control_event_that_is_none_is_refused(
    body: bytes, reason: str, town: Hosted, beyond: Peer
) -> None:
    async with dialled(town.links.port) as peer:
        await peer.join(FAR, "far")
        await peer.say(HeardControl(Stamp("o", 1, 1, 1, "far"), body))
        await town.told(reason, "refused")
        assert await town.decisions("g1", "refused") == 1
        await unharmed(town, beyond)
        assert not peer.closed.is_set()


async def test_answers_to_what_nobody_asked_change_nothing(town: Hosted, beyond: Peer) -> None:
    async with dialled(town.links.port) as peer:
        await peer.join(FAR, "far")
        await peer.say(Done(12345), Done(2**40, withdrawn=True, error="x" * 5000))
        odd = {'name "with\n odd}': 2**64 - 1, "": -5}
        await peer.say(Counted(ready=True, reason="r" * 9999, counters=odd))
        await unharmed(town, beyond)
        assert (await town.http.get(f"{town.url}/gateways/g1/metrics")).status_code == 200


async def test_a_peer_that_never_acknowledges_costs_a_bounded_queue(
    town: Hosted, beyond: Peer
) -> None:
    car = town.client("near", "car")
    big = Event.of("Speed", load=bytes(200_000))
    await town.subscribe("g1", "beyond", "near", "subject = 'Speed'")
    async with dialled(town.links.port, acknowledges=False) as peer:
        await peer.join(FAR, "far")
        await town.subscribe("g1", "far", "near", "EXISTS load")
        before = resident_mb()
        for _ in range(600):
            car.publish(big)
            await asyncio.sleep(0)

        await eventually(lambda: len(published(beyond)) == 600, 20)
        end = town.pack.hosts["g1"].link_counters()["far"]
        await eventually(lambda: town.pack.hosts["g1"].link_counters()["far"]["link_dropped"])
        end = town.pack.hosts["g1"].link_counters()["far"]
        assert end["link_sent"] <= 64 * 2
        assert await town.decisions("g1", "dropped", "link queue full") == end["link_dropped"]
        # 64 MiB wait for the peer; what the test itself received is in this process too.
        assert resident_mb() - before < 64 + 2 * 600 * 0.2 + 100
    await unharmed(town, beyond)


async def test_who_does_not_finish_the_handshake_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linkserver, "HELLO_S", 0.3)
    async with hosted(tmp_path, FILE, remote={FAR, BEYOND}) as town:
        reader, writer = await asyncio.open_connection("127.0.0.1", town.links.port)
        writer.write(b"GET /link HTTP/1.1\r\nHost: a\r\n")
        async with dialled(town.links.port) as mute:
            await asyncio.wait_for(mute.closed.wait(), 30)
            assert mute.refusals == ["no hello in time"]
        assert await asyncio.wait_for(reader.read(), 30) is not None
        assert reader.at_eof()
        writer.close()
        await town.told("no hello in time")


async def test_the_oldest_silent_stranger_makes_room_for_an_adapter(
    town: Hosted, beyond: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linkserver, "STRANGERS", 3)
    monkeypatch.setattr(linkserver, "HELLO_S", 3600.0)
    async with AsyncExitStack() as stack:
        crowd = [await stack.enter_async_context(dialled(town.links.port)) for _ in range(4)]
        await eventually(lambda: crowd[0].refusals)
        assert crowd[0].refusals == ["silent, and 3 others came later"]
        adapter = await stack.enter_async_context(dialled(town.links.port))
        await adapter.join(FAR, "far")
        await eventually(lambda: crowd[1].refusals)
        assert not crowd[2].refusals
        await unharmed(town, beyond)


async def test_an_adapter_whose_link_could_not_be_attached_may_dial_again(
    town: Hosted, beyond: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = town.pack.hosts["g1"]

    def fail(*_: object) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(host._decider, "decide", fail)
    async with dialled(town.links.port) as first:
        await first.socket.send(frame(1, HELLO))
        await eventually(lambda: first.refusals)
    monkeypatch.undo()
    await eventually(lambda: not host.adapters["far"].linked)
    assert "far" not in host.link_counters()
    async with dialled(town.links.port) as again:
        await again.join(FAR, "far")
    await unharmed(town, beyond)


async def test_a_crowd_of_garbage_leaves_the_memory_as_it_was(town: Hosted, beyond: Peer) -> None:
    async def throw(content: bytes | str) -> None:
        async with dialled(town.links.port) as stranger:
            await stranger.socket.send(content)
            await asyncio.wait_for(stranger.closed.wait(), 10)

    for _ in range(20):
        await throw(b"\xc1" * 1_000_000)
    before = resident_mb()
    for number in range(200):
        await throw(b"\xc1" * 1_000_000 if number % 2 else frame(1, Done(number)))

    assert resident_mb() - before < 40
    await eventually(lambda: town.links.refused == 220)
    await unharmed(town, beyond)
