"""Replicas of a gateway in one process, over one journal: requests, leads, takeovers."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from fes.control import ControlEvent, RequestType
from fes.eventlog import NullLog
from fes.federation.clock import FederationClock
from fes.gateway import AdapterSettings, GatewaySettings
from fes.gateway.replicas import Role
from fes.link.end import Message
from fes.link.messages import Desired, Done, Heard, Publish, Subscribe, Taken, View
from fes.model import Event, Stamp, binary
from fes.testing.eventually import eventually
from fes_gateway.host import GatewayHost
from fes_gateway.http import views
from fes_gateway.replicas.replica import HEARTBEAT_S
from fes_gateway.store import MemoryJournal
from fes_gateway.store.memory import MemoryPlace

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
        assert [each.state for each in views.subscriptions(host)[0].applied] == ["ordered"]
        await eventually(lambda: one.members("a") == ("a",))
        assert [each.state for each in views.subscriptions(host)[0].applied] == ["applied"]


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
        assert one.ends["b", "north"].of(Taken) == [Taken(5, taken=False)]


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
