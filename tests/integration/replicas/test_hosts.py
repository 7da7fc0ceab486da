"""Replicas of a gateway in one process, over one journal: requests, leads, takeovers."""

import asyncio
import json
from functools import partial

import pytest
from fes.gateway.replication import Role
from fes.link.messages import Desired, Done, Publish, Subscribe, Taken, View
from fes.testing.eventually import eventually
from fes_gateway.host import GatewayHost
from fes_gateway.http import views
from fes_gateway.replicas.replica import HEARTBEAT_S
from support.gateways.replicas import (
    speed,
    subscription,
    town,
)

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("asked", ["a", "b"])
async def test_a_request_made_at_any_replica_is_ordered_by_all(asked: str) -> None:
    async with town("a", "b", "c") as one:
        identity = one.hosts[asked].inject(subscription())

        def ordered(name: str) -> object:
            return one.ends[name, "north"].of(Subscribe)

        for name in one.hosts:
            await eventually(partial(ordered, name))
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

        def joined(name: str) -> bool:
            return name in one.members(name)

        for turn in range(4):
            name = f"n{turn}"
            await one.start(name)
            await eventually(partial(joined, name))
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
        ready_then = broken.ready
        monkeypatch.setattr(broken.core, "lead", fail)
        one.kill("a")

        await eventually(lambda: ended)
        assert "ValueError('poison')" in broken.failure
        assert (ready_then, broken.ready) == (True, False)
        assert broken.faults == {"gateway": broken.failure}
        await eventually(lambda: one.hosts["c"].core.role is Role.LEADING)
        one.hosts["c"].inject(subscription())
        await eventually(lambda: one.ends["c", "north"].of(Subscribe))
