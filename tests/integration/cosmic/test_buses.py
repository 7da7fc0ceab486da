"""Buses: between sockets, with a broker in another bus object, and when they break."""

import asyncio
import contextlib
import socket
import sys
from pathlib import Path

import can
import pytest
from can.interfaces.udp_multicast import UdpMulticastBus
from eventservices.cosmic import (
    Broker,
    Bus,
    BusSettings,
    Delivery,
    Event,
    Frame,
    Interface,
    NodeSettings,
)
from eventservices.cosmic.driver import GROUP
from eventservices.errors import MalformedError, NotConnectedError, RefusedError
from fes.testing.eventually import eventually
from support.processes.canbus import multicast, virtual

PUBLISHER = """
import asyncio, sys
from eventservices.cosmic import Bus, BusSettings, Event, Interface, NodeSettings

async def main(port):
    interface = Interface("udp_multicast", "239.74.163.2", port)
    async with Bus(BusSettings(interface, hashed=True)) as bus:
        node = bus.node(NodeSettings("elsewhere", 5))
        await node.announce("Speed")
        for number in range(50):
            node.publish(Event("Speed", bytes((number,)) * 40))
        await bus.drain()

asyncio.run(main(int(sys.argv[1])))
"""


def pythons_own(settings: BusSettings) -> can.BusABC:
    """Return python-can's own bus of the same group; it needs a network that has a route."""
    try:
        return UdpMulticastBus(GROUP, settings.interface.port)
    except can.CanInitializationError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("make", [virtual, multicast])
async def test_numbers_and_etags_are_asked_of_a_broker_elsewhere(make: object) -> None:
    settings = make()  # type: ignore[operator]  # one of two functions
    async with Bus(settings) as here, Bus(settings) as there:
        broker = Broker(there, {"Known": 777})
        one = here.node(NodeSettings("one", await here.number_for(b"node-one")))
        two = there.node(NodeSettings("two", await there.number_for(b"node-two")))
        got: list[Delivery] = []
        await two.subscribe("Speed", on_event=got.append)
        assert (await one.announce("Known")).etag == 777
        await one.announce("Speed")
        one.publish(Event("Speed", b"x" * 50))
        await eventually(lambda: got)
        assert len(broker.etags) == 2
        assert {one.number, two.number} == {125, 126}
        assert here.totals["conflicts"] == there.totals["conflicts"] == 0


async def test_many_ask_at_once_and_each_is_answered() -> None:
    settings = virtual()
    async with Bus(settings) as here, Bus(settings) as there:
        Broker(there)
        uids = [b"node" + number.to_bytes(4, "big") for number in range(6)]
        numbers = await asyncio.gather(*(here.number_for(uid) for uid in uids))
        assert len(set(numbers)) == 6
        etags = await asyncio.gather(*(here.etag(1, f"subject {n}") for n in range(20)))
        assert len(set(etags)) == 20


async def test_without_a_broker_nobody_answers_and_that_is_told() -> None:
    settings = BusSettings(virtual().interface, 0, ask_s=0.01, asks=2)
    async with Bus(settings) as bus:
        node = bus.node(NodeSettings("one", 1))
        with pytest.raises(NotConnectedError, match="no broker"):
            await node.announce("Speed")
        with pytest.raises(NotConnectedError, match="no broker"):
            await bus.number_for(b"node-one")


async def test_events_cross_between_processes(tmp_path: Path) -> None:
    settings = multicast()
    program = tmp_path / "publisher.py"
    program.write_text(PUBLISHER)
    async with Bus(BusSettings(settings.interface, hashed=True)) as bus:
        got: list[Delivery] = []
        await bus.node(NodeSettings("here", 6)).subscribe("Speed", on_event=got.append)
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(program), str(settings.interface.port)
        )
        await eventually(lambda: len(got) == 50, 30.0)
        assert await process.wait() == 0
    assert [each.content[0] for each in got] == list(range(50))


async def test_frames_that_python_can_sends_are_heard_and_others_counted() -> None:
    settings = multicast()
    async with Bus(settings) as bus:
        got: list[Delivery] = []
        bus.node(NodeSettings("here", 6)).listen(12345, on_event=got.append)
        with pythons_own(settings) as plain:
            plain.send(can.Message(arbitration_id=12345, is_error_frame=True))
            plain.send(can.Message(arbitration_id=12345, is_remote_frame=True, dlc=8))
            plain.send(can.Message(arbitration_id=12345, data=b"FES0001\x1e"))
        await eventually(lambda: got)
        assert [each.content for each in got] == [b"FES0001\x1e"]
        assert bus.totals["errors"] == bus.totals["remote"] == 1


