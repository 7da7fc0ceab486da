import asyncio
import json
import urllib.request
from dataclasses import replace
from typing import Any

import pytest
from adapter_cns.adapter import CnsAdapter
from eventservices.cns import EventChannel, structured_event
from eventservices.ports import free_port
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import Stamp
from fes.adapter.pool import ConnectionPool
from fes.errors import FederationError, UnavailableError
from fes.mapping import Native
from fes.model import Event
from fes.testing.eventually import eventually
from integration.adapter_cns.conftest import MakeAdapter
from integration.adapter_cns.natives import Sink, structured_supplier, subscribe

pytestmark = pytest.mark.broker

STAMP = Stamp("far", 1, 1, 5, "elsewhere")


async def client_names(server: NatsServer) -> list[str]:
    """Return the names of the clients that a server has, from its monitoring."""
    url = f"http://{server.host}:{server.http_port}/connz"

    def fetch() -> dict[str, Any]:
        with urllib.request.urlopen(url) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    connections = (await asyncio.to_thread(fetch))["connections"]
    return [str(connection.get("name")) for connection in connections]


async def proves(adapter: CnsAdapter) -> bool:
    """Tell whether a round trip succeeds."""
    try:
        await adapter.probe()
    except UnavailableError:
        return False
    return True


async def publish_much(adapter: CnsAdapter) -> None:
    """Publish 10 MB."""
    for _ in range(100):
        await adapter.publish(Native("Speed", octets=bytes(100_000)), STAMP)


async def test_adapters_of_a_process_share_one_connection_until_the_last_is_gone(
    make: MakeAdapter, server: NatsServer, pool: ConnectionPool
) -> None:
    adapters = [make("g", of=f"shared-{number}") for number in range(60)]
    for adapter in adapters:
        await adapter.connect(Sink())

    assert (await client_names(server)).count("test/g.shared-0") == 1
    assert not [name for name in await client_names(server) if "shared-1" in name]
    for adapter in adapters[:-1]:
        await adapter.disconnect()
    await adapters[-1].probe()
    await adapters[-1].disconnect()

    async def gone() -> bool:
        return "test/g.shared-0" not in await client_names(server)

    await eventually(gone)
    assert pool._shared == {}


async def test_channels_of_one_connection_do_not_hear_each_other(
    make: MakeAdapter, channel: EventChannel
) -> None:
    own, other = make("g"), make("g", of="other", channel="another")
    sinks = [Sink(), Sink()]
    for adapter, sink in zip((own, other), sinks, strict=True):
        await adapter.connect(sink)
        await subscribe(adapter, 1, "")

    supplier = await structured_supplier(channel)
    await supplier.push_structured_event(structured_event(("", "Speed")))

    await eventually(lambda: sinks[0].natives)
    await other.probe()
    assert sinks[1].natives == []
    for adapter in (own, other):
        await adapter.disconnect()


async def test_a_broker_that_is_away_is_told_as_such_and_nothing_is_left_open(
    make: MakeAdapter, pool: ConnectionPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapter_cns.adapter.OPEN_TIMEOUT_S", 0.3)
    adapter = make(url=f"nats://127.0.0.1:{free_port()}")

    with pytest.raises(UnavailableError, match="no answer"):
        await adapter.connect(Sink())
    await adapter.disconnect()

    assert pool._shared == {}


async def test_a_connect_that_is_broken_off_leaves_nothing_open(
    make: MakeAdapter, pool: ConnectionPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = asyncio.Event()

    async def hang(*_: object) -> None:
        waiting.set()
        await asyncio.Event().wait()

    monkeypatch.setattr("adapter_cns.adapter.Consumer.open", hang)
    adapter = make()
    connecting = asyncio.create_task(adapter.connect(Sink()))
    await waiting.wait()
    connecting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await connecting
    assert pool._shared == {}


async def test_without_an_address_there_is_nothing_to_retry(make: MakeAdapter) -> None:
    adapter = make()
    adapter.context = replace(adapter.context, brokers=())

    with pytest.raises(FederationError, match="no broker") as caught:
        await adapter.connect(Sink())
    assert not caught.value.retryable


async def test_an_adapter_that_is_not_connected_says_so(make: MakeAdapter) -> None:
    adapter = make()

    for act in (
        adapter.publish(Native("Speed"), STAMP),
        adapter.publish_control(Event.of("FES_ControlEvent"), STAMP),
        adapter.announce(Native("Speed")),
        adapter.unannounce(Native("Speed")),
        subscribe(adapter, 1, "Speed"),
        adapter.probe(),
    ):
        with pytest.raises(UnavailableError):
            await act
    assert adapter.counters == {}


async def test_nothing_of_the_native_client_passes_while_the_broker_is_away(
    make: MakeAdapter, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with NatsServer(ServerSpec("away", tmp_path_factory.mktemp("nats"))) as server:
        adapter, sink = make(url=server.url), Sink()
        await adapter.connect(sink)
        await subscribe(adapter, 1, "Speed")
        server.kill()

        with pytest.raises(UnavailableError):
            await adapter.probe()
        with pytest.raises(UnavailableError):  # 2 MiB wait to be sent, and then no more
            await publish_much(adapter)

        server.start()
        await eventually(lambda: proves(adapter), 20.0)
        await adapter.publish(Native("Speed"), Stamp("far", 1, 99, 5, "elsewhere"))
        await eventually(lambda: any(s and s.sequence == 99 for _, s in sink.natives))
        await adapter.disconnect()


async def test_a_subscription_that_failed_while_the_broker_was_away_can_be_made_again(
    make: MakeAdapter, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with NatsServer(ServerSpec("retry", tmp_path_factory.mktemp("nats"))) as server:
        adapter, sink = make(url=server.url), Sink()
        await adapter.connect(sink)
        server.kill()

        with pytest.raises(UnavailableError):
            await subscribe(adapter, 1, "Speed")

        server.start()
        await eventually(lambda: proves(adapter), 20.0)
        await subscribe(adapter, 2, "Place")
        for name in ("Speed", "Place"):
            await adapter.publish(Native(name), Stamp(name, 1, 1, 5, "elsewhere"))
        await eventually(lambda: sink.natives)
        assert sink.subjects() == ["Place"]
        await adapter.disconnect()


async def test_it_disconnects_quickly_while_the_broker_is_away(
    make: MakeAdapter, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with NatsServer(ServerSpec("gone", tmp_path_factory.mktemp("nats"))) as server:
        adapter = make(url=server.url, hears_control=True)
        await adapter.connect(Sink())
        await adapter.announce(Native("Speed"))
        server.kill()

        async with asyncio.timeout(10.0):
            await adapter.disconnect()

        with pytest.raises(UnavailableError):
            await adapter.probe()
