"""What NATS and its client do to a link, and what the link makes of it."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from adapter_cns.adapter import CnsAdapter
from eventservices import natsconnecting, natslink, natsoutage, natsproof
from eventservices.errors import NotConnectedError, RefusedError
from eventservices.natsclient import NatsClient
from eventservices.natslink import LinkOptions, NatsLink
from eventservices.servers import NatsServer, ServerSpec
from fes.adapter.pool import ConnectionPool
from fes.link.messages import Subscribe
from fes.testing.conformance.bench import captured
from fes.testing.eventually import eventually
from integration.traps.strangers import somebody_else
from support.processes.contexts import adapter_context
from support.processes.halted import halted
from support.processes.proxy import Proxy

pytestmark = pytest.mark.broker

UNWATCHED = LinkOptions(probe_interval_s=0, probe_timeout_s=2.0)
WATCHED = LinkOptions(probe_interval_s=0.2, probe_timeout_s=0.5, open_timeout_s=1.0)


def through(proxy: Proxy, options: LinkOptions = UNWATCHED) -> NatsLink:
    return NatsLink([f"nats://127.0.0.1:{proxy.port}"], options)


async def listened(link: NatsLink, subject: str = "x") -> list[bytes]:
    """Subscribe, and return the list that payloads are put in."""
    got: list[bytes] = []
    await link.listen(subject, lambda _s, payload, _h, _r: got.append(payload))
    await link.flush()
    return got


async def heard_again(link: NatsLink, got: list[bytes]) -> None:
    """Wait until what the link publishes is heard by itself."""
    before = len(got)

    async def heard() -> bool:
        try:
            await link.publish("x", b"again")
            await link.flush()
        except NotConnectedError:
            return False
        return len(got) > before

    await eventually(heard, 30.0, "the link hears itself")


async def test_an_outage_of_any_length_ends_in_a_connection(
    own_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client's own default gives up for good after 60 attempts."""
    monkeypatch.setattr(natsconnecting, "RECONNECT_WAIT_S", 0.005)
    async with NatsLink([own_server.url], UNWATCHED) as link:
        got = await listened(link)
        first = own_server.pid
        own_server.kill()
        await eventually(lambda: link.counters.errors > 130, 30.0, "attempts in vain")
        assert not link.connected
        own_server.start()
        assert own_server.pid != first
        await heard_again(link, got)
        await eventually(lambda: link.counters.reconnects == 1)
        assert link.counters.rebuilds == 0


