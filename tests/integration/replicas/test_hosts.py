"""Replicas of a gateway in one process, over one journal: requests, leads, takeovers."""

import asyncio
import json
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
import pytest
from fes.control import ControlEvent, RequestType
from fes.errors import StoreError
from fes.eventlog import NullLog
from fes.federation.clock import FederationClock
from fes.gateway import AdapterSettings, GatewaySettings
from fes.gateway.replication import INBOX, Role, is_request
from fes.link.end import Message
from fes.link.messages import Desired, Done, Heard, Publish, Subscribe, Taken, View
from fes.model import Event, Stamp, binary
from fes.testing.eventually import eventually
from fes_gateway.deciding.decider import VOID
from fes_gateway.host import GatewayHost
from fes_gateway.http import app as app_module
from fes_gateway.http import views
from fes_gateway.http.addressed import HOST
from fes_gateway.replicas.membership import NUMBERS
from fes_gateway.replicas.membership import View as MembersView
from fes_gateway.replicas.replica import HEARTBEAT_S
from fes_gateway.store import MemoryJournal
from fes_gateway.store.memory import MemoryPlace
from starlette.types import Receive, Scope, Send

pytestmark = pytest.mark.anyio

SERVICES = ("north", "south")
KEEPS = {"persistent": True, "suppresses": True}


@dataclass
class End:
    """A gateway's end of a link whose adapter notes what it is told."""

    told: list[Message] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)

    def send(self, message: Message) -> bool:
        self.told.append(message)
        return True

    async def close(self) -> None: ...

    def of(self, kind: type[Message]) -> list[Message]:
        return [each for each in self.told if isinstance(each, kind)]


@dataclass
class Town:
    """Replicas by name, and their ends by replica and event service."""

    place: MemoryPlace = field(default_factory=MemoryPlace)
    hosts: dict[str, GatewayHost] = field(default_factory=dict)
    ends: dict[tuple[str, str], End] = field(default_factory=dict)
    executors: list[ThreadPoolExecutor] = field(default_factory=list)

    async def start(self, name: str, *, linked: bool = True) -> GatewayHost:
        executor = ThreadPoolExecutor(1)
        self.executors.append(executor)
        clock = FederationClock(0, 0, 1)
        journal = MemoryJournal(self.place)
        host = GatewayHost(settings(), journal, executor, NullLog(), clock, name)
        await host.start()
        self.hosts[name] = host
        if linked:
            self.link(name)
        return host

    def link(self, name: str) -> None:
        for service in SERVICES:
            end = self.ends[name, service] = End()
            self.hosts[name].attach(service, end, KEEPS)

    def kill(self, name: str) -> None:
        host = self.hosts.pop(name)
        assert host.replica is not None
        host.replica.kill()
        host.committing.kill()

    def leaders(self) -> list[str]:
        return [name for name, host in self.hosts.items() if host.core.role is Role.LEADING]

    def members(self, name: str) -> tuple[str, ...]:
        replica = self.hosts[name].replica
        assert replica is not None
        return replica.membership.members


def settings() -> GatewaySettings:
    return GatewaySettings(
        id="g1",
        system="test",
        adapters={name: AdapterSettings(f"g1.{name}", name) for name in SERVICES},
        services=SERVICES,
    )


def subscription() -> ControlEvent:
    return ControlEvent(
        stamp=Stamp("nobody", 0, 1, 0, "nobody"),
        system="test",
        type=RequestType.SUBSCRIPTION,
        source="south",
        dist_list="north",
        filter="subject = 'Speed'",
        requester="client",
    )


def speed(host: GatewayHost, sequence: int, token: int = 0) -> Heard:
    numbers = tuple(applied.number for applied in host.core.applied("north"))
    body = binary.encode(Event.of("Speed", rate=1.0))
    stamp = Stamp("car", 1, sequence, 0, "north")
    return Heard(stamp, (), "Speed", numbers, 1, 0, 0, bool(token), body, 0, token)


@asynccontextmanager
async def town(*names: str) -> AsyncIterator[Town]:
    found = Town()
    try:
        for name in names:
            await found.start(name)
        await eventually(lambda: all(len(found.members(n)) == len(names) for n in names))
        yield found
    finally:
        for host in found.hosts.values():
            await host.stop()
        for executor in found.executors:
            executor.shutdown()


@pytest.mark.parametrize("asked", ["a", "b"])
async def test_a_request_made_at_any_replica_is_ordered_by_all(asked: str) -> None:
    async with town("a", "b", "c") as one:
        identity = one.hosts[asked].inject(subscription())
        for name in one.hosts:
            await eventually(lambda name=name: one.ends[name, "north"].of(Subscribe))
        (order,) = one.ends["c", "north"].of(Subscribe)
        assert isinstance(order, Subscribe)
        one.hosts["c"].receiver("north")(Done(order.number))
        steps = one.hosts["c"].core.outcomes.get(identity) or ()
        assert steps[-1].decision == "applied"


