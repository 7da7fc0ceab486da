"""The adapter on a CAN bus: frames by rule, channels, stamps."""

from dataclasses import replace
from pathlib import Path

import pytest
from adapter_cosmic.adapter import CosmicAdapter
from adapter_cosmic.codec import to_record
from eventservices.cosmic import (
    ChannelAttributes,
    Delivery,
    Event,
    Frame,
    Identifier,
    TimeClass,
)
from eventservices.cosmic.record import encode
from fes.errors import AdapterError
from fes.eventlog import Decision
from fes.link.messages import Announce, Publish, Subscribe, Unannounce, Unsubscribe
from fes.model import Event as FesEvent
from fes.model import Field, Stamp, Type, binary
from fes.testing.eventually import eventually
from integration.adapter_cosmic.bench import CAN_SPEED, bench

HRT = ChannelAttributes(TimeClass.HRT, period_us=2_000)
HELD = ChannelAttributes(TimeClass.SRT, hold_us=2_000_000)
SPEED = FesEvent.of("Speed", license_no="FES0001", rate=55.0)
AWKWARD = ["a b", "ü/ö", "名前*?", "x" * 300, "line\nbreak", "😀", "Speed "]
DBC = """VERSION ""
NS_ :
BS_:
BU_: X
BO_ 2566844672 CCVS1: 8 X
 SG_ WheelSpeed : 8|16@1+ (0.00390625,0) [0|250] "km/h" X
BO_ 645 Doors: 2 X
 SG_ Open M : 0|8@1+ (1,0) [0|255] "" X
 SG_ Left m1 : 8|8@1+ (1,-40) [-40|215] "" X
"""


def order(event: FesEvent, sequence: int = 1, *via: str) -> Publish:
    stamp = Stamp("far/away", 3, sequence, 1_700_000_000_000_000, "elsewhere")
    return Publish(stamp, via, 0, binary.encode(event))


async def test_the_first_rule_there_is_makes_speed_of_frame_12345() -> None:
    async with bench(CAN_SPEED) as on:
        await on.gateway.order(Subscribe(1, "subject = 'Speed' AND rate > 50", 1))
        on.node.send_frame(Frame(12345, b"FES0001\x32"))
        on.node.send_frame(Frame(12345, b"FES0001\x33"))
        await eventually(lambda: on.gateway.heard)
        assert on.gateway.events() == [FesEvent.of("Speed", license_no="FES0001", rate=51.0)]


async def test_a_frame_without_a_stamp_is_stamped_by_the_adapter_when_it_came() -> None:
    async with bench(CAN_SPEED) as on:
        await on.gateway.order(Subscribe(1, "Speed", 1))
        before_us = on.bus.now_us()
        on.node.send_frame(Frame(12345, b"FES0001\x32"))
        await eventually(lambda: on.gateway.heard)
        stamp = on.gateway.heard[0].stamp
        assert stamp.origin == on.adapter.id
        assert stamp.home == "cosmic-v"
        assert before_us - 1000 <= stamp.time_us <= on.bus.now_us()


async def test_a_frame_keeps_the_stamp_that_follows_it_where_all_have_one() -> None:
    async with bench(CAN_SPEED, stamped=True) as on:
        await on.gateway.order(Subscribe(1, "Speed", 1))
        await on.node.announce("Speed", HRT, etag=12345, origin="can-sim/FES0001")
        said = [
            on.node.publish(Event("Speed", b"FES0001" + bytes((rate,))), time_us=rate)
            for rate in range(20)
        ]
        await eventually(lambda: len(on.gateway.heard) == 20)
        assert [heard.stamp.identity for heard in on.gateway.heard] == [
            each.identity for each in said if each
        ]
        assert [heard.stamp.time_us for heard in on.gateway.heard] == list(range(20))


async def test_a_frame_without_a_stamp_is_set_aside_where_all_have_one() -> None:
    async with bench(CAN_SPEED, stamped=True, stamp_wait_ms=30) as on:
        await on.gateway.order(Subscribe(1, "Speed", 1))
        on.node.send_frame(Frame(12345, b"FES0001\x32"))
        await eventually(lambda: on.gateway.logged(Decision.REFUSED))
        assert "without a stamp" in on.gateway.logged(Decision.REFUSED)[0].reason
        assert not on.gateway.heard
        assert on.adapter.counters["without_stamp"] == 1


async def test_an_event_goes_out_as_the_frame_that_a_rule_makes_of_it() -> None:
    async with bench(CAN_SPEED) as on:
        frames: list[Frame] = []
        got: list[Delivery] = []
        on.bus.monitors.append(frames.append)
        on.node.listen(12345, HELD, got.append)
        await on.gateway.order(Announce(1, binary.encode(SPEED)))
        await on.gateway.order(order(SPEED, 7, "cns-v"))
        await eventually(lambda: got)
        assert [frame.data for frame in frames if frame.can_id == 12345] == [b"FES0001\x37"]
        stamp = got[0].stamp
        assert stamp is not None
        assert (stamp.identity, stamp.via) == (("far/away", 3, 7), ("cns-v",))
        await on.gateway.order(Unannounce(1))


async def test_an_adapter_does_not_hear_what_it_published_itself() -> None:
    async with bench(CAN_SPEED) as on:
        await on.gateway.order(Subscribe(1, "Speed", 1), Announce(2, binary.encode(SPEED)))
        await on.gateway.order(order(SPEED))
        on.node.send_frame(Frame(12345, b"FES0002\x38"))
        await eventually(lambda: on.gateway.heard)
        assert [event.parameter("rate") for event in on.gateway.events()] == [56.0]


