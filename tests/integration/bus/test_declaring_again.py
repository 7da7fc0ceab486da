"""Clients of a bus that has lost what they had declared."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from eventservices.bus import (
    BusClient,
    BusOptions,
    BusSettings,
    Event,
    EventBus,
    NatsTransport,
    UnsubscribeError,
)
from eventservices.bus.api import client as client_api
from eventservices.bus.filters import Code
from eventservices.bus.wire import calls
from eventservices.bus.wire.subjects import Subjects
from eventservices.natslink import NatsLink
from eventservices.servers import NatsServer, ServerSpec
from fes.testing.eventually import eventually

pytestmark = pytest.mark.broker

BADGE = "ie.tcd.cs.ActiveBadge"
PLUGIN = Code("f.py", "0" * 64, {})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("again", tmp_path_factory.mktemp("again"))) as running:
        yield running


def bus(server: NatsServer, building: str, **settings: Any) -> EventBus:
    options = BusOptions(BusSettings(**settings), monitor_s=3600.0)
    return EventBus([server.url], building, "a", options)


def far(server: NatsServer, building: str, name: str = "far") -> BusClient:
    return BusClient(NatsTransport([server.url], building, "a", name))


class Gated(NatsTransport):
    """Sends subscriptions only while its gate is open."""

    waiting = 0

    def __init__(self, urls: Sequence[str], building: str, bus: str, client: str) -> None:
        super().__init__(urls, building, bus, client)
        self.gate = asyncio.Event()
        self.gate.set()

    async def send(self, call: calls.Call) -> None:
        if isinstance(call.request, calls.Subscribe):
            self.waiting += 1
            await self.gate.wait()
            self.waiting -= 1
        await super().send(call)


def _ignore(event: Event) -> None:
    del event


async def test_a_sink_that_is_refused_after_a_restart_ends_and_the_others_do_not(
    server: NatsServer,
) -> None:
    first = await bus(server, "again1", code=True).open()
    async with far(server, "again1") as client:
        ended: list[tuple[str, str]] = []
        got: list[Event] = []
        source = await client.advertise(BADGE)
        await client.subscribe(
            BADGE, _ignore, PLUGIN, on_ended=lambda bus_, reason: ended.append((bus_, reason))
        )
        await client.subscribe(BADGE, got.append)
        await first.kill()
        async with bus(server, "again1") as second:
            await eventually(lambda: len(ended) == 1, what="the end of the refused sink")
            await eventually(lambda: second.counters["sinks"] == 1, what="the other sink")
            await source.notify({"n": 1})
            await eventually(lambda: len(got) == 1, what="an event at the other sink")
            assert ended[0][0] == "a"
            assert "code" in ended[0][1]
            assert client.counters["not_declared_again"] == 1


async def test_what_could_not_be_declared_is_declared_when_the_bus_answers_again(
    server: NatsServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(client_api, "CALL_S", 0.2)
    first = await bus(server, "again2").open()
    async with far(server, "again2") as client, NatsLink([server.url]) as link:
        got: list[Event] = []
        source = await client.advertise(BADGE)
        await client.subscribe(BADGE, got.append)
        await first.kill()
        await link.publish(Subjects("again2").push("a", "all"), calls.encode(calls.NotKnown()))
        await eventually(lambda: client.counters["bus_restarts"] == 1, what="the notice")
        await eventually(lambda: "declaring_again_failed" in caplog.text, what="a failure")
        async with bus(server, "again2") as second:
            await eventually(lambda: second.counters["sinks"] == 1, what="the sink")
            await source.notify({"n": 1})
            await eventually(lambda: len(got) == 1, what="an event at the sink")


async def test_a_client_that_was_cleaned_up_though_it_lives_is_declared_again(
    server: NatsServer,
) -> None:
    async with bus(server, "again3") as a, far(server, "again3") as client:
        got: list[Event] = []
        await client.subscribe(BADGE, got.append)
        a._leave("far")
        assert a.counters["sinks"] == 0
        await client.advertise("some.event")
        await eventually(lambda: a.counters["sinks"] == 1, what="the sink")
        async with far(server, "again3", "other") as other:
            await (await other.advertise(BADGE)).notify({"n": 1})
            await eventually(lambda: len(got) == 1, what="an event at the sink")


async def test_sinks_that_are_ended_before_or_while_they_are_declared_again_stay_ended(
    server: NatsServer,
) -> None:
    first = await bus(server, "again4").open()
    transport = Gated([server.url], "again4", "a", "far")
    async with BusClient(transport) as client:
        sinks = [await client.subscribe(BADGE, _ignore) for _ in range(3)]
        transport.gate.clear()
        await first.kill()
        async with bus(server, "again4") as second:
            await eventually(lambda: transport.waiting == 1, what="the first of the sinks")
            for sink in sinks[:2]:
                with pytest.raises(UnsubscribeError):
                    await sink.unsubscribe()
            transport.gate.set()
            assert client._again is not None
            await asyncio.wait_for(client._again, 30)
            assert second.counters["sinks"] == 1
            await sinks[2].unsubscribe()


async def test_a_callback_that_fails_does_not_end_declaring_again(server: NatsServer) -> None:
    def fail(bus_: str, reason: str) -> None:
        raise ValueError(bus_, reason)

    first = await bus(server, "again6", code=True).open()
    async with far(server, "again6") as client:
        await client.subscribe(BADGE, _ignore, PLUGIN, on_ended=fail)
        await client.subscribe(BADGE, _ignore)
        async with far(server, "again6", "source") as other:
            await other.advertise(BADGE)
            await first.kill()
            async with bus(server, "again6") as second:
                await eventually(lambda: client.counters["ended"] == 1, what="the refusal")
                await eventually(lambda: second.counters["sinks"] == 1, what="the other sink")
                assert client.counters["listener_errors"] == 1


async def test_a_client_that_missed_the_notice_of_a_restart_is_declared_when_it_connects_again(
    server: NatsServer,
) -> None:
    first = await bus(server, "again7").open()
    transport = NatsTransport([server.url], "again7", "a", "far")
    async with BusClient(transport) as client:
        await client.subscribe(BADGE, _ignore)
        await first.kill()
        listenings = list(transport._link._listenings)
        for each in listenings:
            await each.end()
        async with bus(server, "again7") as second:
            await second.probe()
            assert client.counters["bus_restarts"] == 0
            await transport._link.client.close()  # another is made, with all subscriptions
            await eventually(lambda: second.counters["sinks"] == 1, what="the sink")


async def test_what_a_client_that_has_left_still_sends_makes_no_client_for_good(
    server: NatsServer,
) -> None:
    async with bus(server, "again8") as a, NatsLink([server.url]) as link:
        late = calls.Call(0, calls.Delivered(1, 1))
        await link.publish(Subjects("again8").call("a", "gone"), calls.encode(late))
        await eventually(lambda: a.counters["clients"] == 1, what="the call")
        for _ in range(3):
            a.monitor()
        assert a.counters["clients"] == 0
