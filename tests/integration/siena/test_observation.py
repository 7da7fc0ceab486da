"""What an adapter observes: native subscriptions and advertisements at any server."""

import asyncio

import pytest
from eventservices.siena import Connection, Filter, Kind, Observation, Seen, where
from support.siena.clients import Cluster, Connect, Eventually, Inbox

ADAPTER = "fes-adapter"


def story(seen: list[Seen]) -> list[str]:
    return [f"{'+-'[each.withdrawn]}{each.kind} {each.party} {each.version}" for each in seen]


async def read(observation: Observation, count: int) -> list[Seen]:
    async with asyncio.timeout(15):
        return [await anext(observation) for _ in range(count)]


async def test_an_observation_begins_with_all_that_is_there_and_goes_on_with_changes(
    cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    one, two = await connect(cluster.urls[0]), await connect(cluster.urls[1])
    await one.client("city", role="application").subscribe(where(("rate", ">", 70)), Inbox())
    await two.client("road").advertise(where(("rate", "any")))
    adapter = await connect(*cluster.urls)
    await eventually(lambda: len(adapter.peers) == 2 and adapter.peers.complete)
    async with adapter.observation(without_roles={ADAPTER}) as observation:
        found = await read(observation, 2)
        assert sorted(story(found)) == ["+a road 1", "+s city 1"]
        by_party = {each.party: each for each in found}
        assert by_party["city"].filter == where(("rate", ">", 70))
        assert by_party["city"].role == "application"
        assert by_party["city"].connection == one.name
        late = two.client("late")
        await late.subscribe(where(("late", "any")), Inbox())
        assert story(await read(observation, 1)) == ["+s late 2"]
        await late.unsubscribe(Filter())
        assert story(await read(observation, 1)) == ["-s late 2"]
        await one.close()
        assert story(await read(observation, 1)) == ["-s city 1"]


async def test_what_adapters_made_is_not_observed_and_what_they_share_a_server_with_is(
    cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    adapter, other, native = [
        await connect(url) for url in (cluster.urls[0], cluster.urls[1], cluster.urls[0])
    ]
    seen: list[Seen] = []
    everything: list[Seen] = []
    stop = adapter.observe(seen.append, without_roles=(ADAPTER,))
    adapter.observe(everything.append)
    mine, theirs = adapter.client("a1", role=ADAPTER), other.client("a2", role=ADAPTER)
    for client in (mine, theirs, native.client("city")):
        await client.subscribe(where(("a", "any")), Inbox())
        await client.advertise(where(("a", "any")))
    await eventually(lambda: len(everything) == 4)
    assert story(seen) == ["+s city 1", "+a city 2"]
    stop()
    await native.close()
    await eventually(lambda: len(everything) == 6)
    assert len(seen) == 2


@pytest.mark.parametrize("server", [0, 1])
async def test_each_subscription_is_observed_and_what_is_published_right_after_it_arrives(
    cluster: Cluster, connect: Connect, eventually: Eventually, server: int
) -> None:
    native, adapter = await connect(*cluster.urls), await connect(cluster.urls[server])
    seen: list[Seen] = []
    adapter.observe(seen.append)
    inbox = Inbox()
    client, publisher = native.client("city"), adapter.client("a", role=ADAPTER)
    for number in range(20):
        await client.subscribe(where(("n", "=", number)), inbox)
        await publisher.publish({"n": number})
    await eventually(lambda: len(inbox.events) == len(seen) == 20)
    assert [each.filter for each in seen] == [where(("n", "=", number)) for number in range(20)]


@pytest.mark.parametrize("server", [0, 1])
async def test_what_a_client_declared_is_seen_before_what_it_publishes_after_that(
    cluster: Cluster, connect: Connect, eventually: Eventually, server: int
) -> None:
    native, adapter = await connect(cluster.urls[0]), await connect(cluster.urls[server])
    seen: list[Seen] = []
    declared_when_heard: list[int] = []
    adapter.observe(seen.append)
    await adapter.client("a", role=ADAPTER).subscribe(
        where(("n", "any")), lambda *_: declared_when_heard.append(len(seen))
    )
    client = native.client("city")
    for number in range(50):
        await client.advertise(where(("n", "=", number)))
        await client.publish({"n": number})
    await eventually(lambda: len(declared_when_heard) == 50)
    assert declared_when_heard == list(range(1, 51))


async def test_a_slow_reader_of_an_observation_ends_up_with_what_is_declared(
    cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    native, adapter = await connect(cluster.urls[0]), await connect(cluster.urls[1])
    client = native.client("city")
    async with adapter.observation() as observation:
        for number in range(200):
            await client.advertise(where(("n", "=", number)))
            if number % 3:
                await client.unadvertise(where(("n", "=", number)))
        await eventually(lambda: _at_version(adapter, native))
        present = {
            seen.filter: seen
            for seen in await read(observation, len(observation))
            if not seen.withdrawn
        }
        assert set(present) == set(client.advertisements)


async def test_an_observation_of_a_connection_that_dies_ends_with_withdrawals(
    cluster: Cluster, connect: Connect
) -> None:
    native, adapter = await connect(cluster.urls[0]), await connect(cluster.urls[1])
    async with adapter.observation() as observation:
        await native.client("city").advertise(where(("a", "any")))
        assert story(await read(observation, 1)) == ["+a city 1"]
        await native.link.close()
        (gone,) = await read(observation, 1)
        assert (gone.withdrawn, gone.kind) == (True, Kind.ADVERTISEMENT)


async def test_own_clients_are_observed_where_that_is_asked_for(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(cluster.urls[0])
    await here.client("p").advertise(where(("a", "any")))
    async with here.observation(own=True) as all_of_them, here.observation() as others:
        assert story(await read(all_of_them, 1)) == ["+a p 1"]
        assert len(others) == 0


def _at_version(observer: Connection, other: Connection) -> bool:
    versions = [peer.version for peer in observer.peers if peer.who.connection == other.name]
    return versions == [other.control.roster.version]
