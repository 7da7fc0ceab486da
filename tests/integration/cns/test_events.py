import nats
import pytest
from eventservices.cns import (
    ChannelOptions,
    LongLong,
    StructuredEvent,
    TypeCode,
    Value,
    as_structured,
    can_frame_any,
    structured_event,
    type_code,
)
from eventservices.cns.codec import encode_any
from eventservices.cns.event import AnyEvent
from eventservices.errors import MalformedError, TooLargeError
from eventservices.servers import NatsServer
from eventservices.stamp import HEADER, Stamp
from integration.cns.clients import (
    Anys,
    Structureds,
    any_consumer,
    any_supplier,
    structured_consumer,
    structured_supplier,
)
from integration.cns.conftest import Connect, Eventually

pytestmark = pytest.mark.broker

ALARM = structured_event(
    ("Telecom", "CommunicationsAlarm"),
    "lost_packet",
    variable_header={"Priority": 3},
    filterable_data={"rate": 83.5, "serial": LongLong(7), "raw": b"\x80\xff"},
    body={"note": "ü", "list": [1, None, True]},
)


async def test_an_any_reaches_every_consumer_of_its_channel_exactly(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    one, other = await connect(), await connect()
    near, far = Anys(), Anys()
    here, there = await one.open_channel(channel_name), await other.open_channel(channel_name)
    await any_consumer(here, near)
    await any_consumer(there, far)
    proxy = await any_supplier(here)

    value: dict[str, Value] = {
        "frame": can_frame_any(12345, b"FES0001\x37"),
        "n": LongLong(5),
        "big": 2**62,
    }
    stamp = await proxy.push(value)

    await eventually(lambda: near.got and far.got)
    assert near.got == far.got == [(value, stamp)]
    assert isinstance(far.values[0], dict)
    assert type_code(far.values[0]["n"]) is TypeCode.LONGLONG


async def test_a_structured_event_comes_back_whole(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    channel = await (await connect()).open_channel(channel_name)
    consumer = Structureds()
    await structured_consumer(channel, consumer)

    stamp = await (await structured_supplier(channel)).push_structured_event(ALARM)

    await eventually(lambda: consumer.got)
    assert consumer.got == [(ALARM, stamp)]


async def test_each_consumer_gets_its_own_form(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    channel = await (await connect()).open_channel(channel_name)
    plain, structured = Anys(), Structureds()
    await any_consumer(channel, plain)
    await structured_consumer(channel, structured)

    await (await any_supplier(channel)).push(5)
    proxy = await structured_supplier(channel)
    await proxy.push_structured_event(ALARM)
    await proxy.push_structured_event(as_structured(AnyEvent("back again")))

    await eventually(lambda: len(plain.got) == 3 and len(structured.got) == 3)
    assert plain.values == [5, ALARM, "back again"]
    assert structured.events[0] == structured_event(("", "%ANY"), body=5)
    assert structured.events[1] == ALARM


async def test_an_any_that_contains_an_event_can_be_pushed_on(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    channel = await (await connect()).open_channel(channel_name)
    consumer = Anys()
    await any_consumer(channel, consumer)

    await (await any_supplier(channel)).push(ALARM)

    await eventually(lambda: consumer.got)
    assert isinstance(consumer.values[0], StructuredEvent)
    assert consumer.values == [ALARM]


async def test_channels_do_not_hear_each_other(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    connection = await connect()
    names = [f"{channel_name}{end}" for end in ("", ".x", ".*", ".>", " x", "%2Ex", "/x", "ß")]
    channels = [await connection.open_channel(name) for name in names]
    consumers = [Anys() for _ in names]
    for channel, consumer in zip(channels, consumers, strict=True):
        await any_consumer(channel, consumer)

    for channel in channels:
        await (await any_supplier(channel)).push(channel.name)

    await eventually(lambda: all(consumer.got for consumer in consumers))
    await connection.probe()
    assert [consumer.values for consumer in consumers] == [[name] for name in names]


async def test_events_of_one_supplier_keep_their_order(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    channel = await (await connect()).open_channel(channel_name)
    consumer = Anys()
    await any_consumer(channel, consumer)
    proxy = await any_supplier(channel, origin="car")

    for number in range(2000):
        await proxy.push(number)

    await eventually(lambda: len(consumer.got) == 2000)
    assert consumer.values == list(range(2000))
    assert [stamp.sequence for _, stamp in consumer.got if stamp] == list(range(1, 2001))


async def test_a_stamp_says_who_when_and_where(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    options = ChannelOptions(home="cns-v-1")
    channel = await (await connect()).open_channel(channel_name, options)
    consumer = Anys()
    await any_consumer(channel, consumer)
    proxy = await any_supplier(channel, origin="car/1")

    stamp = await proxy.push(1, time_us=1_700_000_000_000_000)

    await eventually(lambda: consumer.got)
    assert consumer.got[0][1] == stamp
    assert (stamp.origin, stamp.sequence, stamp.time_us, stamp.home, stamp.via) == (
        "car/1",
        1,
        1_700_000_000_000_000,
        "cns-v-1",
        (),
    )


async def test_a_republisher_keeps_the_identity(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    channel = await (await connect()).open_channel(channel_name)
    consumer = Anys()
    await any_consumer(channel, consumer)
    stamp = Stamp("far/away", 3, 9, 1_000_000, "siena-m", ("steam-v", "steam-m"))

    assert await (await any_supplier(channel)).push(1, stamp=stamp) == stamp

    await eventually(lambda: consumer.got)
    assert consumer.got == [(1, stamp)]


@pytest.mark.parametrize("wrong", [{"time_us": 2**70}, {"stamp": Stamp("", 1, 1, 1, "h")}])
async def test_a_stamp_out_of_range_is_refused(
    connect: Connect, channel_name: str, wrong: dict[str, int]
) -> None:
    channel = await (await connect()).open_channel(channel_name)
    proxy = await any_supplier(channel)

    with pytest.raises(MalformedError):
        await proxy.push(1, **wrong)  # type: ignore[arg-type] # either keyword


async def test_a_repeated_identity_is_delivered_once_and_counted(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    channel = await (await connect()).open_channel(channel_name)
    consumer, late = Anys(), Anys()
    receiving = await any_consumer(channel, consumer)
    proxy = await any_supplier(channel)

    stamp = await proxy.push("once")
    await eventually(lambda: consumer.got)
    await any_consumer(channel, late)
    await proxy.push("once", stamp=stamp)
    await proxy.push("last")

    await eventually(lambda: len(late.got) == 2)
    assert consumer.values == ["once", "last"]
    assert receiving.suppressed == 1
    assert late.values == ["once", "last"], "each consumer has a memory of its own"


async def test_foreign_messages_are_delivered_unstamped_and_malformed_ones_set_aside(
    connect: Connect, channel_name: str, eventually: Eventually, server: NatsServer
) -> None:
    channel = await (await connect()).open_channel(channel_name)
    consumer = Anys()
    await any_consumer(channel, consumer)
    subject = f"cns.event.{channel_name}"

    foreign = await nats.connect(server.url)
    try:
        await foreign.publish(subject, encode_any("plain"))
        await foreign.publish(subject, b"\xff\xff")
        await foreign.publish(subject, encode_any("x"), headers={HEADER: "no;stamp"})
        await foreign.publish(subject, encode_any("plain"))
        await foreign.flush()
    finally:
        await foreign.close()

    await eventually(lambda: len(consumer.got) == 2)
    assert consumer.got == [("plain", None), ("plain", None)]
    assert channel.malformed == 2
    assert [(kept.payload, bool(kept.headers)) for kept in channel.set_aside] == [
        (b"\xff\xff", False),
        (encode_any("x"), True),
    ]
    assert "stamp" in channel.set_aside[1].reason


async def test_what_is_set_aside_is_bounded(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    connection = await connect()
    channel = await connection.open_channel(channel_name, ChannelOptions(set_aside=3))
    await any_consumer(channel, Anys())

    for number in range(10):
        await connection.link.publish(f"cns.event.{channel_name}", b"\xff%d" % number)

    await eventually(lambda: channel.malformed == 10)
    assert [kept.payload for kept in channel.set_aside] == [b"\xff7", b"\xff8", b"\xff9"]


async def test_a_consumer_that_raises_harms_nobody(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    class Broken:
        def push(self, value: object, stamp: Stamp | None) -> None:
            raise RuntimeError("on purpose")

    channel = await (await connect()).open_channel(channel_name)
    consumer = Anys()
    broken = await any_consumer(channel, Broken())
    await any_consumer(channel, consumer)
    proxy = await any_supplier(channel)

    await proxy.push(1)
    await proxy.push(2)

    await eventually(lambda: len(consumer.got) == 2)
    assert broken.failed == 2


async def test_an_event_too_large_for_the_server_is_refused_before_sending(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    connection = await connect()
    channel = await connection.open_channel(channel_name)
    consumer = Anys()
    await any_consumer(channel, consumer)
    proxy = await any_supplier(channel)
    limit = connection.link.max_payload_bytes

    with pytest.raises(TooLargeError):
        await proxy.push(b"x" * (limit - 20))  # the header makes the difference
    await proxy.push(b"x" * (limit - 400))

    await eventually(lambda: consumer.got)
    assert connection.connected


async def test_a_channel_without_consumers_asks_for_no_events(
    connect: Connect, channel_name: str
) -> None:
    connection = await connect()
    channel = await connection.open_channel(channel_name)
    proxy = await any_supplier(channel)
    receiving = await any_consumer(channel, Anys())
    await receiving.disconnect_push_supplier()

    await proxy.push(1)
    await connection.probe()

    assert channel.received == 0


async def test_hundreds_of_channels_share_one_connection(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    connection = await connect()
    consumers = []
    for number in range(300):
        channel = await connection.open_channel(f"{channel_name}-{number}")
        consumers.append(Anys())
        await any_consumer(channel, consumers[-1])
        await (await any_supplier(channel)).push(number)

    await eventually(lambda: all(consumer.got for consumer in consumers))
    assert [consumer.values for consumer in consumers] == [[number] for number in range(300)]
    assert len(connection.channels) == 300
