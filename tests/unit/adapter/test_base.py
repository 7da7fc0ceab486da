"""What the base does for every adapter: state, errors, settings, shared connections, reading."""

from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from eventservices.errors import (
    EventServiceError,
    MalformedError,
    NotConnectedError,
    RefusedError,
    TooLargeError,
)
from eventservices.stamp import Stamp
from fes.adapter.context import Received, ReceivedControl, Subscription
from fes.adapter.pool import ConnectionPool
from fes.errors import AdapterError, CodecError, FederationError, FesError, UnavailableError
from fes.filter import Filter
from fes.mapping import Native
from fes.model import Event
from fes.testing.memory import MemoryAdapter, MemoryEvent, buses
from support.processes.contexts import adapter_context
from support.sinks import NotingSink as Sink

STAMP = Stamp("o", 1, 1, 0, "home")
SPEED = Native("Speed")


class GoneError(EventServiceError):
    """Says that a proxy was closed."""


class Odd(MemoryAdapter):
    """Fails as it is told to, and counts what it opens and closes."""

    away_errors: ClassVar[tuple[type[EventServiceError], ...]] = (GoneError,)

    def __init__(self, name: str, **settings: Any) -> None:
        pool = self.pool = ConnectionPool()
        super().__init__(adapter_context("g", name, MemoryAdapter, pool, settings=settings))
        self.error: BaseException | None = None
        self.acts: list[str] = []

    async def _open(self) -> None:
        await self._pooled("key", self._dial, self._hang_up)
        self._closing.callback(self.acts.append, "left")
        await super()._open()
        self._fail()

    async def _dial(self) -> str:
        self.acts.append("dialled")
        return "connection"

    async def _hang_up(self, connection: str) -> None:
        self.acts.append(f"hung up {connection}")

    async def _probe(self) -> None:
        self._fail()

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        self._fail()

    def _read(self, message: MemoryEvent) -> Received | ReceivedControl | None:
        self._fail()
        return super()._read(message)

    def _fail(self) -> None:
        if self.error is not None:
            raise self.error


@pytest.fixture
def odd(request: pytest.FixtureRequest) -> Odd:
    return Odd(request.node.name)


ACTS: dict[str, Callable[[Odd], Any]] = {
    "publish": lambda odd: odd.publish(SPEED, STAMP),
    "publish_control": lambda odd: odd.publish_control(Event("FES_ControlEvent"), STAMP),
    "announce": lambda odd: odd.announce(SPEED),
    "unannounce": lambda odd: odd.unannounce(SPEED),
    "subscribe": lambda odd: odd.subscribe(Subscription(1, Filter.of("Speed"))),
    "unsubscribe": lambda odd: odd.unsubscribe(Subscription(1, Filter.of("Speed"))),
    "observe": lambda odd: odd.observe(),
    "probe": lambda odd: odd.probe(),
}


@pytest.mark.parametrize("act", ACTS)
async def test_nothing_is_done_before_connecting_and_after_disconnecting(
    odd: Odd, act: str
) -> None:
    with pytest.raises(UnavailableError, match="is not connected"):
        await ACTS[act](odd)
    await odd.connect(Sink())
    await odd.disconnect()
    with pytest.raises(UnavailableError, match="is not connected"):
        await ACTS[act](odd)


@pytest.mark.parametrize(
    ("error", "becomes"),
    [
        (NotConnectedError("away"), UnavailableError),
        (GoneError("closed"), UnavailableError),
        (ConnectionResetError("reset"), UnavailableError),
        (TimeoutError(), UnavailableError),
        (MalformedError("bad"), AdapterError),
        (RefusedError("no"), AdapterError),
        (TooLargeError(2000, 1000), AdapterError),
        (CodecError("no form"), CodecError),
        (UnavailableError("own words"), UnavailableError),
    ],
)
async def test_an_error_of_the_native_client_becomes_an_adapters(
    odd: Odd, error: Exception, becomes: type[FesError]
) -> None:
    await odd.connect(Sink())
    odd.error = error
    with pytest.raises(FesError) as caught:
        await odd.publish(SPEED, STAMP)
    assert type(caught.value) is becomes
    assert str(caught.value) == (str(error) or type(error).__name__)
    assert caught.value is error or caught.value.__cause__ is error


async def test_what_was_opened_is_closed_where_connecting_fails(odd: Odd) -> None:
    odd.error = RefusedError("not you")
    with pytest.raises(AdapterError, match="not you"):
        await odd.connect(Sink())
    assert odd.acts == ["dialled", "left", "hung up connection"]
    connected_then = odd.connected
    assert odd.pool.open == 0

    odd.error = None
    await odd.connect(Sink())
    assert (connected_then, odd.connected) == (False, True)
    await odd.disconnect()
    await odd.disconnect()
    assert odd.acts == ["dialled", "left", "hung up connection"] * 2


async def test_a_message_that_cannot_be_read_is_set_aside_and_answered(odd: Odd) -> None:
    sink, answers = Sink(), list[bool]()
    await odd.connect(sink)
    message = MemoryEvent(Event("Speed"), None)

    odd.error = CodecError("no event")
    odd.receive(message, answers.append)
    odd.error = ZeroDivisionError("a fault of the adapter's")
    odd.receive(message, answers.append)
    odd.error = None
    odd.receive(message, answers.append)

    assert [reason for reason, _ in sink.aside] == ["no event", "internal error: see the log"]
    assert answers == [True, True], "an event that the gateway got is the gateway's to answer"
    assert sink.events == ["Speed"]
    assert odd.counters["unexpected_errors"] == 1


async def test_nothing_is_received_while_disconnected(odd: Odd) -> None:
    sink = Sink()
    await odd.connect(sink)
    await odd.disconnect()
    odd.receive(MemoryEvent(Event("Speed"), None))
    odd.set_aside("late", b"")
    assert (sink.events, sink.aside, odd.counters) == ([], [], {})


def test_a_setting_that_is_not_good_is_named_by_its_key() -> None:
    with pytest.raises(FederationError, match=r"^event_services.town.settings.bus: Expected `str`"):
        Odd("town", bus=5)
    with pytest.raises(FederationError, match=r"^event_services.town.settings: .*`buss`"):
        Odd("town", buss="x")


async def test_the_event_service_that_a_setting_names_is_used() -> None:
    odd = Odd("town", bus="elsewhere")
    await odd.connect(Sink())
    assert odd.bus is buses["elsewhere"]
    await odd.disconnect()