async def test_a_row_is_everywhere_once_all_that_live_have_it() -> None:
    """Rule P12."""
    async with town("a", "b") as one:
        one.hosts["a"].inject(subscription())
        replica = one.hosts["a"].replica
        assert replica is not None
        await eventually(lambda: [*one.hosts["a"].core.table.rows()])
        (row,) = one.hosts["a"].core.table.rows()
        await eventually(lambda: replica.is_everywhere(row.name))
        assert [each.name for each in one.hosts["b"].core.table.rows()] == [row.name]


async def listed(host: GatewayHost) -> list[str]:
    """Return the states of the one subscription, as REST lists it."""
    text = b"".join([part async for part in views.subscriptions(host)])
    (one,) = json.loads(text)
    return [each["state"] for each in one["applied"]]


async def test_a_request_is_not_told_as_applied_while_a_replica_that_lives_may_lack_it() -> None:
    async with town("a", "b") as one:
        host, slow = one.hosts["a"], one.hosts["b"].replica
        assert slow is not None
        slow.kill()
        host.inject(subscription())
        await eventually(lambda: one.ends["a", "north"].of(Subscribe))
        (order,) = one.ends["a", "north"].of(Subscribe)
        assert isinstance(order, Subscribe)
        host.receiver("north")(Done(order.number))
        assert one.members("a") == ("a", "b")
        assert await listed(host) == ["ordered"]
        await eventually(lambda: one.members("a") == ("a",))
        assert await listed(host) == ["applied"]


async def test_who_is_not_linked_yet_is_no_member() -> None:
    async with town("a") as one:
        await one.start("b", linked=False)
        await asyncio.sleep(4 * HEARTBEAT_S)  # a member would be one by then
        assert one.members("a") == ("a",)
        one.link("b")
        await eventually(lambda: one.members("a") == ("a", "b"))


async def test_each_link_is_told_first_who_the_replicas_are_and_again_when_that_changes() -> None:
    """Rule P13."""
    async with town("a", "b") as one:
        first, second = one.ends["b", "north"].told[:2]
        assert isinstance(first, View)
        assert (first.replica, first.leader) == ("b", "a")
        assert isinstance(second, Desired)
        one.kill("a")
        await eventually(lambda: one.leaders() == ["b"])
        last = one.ends["b", "north"].of(View)[-1]
        assert isinstance(last, View)
        assert (last.leader, last.members) == ("b", ("b",))
        assert last.number > first.number


async def test_custody_goes_on_where_another_takes_the_lead_over() -> None:
    async with town("a", "b") as one:
        one.hosts["a"].inject(subscription())
        await eventually(lambda: one.ends["b", "north"].of(Subscribe))
        one.hosts["a"].receiver("north")(speed(one.hosts["a"], 1, token=5))
        await eventually(lambda: one.ends["a", "north"].of(Taken))
        (given,) = one.ends["a", "south"].of(Publish)
        one.kill("a")
        await eventually(lambda: one.ends["b", "south"].of(Publish))
        (again,) = one.ends["b", "south"].of(Publish)
        assert isinstance(given, Publish)
        assert isinstance(again, Publish)
        assert (again.row, again.stamp) == (given.row, given.stamp)


async def test_a_follower_has_the_source_give_again_what_is_for_the_leader() -> None:
    async with town("a", "b") as one:
        one.hosts["b"].receiver("north")(speed(one.hosts["b"], 1, token=5))
        await eventually(lambda: one.ends["b", "north"].of(Taken) == [Taken(5, taken=False)])


async def test_who_stops_hands_the_lead_over_without_waiting() -> None:
    async with town("a", "b") as one:
        one.hosts["a"].inject(subscription())
        await eventually(lambda: one.ends["b", "north"].of(Subscribe))
        await one.hosts.pop("a").stop()
        await eventually(lambda: one.leaders() == ["b"])
        assert one.members("b") == ("b",)
        one.hosts["b"].inject(subscription())


async def test_a_deposed_leader_takes_nothing_back_that_it_did_not_commit() -> None:
    """Rule M7."""
    async with town("a", "b") as one:
        stale = one.hosts["a"]
        stale.inject(subscription())
        await eventually(lambda: one.ends["b", "north"].of(Subscribe))
        replica, other = stale.replica, one.hosts["b"].replica
        assert replica is not None
        assert other is not None
        other._propose(other.membership.takeover(1), [])
        stale.receiver("north")(speed(stale, 1, token=5))
        await eventually(lambda: one.leaders() == ["b"])
        await eventually(lambda: one.ends["a", "north"].of(Taken))
        taken = one.ends["a", "north"].of(Taken)[0]
        assert isinstance(taken, Taken)
        kept = len(one.hosts["b"].core.delivery.custody)
        assert taken.taken == bool(kept)
        assert len(stale.core.delivery.custody) == 0
        await eventually(lambda: one.members("a") == ("a", "b"))


async def test_one_who_joins_gets_what_holds_and_is_made_a_member() -> None:
    async with town("a") as one:
        one.hosts["a"].inject(subscription())
        await eventually(lambda: one.ends["a", "north"].of(Subscribe))
        await one.start("b")
        await eventually(lambda: one.members("a") == ("a", "b"))
        whole = one.ends["b", "north"].of(Desired)[0]
        assert isinstance(whole, Desired)
        assert [each.filter for each in whole.subscriptions] == ["subject = 'Speed'"]
        await eventually(lambda: one.members("b") == ("a", "b"))


