"""A gateway at work whose journal, links or own code misbehave."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TypeVar

import pytest
from fes.errors import StoreError
from fes.eventlog import NullLog
from fes.federation.clock import FederationClock
from fes.gateway import AdapterSettings, GatewaySettings
from fes.link.end import Hello, Message
from fes.link.frames import Frame, encode_frame
from fes.link.messages import Desired, Done, PublishControl, Subscribe, Taken
from fes.testing.eventually import eventually
from fes_gateway.deciding import decider
from fes_gateway.deciding.refusals import STATIC
from fes_gateway.host import GatewayHost
from fes_gateway.linkserver import LinkServer
from fes_gateway.store import Entry, MemoryJournal
from support.gateways.cores import request
from support.gateways.custodies import event_of
from websockets.asyncio.client import connect

T = TypeVar("T")

SETTINGS = GatewaySettings(
    "g1",
    "test",
    {name: AdapterSettings(f"g1.{name}", name) for name in ("north", "south")},
    ("north", "south"),
)


class SlowJournal(MemoryJournal):
    """Appends only once it may; fails as often as it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.open = threading.Event()
        self.open.set()
        self.failures: list[Exception] = []

    def append(self, batch: Sequence[Entry], expected_sequence: int) -> int:
        self.open.wait(10)
        if self.failures:
            raise self.failures.pop()
        return super().append(batch, expected_sequence)


class End:
    """The gateway's end of a link; takes what it may."""

    counters: dict[str, int] = {}  # noqa: RUF012 - nothing is counted

    def __init__(self, takes: Callable[[Message], bool] = lambda _: True) -> None:
        self.sent: list[Message] = []
        self._takes = takes

    def send(self, message: Message) -> bool:
        taken = self._takes(message)
        if taken:
            self.sent.append(message)
        return taken

    async def close(self) -> None:
        """Nothing is to be closed."""

    def of(self, kind: type[T]) -> list[T]:
        return [message for message in self.sent if isinstance(message, kind)]


@asynccontextmanager
async def hosted() -> AsyncIterator[tuple[GatewayHost, SlowJournal]]:
    journal = SlowJournal()
    with ThreadPoolExecutor(1) as executor:
        host = GatewayHost(SETTINGS, journal, executor, NullLog(), FederationClock(0, 0, 1))
        await host.start()
        yield host, journal
        journal.open.set()
        await host.stop()


def steps(host: GatewayHost, identity: str) -> list[str]:
    return [step.decision for step in host.core.outcomes.get(identity) or ()]


async def test_what_the_journal_cannot_take_is_refused_before_the_core_knows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(decider, "COMMITS", 2)
    async with hosted() as (host, journal):
        end = End()
        host.attach("north", end)
        journal.open.clear()
        host.inject(request(filter="rate > 0"))
        await asyncio.sleep(0.05)  # the first is being appended, the next two wait
        taken = [host.inject(request(filter=f"rate > {number}")) for number in (1, 2, 3)]

        assert steps(host, taken[2]) == ["refused"]
        assert len(host.core.table) == 3
        assert not host.ready

        journal.open.set()
        await eventually(lambda: len(end.of(Subscribe)) == 3)
        again = host.inject(request(filter="rate > 3"))
        await eventually(lambda: len(end.of(Subscribe)) == 4)
        assert "accepted" in steps(host, again)


async def test_nothing_is_accepted_behind_an_event_that_the_journal_could_not_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with hosted() as (host, _):
        end = End()
        host.attach("north", end, {"persistent": True})
        host.inject(request(dist_list="north"))
        await eventually(lambda: end.of(Subscribe))
        (applied,) = host.core.applied("north")
        receive, numbers = host.receiver("north"), (applied.number,)

        monkeypatch.setattr(decider, "COMMITS", 0)
        receive(event_of(numbers, 1))
        monkeypatch.undo()
        receive(event_of(numbers, 2, after=1))
        receive(event_of(numbers, 1, token=3))

        await eventually(lambda: Taken(3) in end.of(Taken))
        assert end.of(Taken) == [Taken(1, taken=False), Taken(2, taken=False), Taken(3)]


