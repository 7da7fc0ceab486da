"""What a SIENA adapter does beyond the suite of all adapters."""

import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from adapter_siena import SienaAdapter
from adapter_siena.codec import SUBJECT
from adapter_siena.observed import ROLE
from eventservices.siena import Connection, Filter, Notification, Seen, format_filter, where
from eventservices.stamp import Stamp
from fes.adapter.context import Subscription
from fes.adapter.inbound.acknowledgements import Answer
from fes.adapter.observed import Observed
from fes.adapter.opaque_client import OpaqueClient
from fes.adapter.pool import ConnectionPool
from fes.control import CONTROL_SUBJECT, RequestType, from_event
from fes.errors import AdapterError, FesError, MappingError, UnavailableError
from fes.filter import Filter as FesFilter
from fes.mapping import Native
from fes.model import Event, Field, Type
from fes.testing.eventually import eventually
from integration.adapter_siena.bench import SienaBench
from support.processes.contexts import adapter_context

pytestmark = pytest.mark.broker
STAMP = Stamp("far", 1, 1, 1_700_000_000_000_000, "elsewhere", ("elsewhere",))
SPEED = 'filter{ FES_Subject ="Speed"}'


@dataclass
class Ear:
    """Takes what an adapter hears."""

    events: list[tuple[Native, Stamp | None]] = field(default_factory=list)
    controls: list[tuple[Event, Stamp | None]] = field(default_factory=list)
    aside: list[tuple[str, bytes]] = field(default_factory=list)

    def heard(self, native: Native, stamp: Stamp | None, answer: Answer | None = None) -> None:
        assert answer is None
        self.events.append((native, stamp))

    def observed(self, seen: Observed) -> None:
        raise AssertionError(seen)

    def heard_control(self, event: Event, stamp: Stamp | None) -> None:
        self.controls.append((event, stamp))

    def set_aside(self, reason: str, raw: bytes) -> None:
        self.aside.append((reason, raw))


Connected = Callable[..., Awaitable[tuple[SienaAdapter, Ear]]]


@pytest.fixture
def connected(bench: SienaBench) -> Connected:
    """Return a function that connects an adapter, disconnected when the test ends."""

    async def connect(name: str = "a") -> tuple[SienaAdapter, Ear]:
        adapter, ear = await bench.adapter(name), Ear()
        await adapter.connect(ear)
        bench.stack.push_async_callback(adapter.disconnect)
        return adapter, ear

    return connect


def subscription(number: int, text: str) -> Subscription:
    return Subscription(number, FesFilter.of(text))


def declared(connection: Connection) -> set[tuple[str, str]]:
    """Return what adapters declare natively: kind and filter."""
    return {
        (seen.kind.name, format_filter(seen.filter))
        for seen in connection.peers.current()
        if seen.role == ROLE
    }


async def test_equal_native_filters_are_one_subscription_until_the_last_goes(
    bench: SienaBench, connected: Connected
) -> None:
    await bench.native()
    adapter, _ = await connected()
    await adapter.subscribe(subscription(1, "subject = 'Speed'"))
    await adapter.subscribe(subscription(2, "subject = 'Speed' AND x IS NULL"))
    assert adapter.counters["subscriptions"] == 2  # the other one hears control events
    await eventually(lambda: ("SUBSCRIPTION", SPEED) in declared(bench.connection))

    await adapter.unsubscribe(subscription(1, "subject = 'Speed'"))
    assert adapter.counters["subscriptions"] == 2
    await adapter.unsubscribe(subscription(2, "subject = 'Speed' AND x IS NULL"))

    assert adapter.counters["subscriptions"] == 1
    await eventually(lambda: ("SUBSCRIPTION", SPEED) not in declared(bench.connection))


async def test_what_is_widened_is_told(connected: Connected) -> None:
    adapter, _ = await connected()
    told = await adapter.subscribe(subscription(1, "subject = 'Speed' AND x IS NULL"))
    assert [text for text in told if "NOT EXISTS x" in text]
    assert await adapter.subscribe(subscription(2, "subject = 'Speed' AND rate > 70")) == ()