async def test_frames_that_we_send_are_heard_by_python_can() -> None:
    settings = multicast()
    with pythons_own(settings) as plain:
        async with Bus(settings) as bus:
            node = bus.node(NodeSettings("here", 6))
            node.send_frame(Frame(12345, b"FES0001\x1e"))
            message = await asyncio.to_thread(plain.recv, 10.0)
    assert message is not None
    assert (message.arbitration_id, bytes(message.data)) == (12345, b"FES0001\x1e")


async def test_a_bus_of_several_hosts_is_pythons_own() -> None:
    there = multicast().interface
    wide = Interface(there.kind, there.channel, there.port, hop_limit=1)
    with pythons_own(BusSettings(wide)):
        async with Bus(BusSettings(wide)) as bus:
            await bus.probe()


async def test_a_datagram_that_is_no_frame_is_counted_and_set_aside() -> None:
    settings = multicast()
    async with Bus(settings) as bus:
        aside: list[str] = []
        bus.watchers.append(lambda reason, _raw: aside.append(reason))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as vandal:
            here = socket.inet_aton("127.0.0.1")
            vandal.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, here)
            vandal.sendto(b"\xc1 no frame", (GROUP, settings.interface.port))
        await eventually(lambda: aside)
        assert bus.totals["malformed"] == 1
        await bus.probe()


async def test_a_probe_proves_that_frames_come_back() -> None:
    for settings in (virtual(), multicast()):
        async with Bus(settings) as bus:
            await bus.probe()


async def test_an_interface_that_broke_is_opened_again() -> None:
    async with Bus(virtual()) as bus:
        got: list[Delivery] = []
        one = bus.node(NodeSettings("one", 1))
        bus.node(NodeSettings("two", 2)).listen(5, on_event=got.append)
        bus._wire._driver.broken = "as if the cable had been pulled"
        with pytest.raises(NotConnectedError, match="cable"):
            one.send_frame(Frame(5, b"lost"))
        await eventually(lambda: bus.connected)
        one.send_frame(Frame(5, b"x"))
        await eventually(lambda: got)
        assert bus.totals["reopened"] == 1


async def test_a_deaf_interface_fails_its_probe_and_is_opened_again() -> None:
    async with Bus(virtual()) as bus:
        notifier = bus._wire._driver._notifier
        assert notifier is not None
        await asyncio.to_thread(notifier.stop)
        with pytest.raises(NotConnectedError, match="came back"):
            await bus.probe(0.1)
        await eventually(lambda: bus.totals["reopened"] == 1)
        await bus.probe()


async def test_another_node_under_our_number_is_noticed() -> None:
    settings = virtual()
    async with Bus(settings) as here, Bus(settings) as there:
        here.node(NodeSettings("one", 1))
        there.node(NodeSettings("other", 1)).send_frame(Frame(1 << 14 | 300, b""))
        await eventually(lambda: here.totals["conflicts"] == 1)


def test_an_interface_that_there_is_not_is_refused() -> None:
    with pytest.raises(MalformedError, match="none of"):
        Interface("serial")
    with pytest.raises(MalformedError):
        Interface("udp_multicast", GROUP, 0)


async def test_a_network_interface_that_is_not_there_is_not_connected() -> None:
    bus = Bus(BusSettings(Interface("socketcan", "nocan9")))
    with pytest.raises(NotConnectedError):
        await bus.open()


async def test_events_cross_a_kernel_bus_where_there_is_one() -> None:
    bus = Bus(BusSettings(Interface("socketcan", "vcan0"), hashed=True))
    with contextlib.suppress(NotConnectedError):
        await bus.open()
    if not bus.connected:
        pytest.skip("this kernel has no vcan0")
    async with bus:
        got: list[Delivery] = []
        await bus.node(NodeSettings("two", 2)).subscribe("Speed", on_event=got.append)
        one = bus.node(NodeSettings("one", 1))
        await one.announce("Speed")
        one.publish(Event("Speed", b"x" * 50))
        await eventually(lambda: got)


async def test_two_nodes_of_one_number_are_refused() -> None:
    async with Bus(virtual()) as bus:
        bus.node(NodeSettings("one", 1))
        with pytest.raises(RefusedError, match="is in use on this bus"):
            bus.node(NodeSettings("two", 1))