async def test_an_adapter_that_links_is_told_only_what_is_committed() -> None:
    async with hosted() as (host, journal):
        journal.open.clear()
        host.inject(request())
        end = End()
        host.attach("north", end)
        assert end.sent == []

        journal.open.set()
        await eventually(lambda: end.of(Desired))
        assert [len(whole.subscriptions) for whole in end.of(Desired)] == [1]


async def test_an_adapter_whose_link_refused_an_order_gets_the_whole_state() -> None:
    async with hosted() as (host, _):
        refused = iter((False,))
        end = End(lambda message: not isinstance(message, Subscribe) or next(refused, True))
        host.attach("north", end)
        host.inject(request())
        await eventually(lambda: end.of(PublishControl))
        assert not end.of(Subscribe)

        host.tick()

        (_, whole) = end.of(Desired)
        assert [order.filter for order in whole.subscriptions] == [request().filter]


@pytest.mark.parametrize("error", [StoreError("disk full"), ValueError("a bug")])
async def test_a_journal_that_fails_is_told_and_tried_again(error: Exception) -> None:
    async with hosted() as (host, journal):
        end = End()
        host.attach("north", end)
        journal.failures.append(error)
        host.inject(request())

        await eventually(lambda: "journal" in host.faults)
        assert str(error) in host.faults["journal"]
        await eventually(lambda: end.of(Subscribe))
        assert "journal" not in host.faults


async def test_what_fails_to_be_performed_does_not_stop_what_comes_behind() -> None:
    async with hosted() as (host, _):
        broken = iter((True,))

        def takes(message: Message) -> bool:
            if isinstance(message, Subscribe) and next(broken, False):
                raise ValueError("a bug")
            return True

        end = End(takes)
        host.attach("north", end)
        host.inject(request())
        host.inject(request(filter="rate > 9"))

        await eventually(lambda: end.of(Subscribe))
        assert ("perform_failed", 1) in [
            (labels.decision, n) for labels, n in host.counters.items()
        ]


async def test_a_link_whose_message_cannot_be_taken_is_refused_and_free_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with hosted() as (host, _):
        links = LinkServer({"g1": host}, "127.0.0.1", 0)
        await links.start()

        def fail(*_: object) -> None:
            raise ValueError("a bug")

        monkeypatch.setattr(host.core._registry, "done", fail)
        hello = Hello("g1.north", "north", 1, {})
        url = f"ws://127.0.0.1:{links.port}"
        async with connect(url, compression=None) as socket:
            await socket.send(encode_frame(Frame(1, 0, (hello,))))
            await eventually(lambda: host.adapters["north"].linked)
            await socket.send(encode_frame(Frame(2, 0, (Done(1),))))
            await eventually(lambda: not host.adapters["north"].linked)

        assert links.refused == 1
        assert "link_failed" in caplog.text
        await links.stop()


async def test_a_gateway_is_not_ready_while_a_request_of_the_file_was_refused() -> None:
    async with hosted() as (host, _):
        end = End()
        host.attach("north", end)
        host.inject(request(filter="rate > 1", requester=f"{STATIC}/g1"))
        host.inject(request(filter="rate > 2", requester="city"))
        await eventually(lambda: len(end.of(Subscribe)) == 2)
        static, other = (order.number for order in end.of(Subscribe))
        take = host.receiver("north")
        take(Done(other, error="not permitted"))
        take(Done(static))
        part = "g1.north: subscription 'rate > 1'"
        assert part not in host.faults
        assert not any("rate > 2" in fault for fault in host.faults)

        take(Done(static, error="the broker does not permit it"))
        assert host.faults[part] == "the broker does not permit it"
        assert not host.ready

        take(Done(static))
        assert part not in host.faults