async def test_leads_change_hands_many_times_and_the_table_stays() -> None:
    async with town("a", "b") as one:
        one.hosts["a"].inject(subscription())
        await eventually(lambda: one.ends["b", "north"].of(Subscribe))
        for turn in range(4):
            name = f"n{turn}"
            await one.start(name)
            await eventually(lambda name=name: name in one.members(name))
            (leader,) = one.leaders()
            one.kill(leader)
            await eventually(lambda: len(one.leaders()) == 1)
        for host in one.hosts.values():
            assert [row.source for row in host.core.table.rows()] == ["south"]


async def test_a_replica_that_cannot_take_over_is_no_leader_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rule M8."""

    def fail(*_: object) -> None:
        raise ValueError("poison")

    async with town("a", "b", "c") as one:
        broken = one.hosts["b"]
        ended: list[str] = []
        broken.on_failed = lambda: ended.append(broken.failure)
        for adapter in broken.adapters.values():
            adapter.ready = True
        assert broken.ready
        monkeypatch.setattr(broken.core, "lead", fail)
        one.kill("a")

        await eventually(lambda: ended)
        assert "ValueError('poison')" in broken.failure
        assert not broken.ready
        assert broken.faults == {"gateway": broken.failure}
        await eventually(lambda: one.hosts["c"].core.role is Role.LEADING)
        one.hosts["c"].inject(subscription())
        await eventually(lambda: one.ends["c", "north"].of(Subscribe))


async def test_what_became_of_a_request_that_a_deposed_leader_did_not_commit_is_told() -> None:
    async with town("a", "b") as one:
        stale, other = one.hosts["a"], one.hosts["b"].replica
        assert stale.replica is not None
        assert other is not None
        stale.replica.kill()
        stale.committing._behind = True  # it is not woken, and learns of the view as it commits
        other._propose(other.membership.takeover(1), [])
        await eventually(lambda: one.leaders() == ["a", "b"])
        assert stale.replica.term

        answer = await client_of(stale).post("/v1/requests", json=SUBSCRIPTION)
        assert answer.status_code == 503
        assert answer.json()["detail"] == VOID
        (identity,) = {request for request, _ in stale.core.outcomes}
        told = await client_of(stale).get(f"/v1/requests/{identity}")
        assert [step["detail"] for step in told.json()["steps"] if step["decision"] == "refused"]


async def test_what_a_leader_decided_is_void_though_the_view_that_it_reads_names_it() -> None:
    """Another led in between, and what it committed stands in the journal before that."""
    async with town("a", "b") as one:
        stale, other = one.hosts["a"], one.hosts["b"].replica
        assert stale.replica is not None
        assert other is not None
        term = stale.replica.term
        stale.replica.kill()
        stale.committing._behind = True  # it is not woken, and learns of the views as it commits
        other._propose(other.membership.takeover(1), [])
        await eventually(lambda: one.leaders() == ["a", "b"])
        other.kill()
        view = other.membership.view
        assert view is not None
        back = MembersView(view.number + 1, "a", ("a", "b"), view.base + NUMBERS)
        other._propose(back, [])
        await eventually(lambda: other.membership.view == back)

        answer = await client_of(stale).post("/v1/requests", json=SUBSCRIPTION)
        assert answer.status_code == 503
        assert answer.json()["detail"] == VOID
        await eventually(lambda: stale.replica and stale.replica.term == back.number != term)


@pytest.mark.parametrize("asked", ["a", "b"])
async def test_a_request_is_answered_202_once_it_is_in_the_journal(asked: str) -> None:
    """Rule P15."""
    async with town("a", "b") as one:
        answer = await client_of(one.hosts[asked]).post("/v1/requests", json=SUBSCRIPTION)

        assert answer.status_code == 202
        kept = [entry.key for entry in one.place.entries]
        assert any(key.startswith(INBOX) or is_request(key) for key in kept)


async def test_a_request_that_the_journal_does_not_take_is_not_answered_202(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app_module, "COMMIT_S", 0.2)
    async with town("a") as one:
        journal = one.hosts["a"].committing._journal
        with monkeypatch.context() as patched:
            patched.setattr(journal, "append", _disk_full)
            answer = await client_of(one.hosts["a"]).post("/v1/requests", json=SUBSCRIPTION)
            assert answer.status_code == 503
            assert "disk full" in answer.json()["detail"]


def _disk_full(*_: object) -> int:
    raise StoreError("disk full")


SUBSCRIPTION = {
    "type": "subscription",
    "source": "south",
    "dist_list": "north",
    "filter": "subject = 'Speed'",
}


def client_of(host: GatewayHost) -> httpx.AsyncClient:
    """Return a client of a gateway's REST interface."""
    app = app_module.make_app()

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, HOST: host}, receive, send)

    return httpx.AsyncClient(transport=httpx.ASGITransport(serve), base_url="http://gateway")
