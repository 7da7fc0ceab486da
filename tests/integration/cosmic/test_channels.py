"""Channels of each class, between nodes of one bus."""

import asyncio
from dataclasses import replace

import pytest
from eventservices.cosmic import (
    Bus,
    ChannelAttributes,
    ChannelException,
    Delivery,
    Event,
    Fault,
    Frame,
    Identifier,
    Node,
    NodeSettings,
    Slot,
    TimeClass,
)
from eventservices.errors import MalformedError, NotConnectedError, RefusedError, TooLargeError
from eventservices.stamp import Stamp
from fes.testing.eventually import eventually
from support.processes.canbus import virtual

HRT = ChannelAttributes(TimeClass.HRT, period_us=5_000)
SRT = ChannelAttributes(TimeClass.SRT, deadline_us=50_000)
HELD = ChannelAttributes(TimeClass.SRT, hold_us=2_000_000)
AWKWARD = ["a b", "ü", "名前/*?", "x" * 200, "Speed\n", "\u200b", "😀😀😀", "FES_X", "\0"]


def nodes(bus: Bus) -> tuple[Node, Node]:
    return bus.node(NodeSettings("one", 1, "home")), bus.node(NodeSettings("two", 2))


async def test_an_event_of_any_length_arrives_with_its_stamp_and_attributes(bus: Bus) -> None:
    one, two = nodes(bus)
    got: list[Delivery] = []
    await two.subscribe("Picture", on_event=got.append)
    await one.announce("Picture")
    stamp = one.publish(Event("Picture", bytes(5000), {"Location": "49.9"}), time_us=77)
    await eventually(lambda: got)
    assert got[0].content == bytes(5000)
    assert stamp is not None
    assert got[0].stamp == stamp == Stamp("one/Picture", stamp.epoch, 1, 77, "home")
    assert got[0].attributes == {"Location": "49.9"}


async def test_an_event_of_a_soft_channel_is_one_frame_and_its_stamp_follows(bus: Bus) -> None:
    one, two = nodes(bus)
    got: list[Delivery] = []
    frames: list[Frame] = []
    bus.monitors.append(frames.append)
    await two.subscribe("Speed", HELD, got.append)
    await one.announce("Speed", SRT)
    stamp = one.publish(Event("Speed", b"12345678"))
    await eventually(lambda: got)
    assert (got[0].content, got[0].stamp) == (b"12345678", stamp)
    own = [frame for frame in frames if frame.identifier.time_class is TimeClass.SRT]
    assert [frame.data for frame in own] == [b"12345678"]
    assert 1 <= own[0].identifier.priority <= 50
    assert own[0].identifier.node == 1


async def test_who_does_not_wait_for_stamps_gets_the_frame_at_once_and_without(bus: Bus) -> None:
    one, two = nodes(bus)
    got: list[Delivery] = []
    await two.subscribe("Speed", SRT, got.append)
    await one.announce("Speed", SRT)
    one.publish(Event("Speed", b"1"))
    await eventually(lambda: got)
    assert got[0].stamp is None


async def test_the_frame_of_the_traffic_scenario_has_the_identifier_12345(bus: Bus) -> None:
    vehicle, device = bus.node(NodeSettings("vehicle", 0)), bus.node(NodeSettings("device", 9))
    got: list[Delivery] = []
    device.listen(12345, HELD, got.append)
    await vehicle.announce("Speed", HRT, etag=12345)
    stamp = vehicle.publish(Event("Speed", b"FES0001\x37"), time_us=5)
    await eventually(lambda: got)
    assert got[0].frame.can_id == 12345
    assert (got[0].content, got[0].stamp) == (b"FES0001\x37", stamp)


async def test_a_parameter_group_is_received_from_whoever_sends_it(bus: Bus) -> None:
    truck, device = nodes(bus)
    got: list[Delivery] = []
    native = device.listen(0x18FEF1FE, SRT, got.append, group=True)
    for can_id in (0x18FEF100, 0x0CFEF117, 0x18FEF200, 0x18FEF1FE):
        truck.send_frame(Frame(can_id, b"\1", extended=True))
    await eventually(lambda: len(got) == 3)
    assert {each.frame.can_id for each in got} == {0x18FEF100, 0x0CFEF117, 0x18FEF1FE}
    device.cancel_subscription(native)
    device.cancel_subscription(native)
    again: list[Delivery] = []
    device.listen(0x18FEF1FE, SRT, again.append)
    truck.send_frame(Frame(0x18FEF100, b"\2", extended=True))
    truck.send_frame(Frame(0x18FEF1FE, b"\3", extended=True))
    await eventually(lambda: again)
    assert (len(got), [each.content for each in again]) == (3, [b"\3"])


