"""Tasks, callbacks and buffers of the native clients: what goes wrong is counted, and goes on."""

import asyncio
from pathlib import Path

import pytest
from eventservices import lasting as lasting_module
from eventservices.cns import AnyEvent, ClientType, Connection
from eventservices.cns.background import MAX_TASKS
from eventservices.cns.codec import encode
from eventservices.cns.dispatch import Dispatcher
from eventservices.natslink import LinkOptions, Listening, NatsLink
from eventservices.servers import NatsServer, ServerSpec
from eventservices.siena import Connection as SienaConnection
from eventservices.steam import Air, AirSettings
from eventservices.steam.rounds import Rounds
from fes.testing.eventually import eventually

pytestmark = pytest.mark.broker
OPTIONS = LinkOptions(probe_interval_s=0.2, probe_timeout_s=0.5, open_timeout_s=5.0)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lasting_module, "RESTART_S", 0.01)


@pytest.fixture
def server(tmp_path: Path) -> NatsServer:
    return NatsServer(ServerSpec("lasting", tmp_path, mqtt=True))


def failing_once(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> list[None]:
    """Have a method raise what nobody expects, the first time that it is called."""
    calls: list[None] = []
    right = getattr(owner, name)

    async def fail(*given: object, **named: object) -> object:
        calls.append(None)
        if len(calls) == 1:
            raise RuntimeError("nobody expects this")
        return await right(*given, **named)

    monkeypatch.setattr(owner, name, fail)
    return calls


async def test_a_client_that_could_not_be_replaced_at_first_is_replaced(
    server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with server:
        async with NatsLink([server.url], OPTIONS) as link:
            calls = failing_once(monkeypatch, Listening, "begin")
            await link.client.close()
            await eventually(lambda: link.counters.rebuilds == 1)
            assert len(calls) >= 2
            await link.probe()


async def test_a_siena_connection_that_came_back_is_settled_after_an_error_too(
    server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with server:
        async with SienaConnection([server.url], "service") as connection:
            calls = failing_once(monkeypatch, type(connection.control.proof), "wait")
            connection.control._on_connected()
            await eventually(lambda: connection.settled)
            assert len(calls) >= 2


async def test_a_supplier_is_asked_again_after_an_error_that_nobody_expected(
    server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Supplier:
        left = 3

        def try_pull(self) -> tuple[object, bool]:
            self.left -= 1
            return self.left, self.left >= 0

    with server:
        async with Connection(server.url) as connection:
            channel = await connection.open_channel("pulled")
            proxy = channel.default_supplier_admin.obtain_notification_pull_consumer(
                ClientType.ANY_EVENT
            )
            failing_once(monkeypatch, type(proxy), "_publish")
            await proxy.connect_any_pull_supplier(Supplier())
            await eventually(lambda: proxy.pushed == 2)


async def test_a_change_for_which_no_task_was_left_is_told_with_the_next_sign_of_life(
    server: NatsServer,
) -> None:
    with server:
        async with Connection(server.url, beat_s=0.1) as one, Connection(server.url) as other:
            here, there = await one.open_channel("told"), await other.open_channel("told")
            never = asyncio.Event()
            for _ in range(MAX_TASKS):
                here._core.background.start(_wait(never))
            here._core.membership.put_offers("holder", frozenset({("d", "t")}))  # type: ignore[arg-type] # a pair will do
            here._core.membership.tell_soon()
            assert here._core.background.refused == 1
            await eventually(lambda: there.offers == (("d", "t"),))
            never.set()


async def _wait(until: asyncio.Event) -> None:
    await until.wait()


async def test_a_consumer_that_fails_takes_no_event_from_those_beside_it() -> None:
    got: list[object] = []

    class Receiver:
        def __init__(self, *, fails: bool) -> None:
            self.fails = fails

        def receive(self, event: object, _stamp: object, _moved: object) -> None:
            if self.fails:
                raise RuntimeError("nobody expects this")
            got.append(event)

    dispatcher = Dispatcher(NatsLink(["nats://127.0.0.1:1"]), "events", "kept", 10)
    dispatcher._receivers = (Receiver(fails=True), Receiver(fails=False))
    dispatcher._on_message("events", encode(AnyEvent(5)), b"", "")
    assert got == [AnyEvent(5)]
    assert dispatcher.failed == 1


async def test_what_a_connection_took_and_did_not_write_is_counted(server: NatsServer) -> None:
    with server:
        async with Air(AirSettings(server.mqtt_url, "air")) as air:
            (link,) = (carrier.link for carrier in air._carriers)
            for _ in range(3):
                link.publish("air/x", b"1")
            connection = link._connection
            assert connection is not None
            connection.abort()
            await eventually(lambda: link.counters.reconnected == 1)
            assert link.counters.unsent == 3


async def test_a_round_that_fails_is_counted_each_time_and_goes_on() -> None:
    rounds, turns = Rounds(), list[None]()

    async def act() -> None:
        turns.append(None)
        if len(turns) != 2:
            raise RuntimeError("nobody expects this")

    rounds.every(0.001, act)
    await eventually(lambda: len(turns) >= 5)
    await rounds.close()
    assert rounds.failed >= 3