async def test_a_channel_of_octets_is_soft_real_time_where_the_file_says_so() -> None:
    rule = {
        "native": {"subject": "CarSpeed"},
        "subject": "Speed",
        "parameters": {"rate": {"bytes": [0, 1], "type": "double", "scale": 0.5}},
    }
    channels = {"CarSpeed": {"class": "srt", "deadline_ms": 20, "etag": 700}}
    async with bench(rule, channels=channels) as on:
        got: list[Delivery] = []
        await on.node.subscribe("CarSpeed", HELD, got.append, etag=700)
        await on.gateway.order(Announce(1, binary.encode(SPEED)))
        await on.gateway.order(order(SPEED))
        await eventually(lambda: got)
        assert got[0].content == (110).to_bytes(2, "little")
        assert Identifier.of(got[0].frame.can_id).time_class is TimeClass.SRT
        await on.gateway.order(Subscribe(2, "subject = 'Speed' AND rate = 7", 1))
        await on.node.announce("CarSpeed", ChannelAttributes(TimeClass.SRT), etag=700)
        on.node.publish(Event("CarSpeed", (14).to_bytes(2, "little")))
        await eventually(lambda: on.gateway.heard)


async def test_a_record_does_not_fit_a_real_time_channel() -> None:
    async with bench(channels={"Speed": {"class": "srt"}}) as on:
        await on.gateway.order(Announce(1, binary.encode(SPEED)))
        await on.gateway.order(order(SPEED))
        await eventually(lambda: on.gateway.logged(Decision.DROPPED))
        assert "exceeds the limit of 8 bytes" in on.gateway.logged(Decision.DROPPED)[0].reason


async def test_an_event_whose_time_is_over_is_not_sent_any_more() -> None:
    async with bench(bit_rate=10_000, channels={"Speed": {"etag": 700}}) as on:
        got: list[Delivery] = []
        await on.node.subscribe("Speed", on_event=got.append, etag=700)
        long = FesEvent("Speed", (Field("x", Type.STRING, "x" * 200),))
        brief = SPEED.with_attributes({"Timeout": 0.001})
        await on.gateway.order(Announce(1, binary.encode(SPEED)))
        for number, event in enumerate((long, brief, SPEED), 1):
            await on.gateway.order(order(event, number))
        await eventually(lambda: len(got) == 2)
        assert [each.stamp.sequence for each in got if each.stamp] == [1, 3]


async def test_signals_of_a_database_are_decoded(tmp_path: Path) -> None:
    (tmp_path / "car.dbc").write_text(DBC)
    rules = [
        {"subject": "Speed", "dbc": {"file": "car.dbc", "message": "CCVS1"}},
        {"subject": "Doors", "dbc": {"file": "car.dbc", "message": "Doors"}},
    ]
    async with bench(*rules, base=tmp_path) as on:
        await on.gateway.order(Subscribe(1, "subject IN ('Speed', 'Doors')", 1))
        on.node.send_frame(Frame(0x18FEF100, bytes.fromhex("FF0032FFFFFFFFFF")))
        await on.bus.drain()  # the short identifiers below would win
        on.node.send_frame(Frame(0x285, b"\x01\x32", extended=False))
        on.node.send_frame(Frame(0x285, b"\x02\x32", extended=False))
        on.node.send_frame(Frame(0x285, b"\x01", extended=False))
        await eventually(lambda: len(on.gateway.heard) == 4)
        values = [{f.id: f.value for f in event.parameters} for event in on.gateway.events()]
        assert values[0] == {"WheelSpeed": 50.0}
        assert values[1]["Left"] == 10
        assert "Left" not in values[2]
        assert "Left" not in values[3]


@pytest.mark.parametrize("subject", AWKWARD)
async def test_awkward_names_cross_and_come_back(subject: str) -> None:
    event = FesEvent.of(subject, **{"odd näme": 1.5, "": 2})
    async with bench() as on:
        got: list[Delivery] = []
        await on.node.subscribe(subject, on_event=got.append)
        quoted = subject.replace("'", "''")
        await on.gateway.order(Announce(1, binary.encode(event)))
        await on.gateway.order(order(event))
        await eventually(lambda: got)
        await on.gateway.order(Subscribe(2, f"subject = '{quoted}'", 1))
        await on.node.announce(subject)
        on.node.publish(Event(subject, got[0].content, typed=True))
        await eventually(lambda: on.gateway.heard)
        assert on.gateway.events() == [event]


async def test_subscriptions_that_need_the_same_channel_share_it_until_the_last_goes() -> None:
    async with bench() as on:
        joined = on.adapter._node
        await on.gateway.order(Subscribe(1, "Speed", 1), Subscribe(2, "subject = 'Speed'", 2))
        assert len(joined.subscriptions) == 1
        await on.node.announce("Speed")
        on.node.publish(Event("Speed", encode(to_record("Speed", SPEED)), typed=True))
        await eventually(lambda: on.gateway.heard)
        assert [heard.matched for heard in on.gateway.heard] == [(1, 2)]
        await on.gateway.order(Unsubscribe(1, 3))
        assert len(joined.subscriptions) == 1
        await on.gateway.order(Unsubscribe(2, 4))
        assert joined.subscriptions == []


async def test_settings_that_differ_on_one_bus_of_a_process_are_refused() -> None:
    async with bench() as on:
        given = {"channel": on.interface.channel, "bit_rate": 1000, "node": 2}
        other = CosmicAdapter(replace(on.adapter.context, settings=given))
        with pytest.raises(AdapterError, match="different settings"):
            await other.connect(on.gateway.runtime)
