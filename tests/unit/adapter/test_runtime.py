"""The runtime of an adapter whose event service or whose own code misbehaves."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from fes.adapter import AdapterRuntime
from fes.adapter import runtime as runtime_module
from fes.adapter.context import Subscription
from fes.adapter.pool import ConnectionPool
from fes.control import CONTROL_SUBJECT, RequestType
from fes.errors import AdapterError, UnavailableError
from fes.eventlog import Decision, Record
from fes.link.end import Message
from fes.link.messages import (
    Announce,
    Counted,
    Desired,
    Done,
    HeardControl,
    Publish,
    Subscribe,
    Unsubscribe,
)
from fes.mapping import Mapping, Native, load_rules
from fes.model import Event, Stamp, binary
from fes.testing.eventually import eventually
from fes.testing.memory import MemoryAdapter, MemoryClient, buses
from support.processes.contexts import adapter_context


class Faulty(MemoryAdapter):
    """Fails as often as it is told to."""

    def __init__(self, name: str) -> None:
        super().__init__(adapter_context("g", name, MemoryAdapter, ConnectionPool()))
        self.native = buses[name]
        self.failures: dict[str, deque[Exception]] = {}
        self.allowed = asyncio.Event()
        self.allowed.set()

    def fail(self, what: str, *errors: Exception) -> None:
        self.failures[what] = deque(errors)

    def _try(self, what: str) -> None:
        if self.failures.get(what):
            raise self.failures[what].popleft()

    async def _open(self) -> None:
        self._try("open")
        await super()._open()

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        await self.allowed.wait()
        self._try("subscribe")
        return await super()._subscribe(subscription)

    async def _unsubscribe(self, subscription: Subscription) -> None:
        self._try("unsubscribe")
        await super()._unsubscribe(subscription)

    async def _probe(self) -> None:
        self._try("probe")
        await super()._probe()


class Gateway:
    """The other end of the link, and the event log."""

    counters: dict[str, int] = {}  # noqa: RUF012 - nothing is counted

    def __init__(self) -> None:
        self.said: list[Message] = []
        self.log: list[Record] = []
        self.full = False

    def send(self, message: Message) -> bool:
        self.said.append(message)
        return not self.full

    async def close(self) -> None:
        """Nothing is to be closed."""

    def wants(self, identity: str) -> bool:
        return True

    def write(self, record: Record) -> None:
        self.log.append(record)

    def state(self) -> Counted:
        told = [message for message in self.said if isinstance(message, Counted)]
        return told[-1] if told else Counted(ready=False, reason="", counters={})


@pytest.fixture
def adapter(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Faulty:
    monkeypatch.setattr(runtime_module, "PROBE_S", 0.05)
    monkeypatch.setattr(runtime_module, "RESTART_S", 0.01)
    return Faulty(request.node.name)


@asynccontextmanager
async def running(adapter: Faulty) -> AsyncIterator[tuple[AdapterRuntime, Gateway]]:
    gateway = Gateway()
    runtime = AdapterRuntime(adapter, gateway)
    runtime.attach(gateway)
    async with runtime:
        yield runtime, gateway


async def test_why_it_cannot_connect_is_told_to_the_gateway(adapter: Faulty) -> None:
    adapter.fail("open", AdapterError("no such channel"))

    async with running(adapter) as (_, gateway):
        await eventually(lambda: gateway.state().reason == "no such channel")
        assert not gateway.state().ready


@pytest.mark.parametrize("what", ["open", "probe"])
async def test_a_task_that_fails_is_told_and_begins_anew(adapter: Faulty, what: str) -> None:
    adapter.fail(what, ValueError("a bug"))

    async with running(adapter) as (_, gateway):
        await eventually(
            lambda: any("a bug" in m.reason for m in gateway.said if isinstance(m, Counted))
        )
        await eventually(lambda: gateway.state().ready)
        assert gateway.state().counters["task_failed"] == 1


async def test_an_order_that_fails_unexpectedly_is_made_later(adapter: Faulty) -> None:
    adapter.fail("subscribe", ValueError("a bug"))

    async with running(adapter) as (runtime, gateway):
        whole = (Subscribe(1, "a", 1), Subscribe(2, "b", 1))
        runtime.receive(Desired(1, whole, ()))
        await eventually(lambda: adapter.native.subscribed == {"a": 1, "b": 1})
        assert Done(1, error="order failed: ValueError('a bug')") in gateway.said


async def test_a_native_withdrawal_that_failed_is_tried_again(adapter: Faulty) -> None:
    async with running(adapter) as (runtime, gateway):
        runtime.receive(Subscribe(1, "a", 1))
        await eventually(lambda: adapter.native.subscribed)
        adapter.fail("unsubscribe", UnavailableError("away"))
        runtime.receive(Unsubscribe(1, 2))

        await eventually(lambda: not adapter.native.subscribed)
        await eventually(lambda: Done(1, withdrawn=True) in gateway.said)
        assert Done(1, withdrawn=True, error="away") in gateway.said


async def test_what_was_withdrawn_while_it_was_tried_again_is_not_left(adapter: Faulty) -> None:
    async with running(adapter) as (runtime, gateway):
        await eventually(lambda: runtime.ready)
        adapter.fail("subscribe", UnavailableError("away"))
        adapter.allowed.clear()
        runtime.receive(Subscribe(1, "a", 1))
        runtime.receive(Subscribe(2, "b", 2))
        adapter.allowed.set()
        await eventually(lambda: Done(1, error="away") in gateway.said)
        adapter.allowed.clear()
        await asyncio.sleep(0.2)  # rounds of probing, each of which finds what failed
        runtime.receive(Unsubscribe(1, 3))
        adapter.allowed.set()

        await eventually(lambda: adapter.native.subscribed == {"b": 1})
        await asyncio.sleep(0.2)
        assert adapter.native.subscribed == {"b": 1}


async def test_what_is_held_is_not_made_twice_and_told_again(adapter: Faulty) -> None:
    async with running(adapter) as (runtime, gateway):
        runtime.receive(Subscribe(1, "a", 1))
        runtime.receive(Subscribe(1, "a", 1))
        runtime.receive(Subscribe(2, "b", 1))
        await eventually(lambda: "b" in adapter.native.subscribed)
        gateway.said.clear()
        runtime.receive(Desired(2, (Subscribe(1, "a", 1),), ()))

        await eventually(lambda: adapter.native.subscribed == {"a": 1})
        assert [m.number for m in gateway.said if isinstance(m, Done)] == [1, 2]


async def test_a_stop_goes_on_after_a_failure_and_tells_what_waited(adapter: Faulty) -> None:
    async with running(adapter) as (runtime, gateway):
        runtime.receive(Subscribe(1, "a", 1))
        runtime.receive(Subscribe(2, "b", 2))
        await eventually(lambda: len(adapter.native.subscribed) == 2)
        adapter.fail("unsubscribe", ValueError("a bug"), ValueError("a bug"))
        runtime.receive(Publish(Stamp("car", 1, 1, 0, "home"), (), 0, b""))

    assert adapter.native.subscribed == {"a": 1}
    dropped = [record for record in gateway.log if record.decision == Decision.DROPPED]
    assert "stopped" in [record.reason for record in dropped if record.id == "car/1/1"]


async def test_an_announcement_that_changed_is_made_before_the_old_one_is_withdrawn(
    adapter: Faulty,
) -> None:
    async with running(adapter) as (runtime, gateway):
        for rate in (1.0, 2.0):
            runtime.receive(Announce(1, binary.encode(Event.of("Speed", rate=rate))))
            await eventually(lambda: Done(1) in gateway.said)
            gateway.said.remove(Done(1))
        await eventually(lambda: adapter.native.announced == {"Speed": 1})

    made = [r.decision for r in gateway.log if r.decision.endswith("announced")]
    assert made == ["announced", "announced", "unannounced", "unannounced"]


async def test_a_control_event_that_the_link_does_not_take_is_counted(adapter: Faulty) -> None:
    async with running(adapter) as (runtime, gateway):
        gateway.full = True
        for kind in (RequestType.PUBLICATION, RequestType.SUBSCRIPTION):
            runtime.heard_control(Event.of(CONTROL_SUBJECT, Type=int(kind)), None)

        controls = [m for m in gateway.said if isinstance(m, HeardControl)]
        assert [control.publication for control in controls] == [True, False]
        assert runtime.inbound.counters["dropped"] == 2
        assert gateway.log[-1].reason.startswith("link queue full")


async def test_native_events_made_of_one_have_identities_of_their_own(adapter: Faulty) -> None:
    rules = [{"native": {"subject": name}, "subject": "Speed"} for name in ("Fast", "Slow")]
    adapter.context = replace(adapter.context, mapping=Mapping(load_rules(rules, Path())))
    client = MemoryClient(adapter.native, "city")
    body = binary.encode(Event.of("Speed", rate=1.0))

    async with running(adapter) as (runtime, _):
        runtime.receive(Announce(1, body))
        runtime.receive(Publish(Stamp("car", 1, 1, 0, "home"), (), 0, body))
        await eventually(lambda: len(client.events()) == 2)

    origins = [item.stamp.origin for item in client.received if item.stamp]
    assert len(set(origins)) == 2
    assert all(origin.startswith("car~") for origin in origins)


async def test_an_implausible_event_is_left_out_where_it_would_be_published(
    adapter: Faulty,
) -> None:
    rules = [{"subject": "Speed", "parameters": {"rate": {"range": {"max": 250}}}}]
    adapter.context = replace(adapter.context, mapping=Mapping(load_rules(rules, Path())))
    client = MemoryClient(adapter.native, "city")

    async with running(adapter) as (runtime, gateway):
        runtime.receive(Announce(1, binary.encode(Event.of("Speed", rate=999.0))))
        for number, rate in enumerate((300.0, 30.0), 1):
            body = binary.encode(Event.of("Speed", rate=rate))
            runtime.receive(Publish(Stamp("car", 1, number, 0, "home"), (), 0, body))
        await eventually(lambda: len(client.events()) == 1)

    assert client.events()[0].parameter("rate") == 30.0
    counters = runtime.counted().counters
    assert (counters["published"], counters["publish_left_out"], counters["left_out"]) == (1, 1, 0)
    (told,) = [r.reason for r in gateway.log if r.decision == "left out"]
    assert told.endswith("300.0 is outside ..250")


async def test_a_changed_announcement_leaves_no_gap_and_an_old_one_that_fails_goes_later(
    adapter: Faulty,
) -> None:
    seen: list[int] = []
    announced = adapter.native.announced
    unannounce = adapter._unannounce

    async def watched(native: Native) -> None:
        seen.append(announced["Speed"])
        adapter._try("unannounce")
        await unannounce(native)

    adapter._unannounce = watched  # type: ignore[method-assign] # watched
    adapter.fail("unannounce", UnavailableError("away"))
    async with running(adapter) as (runtime, gateway):
        for rate in (1.0, 2.0):
            runtime.receive(Announce(1, binary.encode(Event.of("Speed", rate=rate))))
            await eventually(lambda: Done(1) in gateway.said)
            gateway.said.remove(Done(1))
        await eventually(lambda: announced == {"Speed": 1})
        assert seen == [2, 2]


async def test_an_announcement_that_fails_leaves_the_old_one_in_force(adapter: Faulty) -> None:
    announce, bodies = adapter._announce, (1.0, 2.0)

    async def failing(native: Native) -> None:
        adapter._try("announce")
        await announce(native)

    adapter._announce = failing  # type: ignore[method-assign] # as told
    async with running(adapter) as (runtime, gateway):
        for rate in bodies:
            runtime.receive(Announce(1, binary.encode(Event.of("Speed", rate=rate))))
            await eventually(lambda: any(isinstance(said, Done) for said in gateway.said))
            gateway.said[:] = [said for said in gateway.said if not isinstance(said, Done)]
            adapter.fail("announce", AdapterError("too wide"))
        assert adapter.native.announced == {"Speed": 1}
        assert runtime.outbound.announcements == {1: binary.encode(Event.of("Speed", rate=1.0))}
