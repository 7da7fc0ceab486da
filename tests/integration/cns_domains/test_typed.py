"""Typed domains: interfaces of a file, calls that cross connections, and their exceptions."""

from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

import pytest
from eventservices.cns import ClientType, Value, typed_event
from eventservices.cns.domains import (
    ChannelPlace,
    ClientTypeError,
    Connection,
    ConnectionNotFoundError,
    CycleCreationForbiddenError,
    DiamondCreationForbiddenError,
    DomainNotFoundError,
    DomainOptions,
    InterfaceNotSupportedError,
    Invocation,
    InvocationError,
    NoSuchImplementationError,
    NotificationStyle,
    TypedConnection,
    TypedEventDomain,
    TypedEventDomainFactory,
    load_interfaces,
)
from eventservices.cns.domains.moving.handles import Brokers
from eventservices.cns.domains.typed.interfaces import InvalidInterfaceError
from eventservices.cns.errors import InterfaceError
from integration.cns_domains.conftest import LINK, Eventually
from integration.cns_domains.recording import Structureds

pytestmark = pytest.mark.broker

Place = Callable[[str], ChannelPlace]
DECLARED = """
["Traffic::Sensor".report]
vehicle = "string"
speed = "double"

["Traffic::Sensor".clear]

["Other".act]
number = "long"
"""
SENSOR = "Traffic::Sensor"


@pytest.fixture
async def factory(tmp_path: Path) -> AsyncIterator[TypedEventDomainFactory]:
    path = tmp_path / "interfaces.toml"
    path.write_text(DECLARED, "utf-8")
    options = DomainOptions(poll_s=0.005, interfaces=load_interfaces(path))
    async with TypedEventDomainFactory(Brokers(LINK), options=options) as opened:
        yield opened


@pytest.fixture
async def domain(factory: TypedEventDomainFactory, place: Place) -> TypedEventDomain:
    """Give three typed channels, of which the last does not support the sensor, and an untyped."""
    made, _ = await factory.create_typed_event_domain({"CycleDetection": 1, "DiamondDetection": 1})
    for number in range(2):
        assert await made.add_typed_channel(place(str(number)), [SENSOR, "Other"]) == number
    assert await made.add_typed_channel(place("2"), ["Other"]) == 2
    assert await made.add_channel(place("3")) == 3
    return made


class Sensor:
    """Is a consumer of the sensor's calls that keeps them."""

    def __init__(self) -> None:
        self.calls: list[object] = []

    def report(self, vehicle: str, speed: float) -> None:
        self.calls.append((vehicle, speed))

    def clear(self) -> None:
        self.calls.append("clear")


class Calling:
    """Is a pull supplier of calls."""

    def __init__(self) -> None:
        self.waiting: list[Invocation] = []

    def try_pull_invocation(self) -> tuple[Invocation | None, bool]:
        return (self.waiting.pop(0), True) if self.waiting else (None, False)


@pytest.mark.parametrize("style", NotificationStyle)
async def test_calls_cross_a_typed_connection_and_other_events_do_not(
    domain: TypedEventDomain, eventually: Eventually, style: NotificationStyle
) -> None:
    assert await domain.add_typed_connection(TypedConnection(0, 1, SENSOR, style)) == 0
    sensor, plain = Sensor(), Structureds()
    await domain.connect_typed_push_consumer_with_id(sensor, SENSOR, 1)
    await domain.connect_structured_push_consumer_with_id(plain, 1)
    pulling = await domain.connect_typed_pull_consumer_with_id(None, SENSOR, 1)
    supplier = await domain.connect_typed_push_supplier(None, SENSOR)
    other = await domain.connect_typed_push_supplier(None, "Other")
    calling = Calling()
    await domain.connect_typed_pull_supplier(calling, SENSOR)
    await other.invoke("act", {"number": 1})
    await supplier.invoke("report", {"speed": 50.0, "vehicle": "v"})
    await eventually(lambda: sensor.calls == [("v", 50.0)])
    calling.waiting.append(Invocation("clear", {}))
    await eventually(lambda: len(sensor.calls) == 2)
    assert sensor.calls[1] == "clear"
    assert await pulling.pull() == Invocation("report", {"vehicle": "v", "speed": 50.0})
    assert await pulling.pull() == Invocation("clear", {})
    assert pulling.try_pull() == (None, False)
    # An untyped consumer of the channel has the call as the standard translates it.
    expected = typed_event("Traffic::Sensor::report", {"vehicle": "v", "speed": 50.0})
    assert plain.events[0] == expected
    assert domain.running.movers[0].counters.passed_over == 1