async def test_hard_events_go_in_slots_of_their_own() -> None:
    """The period is long, so that a busy machine is not late by as much."""
    slot = Slot(1, 500, 400_000, 100_000)
    async with Bus(replace(virtual(), slots=(slot,))) as bus:
        one, two = nodes(bus)
        got: list[Delivery] = []
        hard = ChannelAttributes(TimeClass.HRT, period_us=slot.period_us)
        published = await one.announce("Pulse", hard, etag=500)
        assert published.slot == slot
        two.listen(Identifier(0, 1, published.etag).can_id, SRT, got.append)
        for number in range(3):
            one.publish(Event("Pulse", bytes((number,))))
        await eventually(lambda: len(got) == 3)
    turns = [each.frame.time_us // slot.period_us for each in got]
    assert [each.content[0] for each in got] == [0, 1, 2]
    assert turns == sorted(set(turns))


async def test_a_hard_event_is_handed_over_when_its_slot_ends() -> None:
    slot = Slot(1, 500, 400_000, 300_000)
    settings = replace(virtual(), slots=(slot,))
    async with Bus(settings) as bus:
        one, two = nodes(bus)
        handed: list[int] = []
        two.listen(500 | 1 << 14, SRT, lambda _: handed.append(bus.now_us()))
        hard = ChannelAttributes(TimeClass.HRT, period_us=400_000)
        await one.announce("Pulse", hard, etag=500)
        one.publish(Event("Pulse", b""))
        await eventually(lambda: handed)
    assert (handed[0] - slot.offset_us) % slot.period_us >= slot.length_us


async def test_a_hard_channel_without_a_free_slot_is_refused() -> None:
    async with Bus(replace(virtual(), bit_rate=125_000, hashed=True)) as bus:
        one, two = nodes(bus)
        await one.announce("A", HRT)
        with pytest.raises(RefusedError, match="no slot"):
            await two.announce("B", HRT)
        one.cancel_publication("A")
        await two.announce("B", HRT)


async def test_a_missed_period_is_an_exception_of_the_subscriber(bus: Bus) -> None:
    one, two = nodes(bus)
    told: list[ChannelException] = []
    periodic = ChannelAttributes(TimeClass.HRT, period_us=30_000)
    await two.subscribe("Pulse", periodic, lambda _: None, told.append)
    await eventually(lambda: len(told) >= 2)
    assert {each.fault for each in told} == {Fault.MISSED}
    one.close()


async def test_an_event_that_expires_before_it_is_sent_is_an_exception_of_the_publisher(
    bus: Bus,
) -> None:
    one, _ = nodes(bus)
    told: list[ChannelException] = []
    await one.announce("Speed", SRT, told.append)
    now_us = bus.now_us()
    stamp = one.publish(Event("Speed", b"1", deadline_us=now_us - 2, expires_us=now_us - 1))
    await eventually(lambda: len(told) == 2)
    assert [(each.fault, each.stamp) for each in told] == [
        (Fault.DEADLINE, stamp),
        (Fault.EXPIRED, stamp),
    ]


async def test_a_full_queue_is_an_exception_of_the_subscriber(bus: Bus) -> None:
    one, two = nodes(bus)
    told: list[ChannelException] = []
    subscription = await two.subscribe("Speed", on_exception=told.append, queue=2)
    await one.announce("Speed")
    for number in range(3):
        one.publish(Event("Speed", bytes((number,))))
    await eventually(lambda: told)
    assert told[0].fault is Fault.OVERFLOW
    assert [(await subscription.get()).content for _ in range(2)] == [b"\0", b"\1"]
    two.cancel_subscription(subscription)
    with pytest.raises(NotConnectedError):
        await subscription.get()


async def test_a_stamp_that_does_not_follow_is_an_exception_of_the_subscriber(bus: Bus) -> None:
    one, two = nodes(bus)
    told: list[ChannelException] = []
    got: list[Delivery] = []
    waits = ChannelAttributes(TimeClass.SRT, hold_us=30_000)
    two.listen(0x123, waits, got.append, told.append, extended=False)
    one.send_frame(Frame(0x123, b"x", extended=False))
    await eventually(lambda: got)
    assert got[0].stamp is None
    assert [each.fault for each in told] == [Fault.UNSTAMPED]


async def test_a_repeated_identity_is_handed_over_once(bus: Bus) -> None:
    one, two = nodes(bus)
    got: list[Delivery] = []
    await two.subscribe("Speed", on_event=got.append)
    await one.announce("Speed")
    stamp = Stamp("far", 1, 5, 0, "h")
    for number in range(3):
        one.publish(Event("Speed", bytes((number,))), stamp=stamp)
    one.publish(Event("Speed", b"last"))
    await eventually(lambda: len(got) == 2)
    assert [each.content for each in got] == [b"\0", b"last"]
    assert two.counters["suppressed"] == 2


async def test_a_node_does_not_hear_itself_and_others_in_its_process_do(bus: Bus) -> None:
    one, two = nodes(bus)
    own: list[Delivery] = []
    others: list[Delivery] = []
    await one.subscribe("Speed", on_event=own.append)
    await two.subscribe("Speed", on_event=others.append)
    await one.announce("Speed")
    one.publish(Event("Speed", b"x"))
    one.send_frame(Frame(0x123, b"y", extended=False))
    await eventually(lambda: others)
    assert not own


@pytest.mark.parametrize("subject", AWKWARD)
async def test_awkward_names_are_channels_like_others(bus: Bus, subject: str) -> None:
    one, two = nodes(bus)
    got: list[Delivery] = []
    await two.subscribe(subject, on_event=got.append)
    await one.announce(subject)
    one.publish(Event(subject, b"x"))
    await eventually(lambda: got)
    assert got[0].subject == subject


async def test_what_is_not_announced_or_too_long_is_refused(bus: Bus) -> None:
    one, _ = nodes(bus)
    with pytest.raises(RefusedError, match="not announced"):
        one.publish(Event("Speed", b"x"))
    await one.announce("Speed", SRT)
    with pytest.raises(TooLargeError):
        one.publish(Event("Speed", b"123456789"))
    with pytest.raises(MalformedError):
        one.publish(Event("Speed", b"", {"x": object()}))
    await one.announce("Big")
    with pytest.raises(TooLargeError):
        one.publish(Event("Big", bytes(bus.settings.event_bytes + 1)))


async def test_a_callback_that_raises_harms_nobody(bus: Bus) -> None:
    one, two = nodes(bus)
    got: list[Delivery] = []

    def bad(delivery: Delivery) -> None:
        raise LookupError(delivery.subject)

    await two.subscribe("Speed", on_event=bad)
    await two.subscribe("Speed", on_event=got.append)
    await one.announce("Speed")
    one.publish(Event("Speed", b"x"))
    await eventually(lambda: got)
    assert bus.totals["callback_errors"] == 1


async def test_a_malformed_event_is_set_aside_and_the_next_delivered(bus: Bus) -> None:
    one, two = nodes(bus)
    got: list[Delivery] = []
    await two.subscribe("Speed", on_event=got.append)
    published = await one.announce("Speed")
    one.send_frame(Frame(published.can_id, bytes.fromhex("601f0001c1")))
    one.send_frame(Frame(published.can_id, b"\xff\xff"))
    one.publish(Event("Speed", b"x"))
    await eventually(lambda: got)
    assert bus.totals["malformed"] == 2
    assert len(bus.set_aside) == 2


async def test_what_waits_for_the_bus_is_bounded() -> None:
    async with Bus(replace(virtual(10_000), queue=3, hashed=True)) as bus:
        one, _ = nodes(bus)
        await one.announce("Speed")
        for _ in range(3):
            one.publish(Event("Speed", bytes(100)))
        with pytest.raises(RefusedError):
            one.publish(Event("Speed", bytes(100)))
        assert bus.totals["refused"] == 1


async def test_urgent_events_pass_a_long_one_on_its_way() -> None:
    async with Bus(replace(virtual(500_000), hashed=True)) as bus:
        one, two = nodes(bus)
        order: list[str] = []
        await two.subscribe("Long", on_event=lambda _: order.append("long"))
        await two.subscribe("Speed", SRT, lambda _: order.append("urgent"))
        await one.announce("Long")
        await one.announce("Speed", SRT)
        one.publish(Event("Long", bytes(3000)))
        await asyncio.sleep(0)
        one.publish(Event("Speed", b"x"))
        await eventually(lambda: len(order) == 2)
    assert order == ["urgent", "long"]


async def test_closing_twice_and_using_what_is_closed_are_harmless(bus: Bus) -> None:
    one, _ = nodes(bus)
    await one.announce("Speed")
    one.close()
    one.close()
    with pytest.raises(RefusedError):
        one.publish(Event("Speed", b""))
    with pytest.raises(NotConnectedError):
        await one.announce("Speed")
    await bus.close()
    await bus.close()
    with pytest.raises(NotConnectedError):
        await bus.probe()