async def test_pings_find_a_silent_partition_by_themselves(
    nats_proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(natsconnecting, "PING_INTERVAL_S", 0.1)
    async with through(nats_proxy) as link:
        got = await listened(link)
        nats_proxy.deafen()
        await eventually(lambda: link.counters.reconnects == 1, what="another connection")
        assert nats_proxy.swallowed
        await heard_again(link, got)
        assert link.counters.rebuilds == 0


async def test_a_connection_that_is_ended_at_once_is_not_made_again_in_a_storm(
    nats_proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client itself waits as long each time, and so do all others that were ended with it."""
    monkeypatch.setattr(natslink, "BACKOFF_S", (0.3, 2.0))
    async with through(nats_proxy) as link:
        got = await listened(link)
        began_s, made = time.monotonic(), nats_proxy.connections
        nats_proxy.kick_s = 0.03
        nats_proxy.cut()
        await eventually(lambda: nats_proxy.connections >= made + 5, 30.0, "five attempts")
        assert time.monotonic() - began_s > 4 * (0.3 + natsconnecting.RECONNECT_WAIT_S) - 0.2
        nats_proxy.kick_s = None
        await heard_again(link, got)


async def test_one_that_is_replaced_again_and_again_is_not_either(
    nats_proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with through(nats_proxy) as link:
        got = await listened(link)
        began_s = time.monotonic()

        def rebuilt(times: int) -> bool:
            return link.counters.rebuilds == times

        for number in range(1, 6):
            await link.client.close()  # as after an error that the server tells
            await eventually(partial(rebuilt, number))
        least_s, _ = natslink.BACKOFF_S
        assert time.monotonic() - began_s > 4 * least_s
        await heard_again(link, got)


def garbage(_: int) -> bytes:
    return b'HTTP/1.1 400 Bad Request\r\n\r\nINFO {"no json\r\n' + bytes(range(256))


async def test_something_else_on_the_brokers_port_does_not_end_the_link(
    own_server: NatsServer,
) -> None:
    async with NatsLink([own_server.url], WATCHED) as link:
        got = await listened(link)
        own_server.kill()
        async with somebody_else(own_server.port, garbage) as callers:
            await eventually(lambda: len(callers) > 3, 20.0, "it called several times")
        own_server.start()
        await heard_again(link, got)


async def test_a_handler_that_raises_is_counted_and_ends_nothing(server: NatsServer) -> None:
    got: list[bytes] = []

    def handler(_subject: str, payload: bytes, _headers: bytes, _reply: str) -> None:
        got.append(payload)
        raise ValueError("a bug")

    async with NatsLink([server.url], UNWATCHED) as link:
        await link.listen("raising", handler)
        for number in range(3):
            await link.publish("raising", b"%d" % number)
        await link.flush()
        assert got == [b"0", b"1", b"2"]
        assert link.handler_errors == 3
        assert link.counters.rebuilds == 0


async def test_a_callback_of_a_reconnection_that_raises_ends_nothing(nats_proxy: Proxy) -> None:
    told: list[str] = []

    def fail() -> None:
        told.append("first")
        raise ValueError("a bug")

    async with through(nats_proxy) as link:
        got = await listened(link)
        link.on_connected += [fail, lambda: told.append("second")]

        def reconnected(times: int) -> bool:
            return link.counters.reconnects == times

        for times in (1, 2):
            nats_proxy.cut()
            await eventually(partial(reconnected, times))
            await heard_again(link, got)
        assert told == ["first", "second"] * 2


async def test_a_slow_handler_loses_nothing_that_was_sent(server: NatsServer) -> None:
    """The client's own queue would drop the newest; here the socket holds back the server."""
    got: list[bytes] = []

    def slowly(_subject: str, payload: bytes, _headers: bytes, _reply: str) -> None:
        time.sleep(0.0005)
        got.append(payload[:8])

    async with NatsLink([server.url], UNWATCHED) as reader, NatsLink([server.url]) as writer:
        await reader.listen("flood", slowly)
        await reader.flush()
        for number in range(1000):
            await writer.publish("flood", b"%08d" % number + bytes(4096))
        await writer.flush()
        await eventually(lambda: len(got) == 1000, 30.0, "all that was sent")
        assert got == [b"%08d" % number for number in range(1000)]
        assert reader.counters.errors == 0


async def test_an_event_waits_for_a_connection_that_was_just_lost(server: NatsServer) -> None:
    """A server ends the connection of a client that is behind."""
    async with Proxy(server.port) as proxy, through(proxy) as link:
        got = await listened(link)
        proxy.cut()
        await eventually(lambda: not link.connected)

        await asyncio.gather(*(link.publish("x", b"%d" % n, waits=False) for n in range(3)))
        await eventually(lambda: got == [b"0", b"1", b"2"])

        assert link.counters.refused == 0


async def test_an_event_does_not_wait_for_a_connection_that_stays_away(
    own_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(natsoutage, "RETURN_S", 0.2)
    async with NatsLink([own_server.url], UNWATCHED) as link:
        got = await listened(link)
        own_server.kill()
        await eventually(lambda: not link.connected)
        for _ in range(2):
            with pytest.raises(NotConnectedError, match="is away"):
                await link.publish("x", b"lost", waits=False)
        monkeypatch.setattr(natsoutage, "RETURN_S", 1e9)
        waiting = asyncio.create_task(link.publish("x", b"waited", waits=False))

        own_server.start()
        await waiting
        await eventually(lambda: got == [b"waited"])

        own_server.kill()
        await eventually(lambda: not link.connected)
        waiting = asyncio.create_task(link.publish("x", b"lost", waits=False))
        await asyncio.sleep(0)
        await link.close()
        with pytest.raises(NotConnectedError):
            await waiting


async def test_what_could_not_be_written_is_sent_over_the_next_connection_and_not_refused(
    server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transport that was closed a moment ago raises; the client keeps the message."""
    async with Proxy(server.port) as proxy, through(proxy) as link:
        got, client = await listened(link), link.client
        failing = iter([RuntimeError("the handler is closed")])
        flush = client._flush_pending

        async def flushed(*given: object, **named: object) -> object:
            for error in failing:
                raise error
            return await flush(*given, **named)  # type: ignore[arg-type] # passed on

        monkeypatch.setattr(client, "_flush_pending", flushed)
        await link.publish("x", b"kept", waits=False)
        proxy.cut()

        await eventually(lambda: got == [b"kept"])
        assert link.counters.refused == 0


async def test_events_are_published_while_the_receiving_connection_is_lost(
    server: NatsServer,
) -> None:
    options = LinkOptions(probe_interval_s=0, apart=True)
    async with NatsLink([server.url]) as reader, NatsLink([server.url], options) as link:
        got = await listened(reader)
        own = await listened(link)

        link.client.abort()
        for number in range(100):
            await link.publish("x", b"%d" % number, waits=False)
        await eventually(lambda: got == [b"%d" % number for number in range(100)])

        await eventually(lambda: link.connected)
        await link.flush()
        own.clear()
        for _ in range(2000):
            await link.publish("x", bytes(1000), waits=False)
        await link.probe()
        assert len(own) == 2000
        assert link.counters.refused == 0


async def test_a_lost_publishing_connection_returns_and_is_waited_for(server: NatsServer) -> None:
    options = LinkOptions(probe_interval_s=0.1, apart=True)
    async with Proxy(server.port) as proxy, through(proxy, options) as link:
        got, client = await listened(link), link.client
        events = link._events
        assert events is not None
        for close in (NatsClient.abort, NatsClient.close):
            closing = close(events.client)
            if closing is not None:
                await closing
            await eventually(lambda: not events.connected)
            await link.publish("x", b"waited", waits=False)
            await eventually(lambda: got == [b"waited"])
            got.clear()
        assert link.client is client
        assert link.counters.refused == 0


async def test_what_a_stalled_server_does_not_take_is_bounded_and_refused(
    own_server: NatsServer,
) -> None:
    """While it seems connected, the client itself takes publications without end."""
    bound, payload = 64 * 1024, bytes(16 * 1024)
    options = LinkOptions(probe_interval_s=0, probe_timeout_s=0.1, pending_bytes=bound)
    async with NatsLink([own_server.url], options) as link:
        client, got = link.client, await listened(link)

        async def publish() -> None:
            with contextlib.suppress(NotConnectedError):
                await link.publish("stalled", payload)

        with halted(own_server):
            for _ in range(5):  # many at a time, and again and again
                await asyncio.gather(*(publish() for _ in range(100)))
            assert client is link.client
            assert client._pending_data_size <= 2 * bound
            assert link.counters.refused > 300
        await heard_again(link, got)


RIGHTS = """
authorization {
  users: [
    {user: native, password: secret}
    {user: fes, password: secret, permissions: {subscribe: {deny: [%s]}}}
  ]
}
"""


class Guarded(NatsServer):
    """A server whose rights may be changed while it runs."""

    denied = ""

    def _configuration(self) -> str:
        return super()._configuration() + RIGHTS % self.denied

    def deny(self, denied: str) -> None:
        """Take rights away, or give them back; the connections stay."""
        self.denied = denied
        (self.spec.folder / f"{self.spec.name}.conf").write_text(self._configuration(), "utf-8")
        assert self.pid is not None
        os.kill(self.pid, signal.SIGHUP)

    def url_of(self, user: str) -> str:
        return f"nats://{user}:secret@{self.host}:{self.port}"


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Guarded]:
    with Guarded(ServerSpec("guarded", tmp_path)) as started:
        yield started


async def test_a_subscription_that_the_server_took_away_is_told_and_asked_for_again(
    guarded: Guarded,
) -> None:
    """The connection stays open, and messages to oneself still arrive."""
    async with (
        NatsLink([guarded.url_of("fes")], UNWATCHED) as link,
        NatsLink([guarded.url_of("native")]) as native,
    ):
        got = await listened(link, "Secret.x")
        first = link.client

        async def refused() -> bool:
            try:
                await link.probe()
            except RefusedError as error:
                return "Secret.x" in str(error)
            return False

        async def heard() -> bool:
            await native.publish("Secret.x", b"1")
            await native.flush()
            return bool(got)

        guarded.deny('"Secret.>"')
        await eventually(refused, what="the proof names it")
        await link.flush()
        assert not got

        guarded.deny("")
        await eventually(lambda: _proved(link), what="it is asked for again")
        await eventually(heard, what="it is in force again")
        assert link.client is first


async def _proved(link: NatsLink) -> bool:
    try:
        return await link.probe() > 0
    except RefusedError:
        return False


async def test_an_adapter_whose_subscription_was_taken_away_is_not_ready(
    guarded: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fes.adapter.runtime.PROBE_S", 0.1)
    context = adapter_context(
        "g", "v", CnsAdapter, ConnectionPool(), brokers=(guarded.url_of("fes"),)
    )
    async with captured(CnsAdapter(context)) as gateway:
        await gateway.order(Subscribe(1, "subject = 'Speed'", 1))
        guarded.deny('"cns.event.>"')
        await eventually(lambda: not gateway.runtime.ready, what="it says so")
        assert "cns.event.v" in gateway.runtime.reason
        guarded.deny("")
        await eventually(lambda: gateway.runtime.ready, what="it is ready again")


async def test_a_link_that_is_behind_with_what_it_receives_is_not_replaced(
    server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A flood would else end the connection by which others publish, again and again."""
    got: list[bytes] = []

    def slowly(_subject: str, payload: bytes, _headers: bytes, _reply: str) -> None:
        time.sleep(0.002)
        got.append(payload)

    options = LinkOptions(probe_interval_s=0.1, probe_timeout_s=0.05)
    async with NatsLink([server.url], options) as reader, NatsLink([server.url]) as writer:
        after = await listened(writer, "after")
        await reader.listen("flood", slowly)
        await reader.flush()
        for number in range(1500):
            await writer.publish("flood", b"%d" % number)
        await writer.flush()
        await eventually(lambda: reader.counters.behind >= 2, 30.0, "it is behind")
        await reader.publish("after", b"published meanwhile", waits=False)
        await eventually(lambda: after == [b"published meanwhile"], 30.0, "what it published")
        await eventually(lambda: len(got) == 1500, 30.0, "all that was sent")
        assert (reader.counters.rebuilds, reader.counters.refused) == (0, 0)
        monkeypatch.setattr(natsproof, "BEHIND_S", 0.1)
        for number in range(1500):
            await writer.publish("flood", b"%d" % number)
        await eventually(lambda: reader.counters.rebuilds == 1, 30.0, "it is replaced in the end")