async def test_an_event_that_matches_several_alternatives_is_heard_once(
    bench: SienaBench, connected: Connected
) -> None:
    adapter, ear = await connected()
    await adapter.subscribe(subscription(1, "subject = 'Speed' AND (rate > 1 OR rate < 90)"))
    await adapter.subscribe(subscription(2, "rate > 10"))
    first = await bench.publish_natively(Event.of("Speed", rate=50.0), 1)
    last = await bench.publish_natively(Event.of("Speed", rate=51.0), 2)

    await eventually(lambda: len(ear.events) >= 2)

    assert [stamp for _, stamp in ear.events] == [first, last]


async def test_own_republications_are_heard_like_any_other(connected: Connected) -> None:
    adapter, ear = await connected()
    await adapter.subscribe(subscription(1, "subject = 'Speed'"))
    native = Native("Speed", (Field("rate", Type.DOUBLE, 50.0),))
    await adapter.publish(native, STAMP)
    await eventually(lambda: ear.events)
    assert ear.events == [(native, STAMP)]


async def test_announcing_advertises_until_the_last_is_withdrawn(
    bench: SienaBench, connected: Connected
) -> None:
    await bench.native()
    adapter, _ = await connected()
    native = Native("Speed", (Field("rate", Type.DOUBLE, 1.0),))
    told = ("ADVERTISEMENT", 'filter{ FES_Subject ="Speed" rate any}')
    await adapter.announce(native)
    await adapter.announce(native)
    await eventually(lambda: told in declared(bench.connection))

    await adapter.unannounce(native)
    await adapter.announce(Native("Other"))
    await eventually(lambda: len(declared(bench.connection)) == 3)
    assert told in declared(bench.connection)
    await adapter.unannounce(native)
    await eventually(lambda: told not in declared(bench.connection))


async def test_a_disconnected_adapter_leaves_nothing_behind(
    bench: SienaBench, connected: Connected
) -> None:
    await bench.native()
    adapter, _ = await connected()
    await adapter.subscribe(subscription(1, "subject = 'Speed'"))
    await adapter.announce(Native("Speed"))
    await eventually(lambda: len(declared(bench.connection)) == 3)
    await adapter.disconnect()
    await eventually(lambda: not declared(bench.connection))
    assert adapter.counters == {}
    with pytest.raises(UnavailableError):
        await adapter.probe()


async def test_adapters_of_one_process_share_a_connection(
    bench: SienaBench, connected: Connected
) -> None:
    one, ear = await connected("a")
    other, _ = await connected("b")
    assert one._connection is other._connection
    await one.subscribe(subscription(1, "subject = 'Speed'"))
    await other.disconnect()

    await bench.publish_natively(Event.of("Speed", rate=1.0), 1)
    await eventually(lambda: ear.events)
    await one.probe()


async def test_a_foreign_notification_has_a_subject_or_is_set_aside(
    bench: SienaBench, connected: Connected
) -> None:
    client = await bench.native()
    adapter, ear = await connected()
    await adapter.subscribe(subscription(1, "rate > 10"))
    await client.publish({"type": "Speed", "rate": 50})
    await eventually(lambda: ear.aside)
    assert ear.aside == [
        ("no subject: attribute 'FES_Subject' is None", b'event{ type="Speed" rate=50}')
    ]
    await adapter.disconnect()

    bench.settings = {**bench.settings, "subject_attribute": "type"}
    adapter, ear = await connected()
    await adapter.subscribe(subscription(1, "subject = 'Speed' AND rate > 10"))
    await client.publish({"type": "Other", "rate": 50})
    await client.publish({"type": "Speed", "rate": 51})
    await eventually(lambda: ear.events)
    assert [(native.subject, native.parameters[1].value) for native, _ in ear.events] == [
        ("Speed", 51)
    ]


