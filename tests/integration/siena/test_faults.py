"""Servers that die, fall silent and come back."""

import asyncio
import socket
import time

import pytest
from eventservices.errors import NotConnectedError
from eventservices.natsclient import NatsClient
from eventservices.natslink import LinkOptions, NatsLink
from eventservices.siena import Connection, Filter, Notification, Options, Seen, where
from eventservices.stamp import Stamp
from support.processes.halted import halt, resume
from support.siena.clients import Cluster, Connect, Eventually


async def heard(got: list[Notification], writer: Connection) -> bool:
    """Tell whether a notification published now comes through within a moment."""
    before = len(got)
    client = writer.client("heard")
    try:
        await client.publish({"a": 1})
    except NotConnectedError:
        before = len(got)
    finally:
        await client.close()
    for _ in range(20):
        if len(got) > before:
            return True
        await asyncio.sleep(0.01)
    return False


async def until_heard(got: list[Notification], writer: Connection) -> None:
    async with asyncio.timeout(30):
        while not await heard(got, writer):
            pass


async def test_a_client_goes_on_at_another_server_when_its_own_dies(
    own_cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here = await connect(*own_cluster.urls)
    there = await connect(own_cluster.b.url)
    got: list[Notification] = []
    await here.client("reader").subscribe(where(("a", "any")), lambda n, _: got.append(n))
    seen: list[Seen] = []
    there.observe(seen.append)
    assert here.link.url == own_cluster.a.url
    own_cluster.a.kill()
    await eventually(lambda: here.link.url == own_cluster.b.url)
    await until_heard(got, there)
    await eventually(lambda: here.settled)
    assert here.link.counters.reconnects == 1
    own_cluster.a.start()
    subscription = await here.client("other").subscribe(Filter(), lambda *_: None)
    assert subscription.filter == Filter()


async def test_only_the_servers_given_are_used(
    own_cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here = await connect(own_cluster.a.url)
    own_cluster.a.kill()
    await eventually(lambda: here.link.counters.errors >= 4)
    assert not here.link.connected
    assert [server.port for server in here.link.client.servers] == [own_cluster.a.port]


async def test_a_server_that_falls_silent_is_left_and_subscriptions_come_back(
    own_cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here = await connect(*own_cluster.urls)
    there = await connect(own_cluster.b.url)
    got: list[Notification] = []
    await here.client("reader").subscribe(where(("a", "any")), lambda n, _: got.append(n))
    await until_heard(got, there)
    halt(own_cluster.a)
    try:
        with pytest.raises(NotConnectedError):
            await here.probe()
        await eventually(lambda: here.link.counters.rebuilds == 1)
        assert here.link.url == own_cluster.b.url
        await until_heard(got, there)
        assert await here.probe() < 1.0
    finally:
        resume(own_cluster.a)


async def test_an_answer_that_comes_after_a_flush_gave_up_does_not_deafen(
    own_cluster: Cluster, eventually: Eventually
) -> None:
    options = LinkOptions(probe_interval_s=0, probe_timeout_s=5.0)
    got: list[bytes] = []
    async with NatsLink([own_cluster.a.url], options) as link:
        await link.listen("x", lambda _s, payload, _h, _r: got.append(payload))
        await link.flush()
        halt(own_cluster.a)
        with pytest.raises(TimeoutError):
            await link.client.flush(1)
        resume(own_cluster.a)
        await link.flush()
        await link.publish("x", b"1")
        await eventually(lambda: got == [b"1"])
        assert link.counters.rebuilds == 0


async def test_a_client_that_the_server_closed_for_good_is_replaced(
    own_cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    unwatched = Options(link=LinkOptions(probe_interval_s=0), join_wait_s=0.1)
    here = await connect(own_cluster.a.url, options=unwatched)
    got: list[Notification] = []
    await here.client("reader").subscribe(where(("a", "any")), lambda n, _: got.append(n))
    await here.link.client.close()
    await eventually(lambda: here.link.counters.rebuilds == 1)
    await until_heard(got, here)


async def test_nobody_counts_as_dead_because_one_was_deaf_oneself(
    own_cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    options = Options(digest_interval_s=0.4, join_wait_s=0.1)
    here = await connect(own_cluster.a.url, options=options)
    there = await connect(own_cluster.a.url, options=options)
    await there.client("city").advertise(where(("a", "any")))
    seen: list[Seen] = []
    await eventually(lambda: len(here.peers.current()) == 1)
    here.observe(seen.append)
    own_cluster.a.kill()
    killed_s = time.monotonic()
    await eventually(lambda: time.monotonic() - killed_s > 2.0)
    assert not here.link.connected
    own_cluster.a.start()
    await eventually(lambda: here.settled and there.settled)
    await there.client("other").advertise(Filter())
    await eventually(lambda: len(here.peers.current()) == 2)
    assert [each.withdrawn for each in seen] == [False, False]
    assert here.peers.died == 0


async def test_a_watchdog_finds_a_read_loop_that_died(
    own_cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    options = LinkOptions(probe_interval_s=0.1, probe_timeout_s=0.3)
    async with NatsLink([own_cluster.a.url], options) as link:
        reading = link.client._reading_task
        assert reading is not None
        reading.cancel()
        assert link.connected
        await eventually(lambda: link.counters.rebuilds == 1)
        assert await link.probe() < 0.3


async def test_sockets_send_without_delay(own_cluster: Cluster, connect: Connect) -> None:
    here = await connect(own_cluster.a.url)
    writer = here.link.client._transport._io_writer  # type: ignore[union-attr] # TCP
    found = writer.get_extra_info("socket")
    assert found.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_an_event_published_again_keeps_its_stamp(
    own_cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here = await connect(own_cluster.a.url)
    stamps: list[Stamp | None] = []
    await here.client("reader").subscribe(Filter(), lambda _, stamp: stamps.append(stamp))
    given = Stamp("can/x", 3, 9, 17, "cns-v", ("steam-v", "steam-m"))
    assert await here.client("bridge").publish({"a": 1}, stamp=given) is given
    await eventually(lambda: stamps == [given])


async def test_what_is_muted_while_a_client_is_replaced_is_heard_no_more(
    own_cluster: Cluster, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    got: list[bytes] = []
    restored, go_on = asyncio.Event(), asyncio.Event()
    native_listen = NatsClient.listen

    async def listen(self: NatsClient, subject: str, *rest: object) -> object:
        if subject == "last":
            restored.set()
            await go_on.wait()
        return await native_listen(self, subject, *rest)  # type: ignore[arg-type] # passed on

    async with NatsLink([own_cluster.a.url], LinkOptions(probe_interval_s=0)) as link:
        first = await link.listen("first", lambda _s, payload, _h, _r: got.append(payload))
        await link.listen("last", lambda *_: None)
        monkeypatch.setattr(NatsClient, "listen", listen)
        await link.client.close()
        await restored.wait()
        await link.mute(first)
        go_on.set()
        await eventually(lambda: link.counters.rebuilds == 1)
        await link.publish("first", b"too late")
        await link.flush()
        assert got == []
