"""How adapters connect, share a connection, and fail."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from adapter_steam.adapter import SteamAdapter
from eventservices.errors import EventServiceError
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import Stamp as NativeStamp
from eventservices.steam import LiveLocation, Notification
from fes.adapter.context import Subscription
from fes.adapter.inbound.acknowledgements import Answer
from fes.adapter.observed import Observed
from fes.adapter.pool import ConnectionPool
from fes.errors import AdapterError, UnavailableError
from fes.eventlog import Decision
from fes.filter import Filter
from fes.link.messages import Announce, Publish, Subscribe
from fes.mapping import Native
from fes.model import Event, Field, Stamp, Type, binary
from fes.testing.conformance.bench import captured
from fes.testing.eventually import eventually
from integration.adapter_steam.onair import DEGREE_M, LAT, LON, OnAir

SPEED = Event.of("Speed", rate=83.0)
NATIVE = Native("Speed", SPEED.parameters)
STAMP = NativeStamp("far/away", 1, 1, 17, "elsewhere")
SUBSCRIPTION = Subscription(1, Filter.of("Speed"))


class Deaf:
    """Takes what an adapter hears, and forgets it."""

    def heard(
        self, native: Native, stamp: NativeStamp | None, answer: Answer | None = None
    ) -> None: ...

    def observed(self, seen: Observed) -> None: ...

    def heard_control(self, event: Event, stamp: NativeStamp | None) -> None: ...

    def set_aside(self, reason: str, raw: bytes) -> None: ...


@pytest.fixture
async def mortal(tmp_path: Path) -> AsyncIterator[OnAir]:
    """Yield an air whose broker a test may kill; no native node is on it."""
    with NatsServer(ServerSpec("mortal", tmp_path, mqtt=True)) as running:
        async with AsyncExitStack() as stack:
            yield OnAir(running, stack, tmp_path)


def at(time_us: int, sequence: int) -> Publish:
    stamp = Stamp("far/away", 1, sequence, time_us, "elsewhere")
    return Publish(stamp, (), 0, binary.encode(SPEED))


async def test_adapters_of_a_process_share_a_connection_named_by_the_first(mortal: OnAir) -> None:
    adapters = [mortal.adapter(name) for name in ("g1", "g2", "g3")]
    for adapter in adapters:
        await adapter.connect(Deaf())
    (client,) = mortal.clients()
    assert client.startswith("test%2Eg1%2Esteam%2E")

    await adapters[0].disconnect()
    await adapters[1].probe()
    await adapters[1].disconnect()
    assert len(mortal.clients()) == 1
    await adapters[2].disconnect()
    await adapters[2].disconnect()
    await eventually(lambda: not mortal.clients())


@pytest.mark.parametrize("name", ["g1", "g2"])
async def test_two_processes_never_share_a_client_identifier(mortal: OnAir, name: str) -> None:
    """Not even where both have an adapter of one identifier, of which a gateway refuses one."""
    one = mortal.adapter("g1")
    mortal.pool = ConnectionPool()
    other = mortal.adapter(name)
    for adapter in (one, other):
        await adapter.connect(Deaf())
    assert len(set(mortal.clients())) == 2
    for adapter in (one, other):
        await adapter.probe()
        await adapter.disconnect()


async def test_adapters_that_disagree_on_the_air_are_told_in_what(on_air: OnAir) -> None:
    one, other = on_air.adapter("g1"), on_air.adapter("g2", cell_edge_m=100)
    await one.connect(Deaf())

    with pytest.raises(AdapterError, match="cell_edge_m differs") as raised:
        await other.connect(Deaf())

    assert not raised.value.retryable
    await other.disconnect()
    await one.probe()
    await one.disconnect()


async def test_a_second_adapter_of_one_name_is_refused_and_harms_nothing(on_air: OnAir) -> None:
    one, other = on_air.adapter("g"), on_air.adapter("g")
    await one.connect(Deaf())
    with pytest.raises(AdapterError, match="no room for a node"):
        await other.connect(Deaf())
    await one.probe()
    await one.disconnect()


async def test_an_event_of_a_time_without_position_is_dropped_with_its_reason(
    on_air: OnAir, tmp_path: Path
) -> None:
    trace = "time_us,vehicle,lat,lon\n1000000,v,50.0,11.0\n2000000,v,50.0,11.0\n"
    (tmp_path / "trace.csv").write_text(trace)
    adapter = on_air.adapter("g", location={"trace": "trace.csv", "vehicle": "v"})
    gateway = await on_air.gateway(adapter)
    await gateway.order(Announce(1, binary.encode(SPEED)))

    await gateway.order(at(1_500_000, 1), at(2_000_001, 2))

    await eventually(lambda: gateway.logged(Decision.DROPPED))
    assert [one.reason for one in gateway.logged(Decision.DROPPED)] == ["no position at 2000001"]
    counted = gateway.runtime.counted().counters
    assert (counted["published"], counted["publish_failed"]) == (1, 1)
    assert (counted["native_transmitted"], counted["native_unplaced"]) == (1, 1)


async def test_an_access_point_moves_with_its_trace(on_air: OnAir, tmp_path: Path) -> None:
    north = LAT + 1000 / DEGREE_M
    trace = f"time_us,vehicle,lat,lon,speed_kmh\n0,v,{LAT},{LON},1\n1000000,v,{north},{LON},1\n"
    (tmp_path / "trace.csv").write_text(trace)
    heard: list[Notification] = []
    await on_air.node("n", north_m=500.0, range_m=150.0).subscribe("Speed", heard.append)
    gateway = await on_air.gateway(
        on_air.adapter("g", location={"trace": "trace.csv", "vehicle": "v"})
    )
    await gateway.order(Announce(1, binary.encode(SPEED)))

    await gateway.order(*(at(tenth * 100_000, tenth + 1) for tenth in range(11)))

    await eventually(lambda: len(heard) == 3)
    await on_air.air.probe()
    assert [one.time_us for one in heard] == [400_000, 500_000, 600_000]


@pytest.mark.parametrize(
    ("trace", "reason"),
    [
        (None, "No such file"),
        ("time_us,vehicle,lat\n", "column 'lon' is missing"),
        ("time_us,vehicle,lat,lon\n0,w,50,11\n", "no vehicle 'v'"),
    ],
)
async def test_a_trace_that_is_of_no_use_is_not_tried_again(
    on_air: OnAir, tmp_path: Path, trace: str | None, reason: str
) -> None:
    if trace is not None:
        (tmp_path / "trace.csv").write_text(trace)
    adapter = on_air.adapter("g", location={"trace": "trace.csv", "vehicle": "v"})
    with pytest.raises(AdapterError, match=f"location: .*{reason}") as raised:
        await adapter.connect(Deaf())
    assert not raised.value.retryable


async def test_a_live_location_is_told_by_the_program_around(on_air: OnAir) -> None:
    adapter = on_air.adapter("g", location={"live": True})
    gateway = await on_air.gateway(adapter)
    await gateway.order(Announce(1, binary.encode(SPEED)))
    assert isinstance(adapter.location, LiveLocation)

    await gateway.order(at(1_000_000, 1))
    await eventually(lambda: gateway.logged(Decision.DROPPED))
    adapter.location.update(1_000_000, LAT, LON)
    await gateway.order(at(1_000_000, 2))

    await eventually(lambda: gateway.logged(Decision.PUBLISHED))


async def test_nothing_that_steam_raises_passes_an_adapter(on_air: OnAir) -> None:
    adapter = on_air.adapter("g")
    await adapter.connect(Deaf())
    long = Native("n" * 300, SPEED.parameters)
    huge = Native("Speed", (Field("raw", Type.OCTETS, b"x" * 400_000),))
    with pytest.raises(AdapterError, match="'Speed' was not announced") as unannounced:
        await adapter.publish(NATIVE, STAMP)
    await adapter.announce(NATIVE)
    with pytest.raises(AdapterError, match="subject must have 1") as named:
        await adapter.announce(long)
    with pytest.raises(AdapterError, match="exceeds the limit of 278528 bytes") as large:
        await adapter.publish(huge, STAMP)
    with pytest.raises(AdapterError, match="subject must have 1") as subscribed:
        await adapter.subscribe(Subscription(1, Filter.of(f"subject = '{'n' * 300}'")))
    for raised in (unannounced, named, large, subscribed):
        assert isinstance(raised.value.__cause__, EventServiceError)
        assert not raised.value.retryable
    await adapter.disconnect()


DOES: dict[str, Callable[[SteamAdapter], Awaitable[object]]] = {
    "probe": lambda adapter: adapter.probe(),
    "publish": lambda adapter: adapter.publish(NATIVE, STAMP),
    "publish_control": lambda adapter: adapter.publish_control(Event("FES_ControlEvent"), STAMP),
    "subscribe": lambda adapter: adapter.subscribe(SUBSCRIPTION),
    "announce": lambda adapter: adapter.announce(NATIVE),
}


@pytest.mark.parametrize("name", DOES)
async def test_what_needs_a_connection_says_so_without(on_air: OnAir, name: str) -> None:
    with pytest.raises(UnavailableError, match="not connected"):
        await DOES[name](on_air.adapter("g"))


@pytest.mark.parametrize("name", ["probe", "publish", "publish_control"])
async def test_a_broker_that_is_away_is_told_with_its_cause(mortal: OnAir, name: str) -> None:
    adapter = mortal.adapter("g")
    await adapter.connect(Deaf())
    await adapter.announce(NATIVE)
    mortal.server.kill()

    async def refused() -> bool:
        try:
            await DOES[name](adapter)
        except UnavailableError as error:
            return isinstance(error.__cause__, EventServiceError)
        return False

    await eventually(refused)
    await adapter.disconnect()


async def test_an_adapter_connects_once_its_broker_is_there(mortal: OnAir) -> None:
    mortal.server.kill()
    adapter = mortal.adapter("g")
    with pytest.raises(UnavailableError) as raised:
        await adapter.connect(Deaf())
    assert isinstance(raised.value.__cause__, EventServiceError)
    mortal.server.start()
    async with captured(adapter) as gateway:
        await gateway.order(Subscribe(1, "Speed", 1))


async def test_a_subscription_of_the_same_number_takes_the_place_of_the_first(
    on_air: OnAir,
) -> None:
    adapter = on_air.adapter("g")
    await adapter.connect(Deaf())
    await adapter.subscribe(SUBSCRIPTION)
    await adapter.subscribe(Subscription(1, Filter.of("Position")))
    await eventually(lambda: not any(topic.endswith(".Speed") for topic in on_air.topics()))
    assert any(topic.endswith(".Position") for topic in on_air.topics())
    await adapter.unsubscribe(SUBSCRIPTION)
    await adapter.unsubscribe(SUBSCRIPTION)
    await eventually(lambda: not any(topic.endswith(".Position") for topic in on_air.topics()))
    await adapter.disconnect()


async def test_a_failed_subscription_leaves_nothing(on_air: OnAir) -> None:
    adapter = on_air.adapter("g")
    await adapter.connect(Deaf())
    with pytest.raises(AdapterError):
        await adapter.subscribe(Subscription(1, Filter.of(f"subject IN ('Speed', '{'n' * 300}')")))
    await eventually(lambda: not any(topic.endswith(".Speed") for topic in on_air.topics()))
    await adapter.disconnect()
