"""Every part stops when it is told to: while it starts, while it connects, under load, twice."""

import asyncio
import json
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from eventservices.cns import ClientType, Connection, StructuredEvent, structured_event
from eventservices.ports import free_port
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import Stamp
from fes.testing.eventually import eventually
from integration.cns.stored import durable_consumer, opened
from integration.traps.parts import How, Part, adapter, city, gateway, started

pytestmark = pytest.mark.broker

PARTS: dict[str, Callable[[Path, str], How]] = {"gateway": gateway, "adapter": adapter}


@pytest.fixture
def mute() -> Iterator[str]:
    """Give the address of something that takes connections and says nothing, ever."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"nats://127.0.0.1:{listening.getsockname()[1]}"


def absent() -> str:
    return f"nats://127.0.0.1:{free_port()}"


def assert_clean(part: Part, *statuses: int) -> None:
    assert part.ends() in (statuses or (0,)), part.said
    assert "Traceback" not in part.said


def told(folder: Path, decision: str) -> set[str]:
    """Return the adapters of which the event log tells that they started, or stopped."""
    files = folder.glob("logs/eventlog-*.jsonl")
    lines = [line for file in files for line in file.read_text().splitlines()]
    records = [json.loads(line) for line in lines if line.endswith("}")]
    return {each["name"] for each in records if each["decision"] == decision}


def begun(folder: Path) -> None:
    """Wait until an adapter has begun to connect."""
    deadline = time.monotonic() + 30
    while "g.north" not in told(folder, "started"):
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_part_that_is_still_connecting_stops(
    tmp_path: Path, mute: str, name: str, number: signal.Signals
) -> None:
    url = mute if number is signal.SIGTERM else absent()
    with started(*PARTS[name](tmp_path, url)) as part:
        begun(tmp_path)
        part.tell(number)
        assert_clean(part)
    assert "g.north" in told(tmp_path, "stopped")


def test_a_part_that_is_told_twice_stops_once(tmp_path: Path, mute: str) -> None:
    with started(*gateway(tmp_path, mute)) as part:
        begun(tmp_path)
        for _ in range(3):
            part.tell()
        assert_clean(part)
    assert told(tmp_path, "stopped") >= {"g.north", "g.south"}


@pytest.mark.parametrize("after_s", [0.0, 0.25, 0.5, 0.75])
def test_a_part_that_is_told_while_it_starts_ends_and_can_be_started_again(
    tmp_path: Path, after_s: float
) -> None:
    """Before it handles the signal, the signal itself ends it, or the watch over its start does."""
    with started(*gateway(tmp_path, absent())) as part:
        time.sleep(after_s)  # some moment of its start
        part.tell()
        assert_clean(part, 0, -signal.SIGTERM, 128 + signal.SIGTERM)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_city_that_is_still_connecting_stops(
    tmp_path: Path, mute: str, number: signal.Signals
) -> None:
    with started(*city(tmp_path, mute)) as part:
        part.says('"started"')
        for _ in range(2):
            part.tell(number)
        assert_clean(part)
        assert '"stopped"' in part.said


class Accounts:
    """A consumer that keeps the numbers it gets."""

    def __init__(self) -> None:
        self.trips: list[object] = []

    def push_structured_event(self, event: StructuredEvent, _: Stamp | None) -> None:
        if event.event_type.type_name == "Trip":  # gateways talk to one another there, too
            self.trips.append(event.filterable_data["number"])


async def test_a_gateway_that_is_told_under_load_loses_and_doubles_nothing_persistent(
    tmp_path: Path,
) -> None:
    accounts, count = Accounts(), 600
    spec = ServerSpec("load", tmp_path / "broker", jetstream=True)
    with NatsServer(spec) as store:
        async with AsyncExitStack() as stack:
            connection = await stack.enter_async_context(Connection(store.url, name="native"))
            await durable_consumer(await opened(connection, "south"), accounts, "accounts")
            channel = await opened(connection, "north")
            supplier = channel.default_supplier_admin.obtain_notification_push_consumer(
                ClientType.STRUCTURED_EVENT
            )
            await supplier.connect_structured_push_supplier(origin="native")

            async def drive() -> None:
                for number in range(count):
                    event = structured_event(
                        ("", "Trip"),
                        filterable_data={"number": number},
                        variable_header={"EventReliability": 1},
                    )
                    await supplier.push_structured_event(event)
                    await asyncio.sleep(0.002)

            with started(*gateway(tmp_path, store.url)) as part:
                await eventually(lambda: channel.subscriptions, 30.0, "it has subscribed")
                driving = asyncio.create_task(drive())
                await eventually(lambda: len(accounts.trips) > 50, 30.0, "events flow")
                part.tell()
                await asyncio.to_thread(assert_clean, part)
                assert len(accounts.trips) < count, "it was told too late"
            with started(*gateway(tmp_path, store.url)) as part:
                await eventually(lambda: len(accounts.trips) >= count, 40.0, "the rest")
                await driving
                part.tell()
                await asyncio.to_thread(assert_clean, part)
    assert accounts.trips == [*range(count)]
