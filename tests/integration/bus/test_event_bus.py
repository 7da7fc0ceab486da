"""Buses over a real NATS server: calls and exceptions, types, crashes, restarts, worker pools."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from eventservices.bus import (
    BusClient,
    BusOptions,
    BusSettings,
    Event,
    EventBus,
    EventType,
    LocalTransport,
    NatsTransport,
    NotifyError,
    PoolSettings,
    SqliteStore,
    SubscriptionError,
    TypedSink,
    TypedSource,
    TypeMismatchError,
    UnadvertiseError,
    UnsubscribeError,
)
from eventservices.bus.filters import Among, Code, Compare, Field
from eventservices.bus.wire.tokens import issue
from eventservices.servers import NatsServer, ServerSpec
from fes.testing.eventually import eventually
from serving.clocks import wall_us

pytestmark = pytest.mark.broker

BADGE = "ie.tcd.cs.ActiveBadge"


class Sighting(msgspec.Struct, frozen=True):
    station: str
    badge: bytes


SIGHTING = EventType(BADGE, Sighting)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("buses", tmp_path_factory.mktemp("buses"))) as running:
        yield running


def _ignore(event: Event) -> None:
    del event


def bus(server: NatsServer, building: str, name: str, **options: object) -> EventBus:
    return EventBus([server.url], building, name, BusOptions(**options))  # type: ignore[arg-type] # options by name


def local(bus_: EventBus, name: str, user: str = "") -> BusClient:
    return BusClient(LocalTransport(bus_, name), user=user, device="desk")


async def test_a_subscription_before_any_source_holds_and_types_are_checked_at_both_ends(
    server: NatsServer,
) -> None:
    async with (
        bus(server, "t1", "a") as a,
        bus(server, "t1", "b") as b,
        local(a, "x") as x,
        local(b, "y") as y,
    ):
        got: list[Sighting] = []
        also: list[Sighting] = []
        sink = TypedSink(y, SIGHTING)
        sink.add_listener(got.append)
        sink.add_listener(also.append)
        await sink.start()
        source = TypedSource(x, SIGHTING)
        await source.start()
        await eventually(lambda: a.counters["remote_sinks"] == 1, what="the subscription")
        await source.notify(Sighting("s1", b"\x00\x01\x02\x03\x04\x05"))
        await eventually(lambda: len(also) == 1, what="both listeners")
        assert got == also == [Sighting("s1", b"\x00\x01\x02\x03\x04\x05")]
        with pytest.raises(TypeMismatchError, match="station"):
            await source.notify(Sighting(1, b""))  # type: ignore[arg-type] # a wrong type on purpose
        other = await x.advertise(BADGE)
        await other.notify({"station": "s1"})
        await eventually(lambda: sink.mistyped == 1, what="the mistyped event is counted")
        assert len(got) == 1


async def test_each_call_reports_its_exception(server: NatsServer) -> None:
    async with bus(server, "t2", "a") as a, local(a, "x") as x:
        source = await x.advertise(BADGE)
        await source.unadvertise()
        with pytest.raises(UnadvertiseError):
            await source.unadvertise()
        with pytest.raises(NotifyError):
            await source.notify({})
        sink = await x.subscribe(BADGE, _ignore)
        await sink.unsubscribe()
        with pytest.raises(UnsubscribeError):
            await sink.unsubscribe()
        with pytest.raises(SubscriptionError, match="label 2"):
            await x.subscribe("ie..x", _ignore)
        with pytest.raises(SubscriptionError, match="constant of type list"):
            await x.subscribe(BADGE, _ignore, Compare(Field("a"), "=", [1]))


async def test_filters_that_are_code_are_off_by_default(server: NatsServer) -> None:
    async with bus(server, "t3", "a") as a, local(a, "x") as x:
        await x.advertise(BADGE)
        with pytest.raises(SubscriptionError, match="code"):
            await x.subscribe(BADGE, _ignore, Code("f.wasm", "0" * 64, {}))


async def test_a_crashed_client_is_cleaned_up_by_the_monitor(server: NatsServer) -> None:
    async with bus(server, "t4", "a", monitor_s=0.2) as a:
        transport = NatsTransport([server.url], "t4", "a", "far")
        client = await BusClient(transport).open()
        await client.advertise("other.event")
        await client.subscribe(BADGE, _ignore)
        await asyncio.sleep(0)
        assert (a.counters["sinks"], a.counters["sources"]) == (1, 1)
        await transport.close()  # it says nothing, as in a crash
        await eventually(lambda: a.counters.get("clients_cleaned") == 1, what="the clean-up")
        assert (a.counters["sinks"], a.counters["sources"]) == (0, 0)


async def test_a_client_that_lives_is_never_cleaned_up(server: NatsServer) -> None:
    async with (
        bus(server, "t5", "a", monitor_s=0.1) as a,
        BusClient(NatsTransport([server.url], "t5", "a", "far")) as client,
    ):
        await client.subscribe(BADGE, _ignore)
        await eventually(
            lambda: a.counters.get("received_EBHello", 0) >= 0 and a.core.counters["sinks"] == 1
        )
        for _ in range(10):
            a.monitor()
            await client.advertise("some.event")
        assert a.counters.get("clients_cleaned", 0) == 0


async def test_persistent_events_outlive_crashes_of_both_buses(
    server: NatsServer, tmp_path: Path
) -> None:
    settings = BusSettings(hello_us=200_000, retry_us=100_000)

    def made(name: str) -> EventBus:
        store = SqliteStore(tmp_path / f"{name}.db")
        return bus(server, "t6", name, settings=settings, store=store)

    got: list[int] = []
    a, b = await made("a").open(), await made("b").open()
    far = BusClient(NatsTransport([server.url], "t6", "b", "far"))
    await far.open()
    await far.subscribe(BADGE, lambda event: got.append(event.values["n"]), durable="kept")
    near = BusClient(NatsTransport([server.url], "t6", "a", "near"))
    await near.open()
    source = await near.advertise(BADGE)
    await eventually(lambda: a.counters["remote_sinks"] == 1, what="the subscription")
    await b.kill()
    for number in range(50):
        await source.notify({"n": number}, persistent=True)
    await a.kill()
    a = await made("a").open()
    b = await made("b").open()
    await eventually(lambda: len(got) >= 50, 20, "all persistent events")
    assert got == list(range(50))
    await eventually(lambda: a.counters["waiting_to_send"] == 0, what="nothing waits")
    for each in (far, near):
        await each.close()
    for each_bus in (a, b):
        await each_bus.close()


async def test_workers_follow_the_water_marks(server: NatsServer) -> None:
    pool = PoolSettings(least=1, most=4, low=2, high=10)
    async with bus(server, "t7", "a", delivering=pool) as a, local(a, "x") as x:
        source = await x.advertise(BADGE)
        gate = asyncio.Event()
        done: list[Event] = []

        async def listen(event: Event) -> None:
            await gate.wait()
            done.append(event)

        for _ in range(20):
            await x.subscribe(BADGE, listen)
        for number in range(5):
            await source.notify({"n": number})
        await eventually(lambda: a.counters["deliver_workers"] == 4, what="the pool has grown")
        gate.set()
        await eventually(lambda: len(done) == 100, what="all deliveries")
        for _ in range(5):
            a.monitor()
        assert a.counters["deliver_workers"] == 1


async def test_a_user_is_whom_a_token_vouches_for(server: NatsServer) -> None:
    secret = b"of the building"
    async with (
        bus(server, "t8", "a", secret=secret) as a,
        bus(server, "t8", "b") as b,
        local(b, "x") as x,
    ):
        source = await x.advertise(BADGE)
        got: list[Event] = []
        token = issue(secret, "ann", 1 << 62)
        async with local(a, "y", token) as y, local(a, "z", "ann") as z:
            await y.subscribe(BADGE, got.append, Compare(Field("", "user"), "=", "ann"))
            with pytest.raises(SubscriptionError, match="signed"):
                await z.subscribe(BADGE, got.append)
            await source.notify({"n": 1})
            await eventually(lambda: len(got) == 1, what="ann's event")


async def test_garbage_on_the_buses_subjects_harms_nothing(server: NatsServer) -> None:
    async with bus(server, "t9", "a") as a, bus(server, "t9", "b") as b:
        for subject in ("evbus.t9.to.a.b", "evbus.t9.all.b", "evbus.t9.call.a.evil"):
            await b._link.publish(subject, b"\xc1garbage")
            await b._link.publish(subject, b"\x91" * 5000)
        await b._link.flush()
        await eventually(lambda: a.counters.get("malformed", 0) >= 6, what="the refusals")
        async with local(a, "x") as x, local(b, "y") as y:
            source = await x.advertise(BADGE)
            got: list[Event] = []
            await y.subscribe(BADGE, got.append, Among(Field("n"), (1,)))
            await source.notify({"n": 1})
            await eventually(lambda: len(got) == 1, what="an event after the garbage")


@pytest.mark.parametrize("by_us", [-3_600_000_000, 3_600_000_000], ids=["back", "forward"])
async def test_a_wall_clock_that_is_set_ends_no_living_bus_and_keeps_no_crashed_one(
    server: NatsServer, by_us: int
) -> None:
    set_us = 0
    settings = BusSettings(hello_us=100_000, silent_us=3_000_000)
    near = bus(server, "set", "near", settings=settings, clock_us=lambda: wall_us() + set_us)
    got: list[Event] = []
    async with (
        near,
        bus(server, "set", "far", settings=settings) as far,
        local(near, "source") as source_client,
        local(far, "sink") as sink_client,
    ):

        def hellos() -> int:
            return far.counters.get("received_EBHello", 0)

        source = await source_client.advertise(BADGE)
        await sink_client.subscribe(BADGE, got.append)
        set_us, before = by_us, hellos()
        await eventually(lambda: hellos() > before + 20, what="signs of life")
        assert near.counters.get("buses_cleaned", 0) == 0
        assert far.counters.get("buses_cleaned", 0) == 0
        await source.notify({"station": "a", "badge": b""})
        await eventually(lambda: len(got) == 1, what="the event")
        assert abs(got[0].stamp.time_us - wall_us() - by_us) < 60_000_000
        await far.kill()
        await eventually(lambda: near.counters["remote_sinks"] == 0, what="the clean-up")
        assert near.counters["buses_cleaned"] == 1