async def test_typed_and_untyped_channels_share_identifiers_and_graph(
    domain: TypedEventDomain,
) -> None:
    assert domain.get_all_channels() == (0, 1, 2, 3)
    assert domain.get_all_typed_channels() == (0, 1, 2)
    await domain.add_typed_connection(TypedConnection(0, 1, SENSOR))
    assert await domain.add_connection(Connection(1, 3, ClientType.STRUCTURED_EVENT)) == 1
    with pytest.raises(CycleCreationForbiddenError) as cycle:
        await domain.add_typed_connection(TypedConnection(1, 0, "Other"))
    assert cycle.value.cyc == (0, 1)
    with pytest.raises(DiamondCreationForbiddenError):
        await domain.add_connection(Connection(0, 3))
    assert domain.get_all_connections() == (0, 1)
    assert domain.get_all_typed_connections() == (0,)


async def test_a_typed_connection_is_found_as_typed_alone(domain: TypedEventDomain) -> None:
    typed = TypedConnection(0, 1, SENSOR, NotificationStyle.PULL)
    await domain.add_typed_connection(typed)
    await domain.add_connection(Connection(1, 3))
    assert domain.get_typed_connection(0) == typed
    for connection in (1, 9):
        with pytest.raises(ConnectionNotFoundError):
            domain.get_typed_connection(connection)
    with pytest.raises(ConnectionNotFoundError):
        domain.get_connection(0)


async def test_wrong_interfaces_have_their_exceptions(
    domain: TypedEventDomain, place: Place
) -> None:
    with pytest.raises(InterfaceNotSupportedError) as lacking:
        await domain.add_typed_connection(TypedConnection(0, 2, SENSOR))
    assert (lacking.value.interface, lacking.value.member_id) == (SENSOR, 2)
    with pytest.raises(NoSuchImplementationError) as unknown:
        await domain.add_typed_connection(TypedConnection(0, 1, "Nowhere"))
    assert unknown.value.interface == "Nowhere"
    with pytest.raises(ClientTypeError):
        await domain.add_typed_connection(TypedConnection(0, 3, SENSOR))
    with pytest.raises(NoSuchImplementationError):
        await domain.add_typed_channel(place("x"), ["Nowhere"])
    for client, connect in (
        (Sensor(), domain.connect_typed_push_consumer_with_id),
        (None, domain.connect_typed_pull_consumer_with_id),
        (None, domain.connect_typed_push_supplier_with_id),
        (Calling(), domain.connect_typed_pull_supplier_with_id),
    ):
        with pytest.raises(InterfaceNotSupportedError):
            await connect(client, SENSOR, 2)
        with pytest.raises(ClientTypeError):
            await connect(client, SENSOR, 3)
        with pytest.raises(NoSuchImplementationError):
            await connect(client, "Nowhere", 0)
    with pytest.raises(InterfaceError):
        await domain.connect_typed_push_consumer(object(), SENSOR)
    assert domain.get_channel(0).default_consumer_admin.push_suppliers == ()
    assert domain.get_all_connections() == ()


@pytest.mark.parametrize(
    ("operation", "arguments", "reason"),
    [
        ("report", {"vehicle": "v"}, "lacks its parameter 'speed'"),
        ("report", {"vehicle": "v", "speed": "fast"}, "is STRING, not double"),
        ("report", {"vehicle": "v", "speed": 1.0, "more": 1}, "has no parameter 'more'"),
        ("drive", {}, "has no operation 'drive'"),
    ],
)
async def test_a_call_that_is_not_as_declared_is_refused(
    domain: TypedEventDomain, operation: str, arguments: Mapping[str, Value], reason: str
) -> None:
    supplier = await domain.connect_typed_push_supplier(None, SENSOR)
    with pytest.raises(InvocationError, match=reason):
        await supplier.invoke(operation, arguments)
    assert supplier.proxy.pushed == 0


async def test_a_typed_domain_is_found_among_all_and_an_untyped_one_not_among_typed(
    factory: TypedEventDomainFactory,
) -> None:
    _, plain = await factory.create_event_domain()
    _, typed = await factory.create_typed_event_domain()
    assert factory.get_all_domains() == (plain, typed)
    assert factory.get_all_typed_domains() == (typed,)
    with pytest.raises(DomainNotFoundError):
        factory.get_typed_event_domain(plain)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[A.act]\nx = 'number'", r"A\.act\.x: 'number' is none of"),
        ("[A]\nact = 3", r"A\.act: is not a table"),
        ("A = 3", "A: is not a table"),
        ("[A.act]\noperation = 'long'", r"A\.act\.operation: is not the name"),
        ("[A.'no name']", r"A\.no name: is not the name"),
        ("[A", r"interfaces\.toml: Expected"),
    ],
)
def test_a_file_of_interfaces_that_is_not_valid_is_refused_with_the_place(
    tmp_path: Path, text: str, place: str
) -> None:
    path = tmp_path / "interfaces.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidInterfaceError, match=place):
        load_interfaces(path)