async def test_a_client_that_asks_for_all_sees_control_events_and_others_do_not(
    bench: SienaBench, connected: Connected
) -> None:
    everything: list[Notification] = []
    speeds: list[Notification] = []
    await (await bench.native("all")).subscribe(Filter(), lambda event, _: everything.append(event))
    await (await bench.native("some")).subscribe(
        where(("rate", "any")), lambda event, _: speeds.append(event)
    )
    adapter, _ = await connected()
    inner = Event.of("Speed", rate=1.0)
    await adapter.publish_control(Event.of(CONTROL_SUBJECT, Type=1, Event=inner), STAMP)
    await bench.publish_natively(inner, 1)

    await eventually(lambda: len(everything) == 2)
    assert [event[SUBJECT] for event in speeds] == ["Speed"]
    control = next(event for event in everything if event[SUBJECT] == CONTROL_SUBJECT)
    assert control["Event"] == '{"subject": "Speed", "parameters": {"rate": 1.0}, "attributes": {}}'


async def test_a_request_of_an_opaque_client_reaches_an_adapter(
    bench: SienaBench, connected: Connected
) -> None:
    adapter, ear = await connected()
    await adapter.subscribe(subscription(1, "Type = 2"))  # asks for parameters of control events
    city = OpaqueClient(
        "siena",
        bench.service,
        system="traffic",
        client="city",
        brokers=(bench.cluster.b.url,),
        settings=bench.settings,
    )
    async with city:
        request = await city.subscribe("steam-m-*", "subject = 'Speed' AND rate > 70", lease_s=5)
        await eventually(lambda: ear.controls)

    event, stamp = ear.controls[0]
    control = from_event(event, None)
    assert (control.id, control.type) == (request, RequestType.SUBSCRIPTION)
    assert (control.source, control.dist_list) == (bench.service, "steam-m-*")
    assert control.filter == "subject = 'Speed' AND rate > 70"
    assert stamp is not None
    assert stamp.origin == "city"
    assert len(ear.controls) == 1
    assert not ear.events


async def test_a_malformed_control_event_is_set_aside(
    bench: SienaBench, connected: Connected
) -> None:
    _, ear = await connected()
    client = await bench.native()
    await client.publish({SUBJECT: CONTROL_SUBJECT, "Type": 1, "Event": "{"})
    await eventually(lambda: ear.aside)
    assert "parameter 'Event'" in ear.aside[0][0]
    assert not ear.controls


async def test_an_event_that_siena_does_not_take_is_refused_with_its_reason(
    connected: Connected,
) -> None:
    adapter, _ = await connected()
    large = Native("Speed", (Field("raw", Type.OCTETS, bytes(2**20)),))
    with pytest.raises(AdapterError, match="exceeds the limit of"):
        await adapter.publish(large, STAMP)
    with pytest.raises(MappingError, match="no octets"):
        await adapter.publish(Native(None, octets=b"1"), STAMP)


async def test_a_service_that_is_away_is_unavailable(
    bench: SienaBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapter_siena.adapter.OPEN_S", 0.3)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        nobody = f"nats://127.0.0.1:{probe.getsockname()[1]}"
    context = adapter_context("a", bench.service, SienaAdapter, ConnectionPool(), brokers=(nobody,))
    adapter = SienaAdapter(context)
    with pytest.raises(UnavailableError):
        await adapter.connect(Ear())
    await adapter.disconnect()


@pytest.mark.parametrize("brokers", [(), None])
async def test_what_a_retry_does_not_mend_is_no_lack_of_availability(
    bench: SienaBench, connected: Connected, brokers: tuple[str, ...] | None
) -> None:
    await connected()  # with an index
    given: dict[str, Any] = {"brokers": bench.cluster.urls if brokers is None else brokers}
    context = adapter_context("b", bench.service, SienaAdapter, ConnectionPool(), **given)
    adapter = SienaAdapter(context)
    with pytest.raises(FesError) as caught:
        await adapter.connect(Ear())
    assert not caught.value.retryable
    await adapter.disconnect()


async def test_observers_know_by_its_role_what_an_adapter_made(
    bench: SienaBench, connected: Connected
) -> None:
    await bench.native()
    seen: list[Seen] = []
    bench.connection.observe(seen.append)
    adapter, _ = await connected()
    await adapter.subscribe(subscription(1, "subject = 'Speed'"))
    await eventually(lambda: any(format_filter(each.filter) == SPEED for each in seen))
    assert {(each.party, each.role) for each in seen} == {(adapter.id, ROLE)}
