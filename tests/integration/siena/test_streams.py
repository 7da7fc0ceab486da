"""Reading with `async for`, and parties that are at two access points."""

import asyncio

import pytest
from eventservices.errors import NotConnectedError, RefusedError
from eventservices.siena import Options, sequence, where
from support.siena.clients import Cluster, Connect, Eventually, Inbox, flushed


async def test_a_stream_is_in_force_when_it_is_entered_and_ends_with_its_client(
    cluster: Cluster, connect: Connect
) -> None:
    here, there = await connect(*cluster.urls), await connect(cluster.urls[1])
    writer = there.client("writer")
    async with here.client("reader") as reader, reader.stream(where(("n", "any"))) as stream:
        stamp = await writer.publish({"n": 1})
        notification, seen = await anext(stream)
        assert (notification["n"], seen, stream.unproved) == (1, stamp, ())
        rest = asyncio.create_task(anext(stream, None))
        await asyncio.sleep(0)
        await reader.close()
        assert await rest is None
        with pytest.raises(NotConnectedError):
            await reader.stream(where()).open()
    assert here.intake.native_subjects == ()


async def test_a_stream_of_a_pattern_gives_sequences(cluster: Cluster, connect: Connect) -> None:
    here = await connect(*cluster.urls)
    pair = sequence(where(("n", "=", 1)), where(("n", "=", 2)))
    async with here.client("reader") as reader, reader.stream(pair) as stream:
        writer = here.client("writer")
        for number in (1, 2):
            await writer.publish({"n": number})
        first, second = await anext(stream)
        assert (first.notification["n"], second.notification["n"]) == (1, 2)


async def test_a_slow_reader_costs_itself_only_and_is_counted(
    cluster: Cluster, connect: Connect
) -> None:
    few = Options(stream=3, digest_interval_s=0.2, join_wait_s=0.1)
    here = await connect(cluster.urls[0], options=few)
    async with here.client("reader") as reader, reader.stream(where(("n", "any"))) as stream:
        writer = here.client("writer")
        for number in range(10):
            await writer.publish({"n": number})
        await flushed(here, here)
        got = [(await anext(stream)).notification["n"] for _ in range(3)]
        assert got == [7, 8, 9]
        assert (stream.dropped, here.counters.stream_dropped) == (7, 7)


async def test_one_party_at_two_access_points_gets_each_notification_once(
    cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here, there = await connect(cluster.urls[0]), await connect(cluster.urls[1])
    inbox = Inbox()
    one = here.client("reader")
    other = there.client("reader", suppressor=one.suppressor)
    for client in (one, other):
        await client.subscribe(where(("n", "any")), inbox)
    writers = here.client("writer here"), there.client("writer there")
    for number in range(50):
        await writers[number % 2].publish({"n": number})
    await flushed(here, there)
    await flushed(there, here)
    await flushed(here, here)
    await flushed(there, there)
    assert sorted(inbox.values("n")) == list(range(50))
    assert one.suppressor.suppressed == 50


async def test_a_connection_declares_no_more_than_its_bound(
    cluster: Cluster, connect: Connect
) -> None:
    few = Options(max_declared=2, digest_interval_s=0.2, join_wait_s=0.1)
    here = await connect(cluster.urls[0], options=few)
    client = here.client("p")
    await client.advertise(where(("a", "any")))
    with pytest.raises(RefusedError, match="at most 2"):
        await client.subscribe(sequence(where(), where(("a", "any"))), lambda _: None)
    await client.subscribe(where(), Inbox())
    with pytest.raises(RefusedError, match="max_declared"):
        await client.subscribe(where(("b", "any")), Inbox())
    with pytest.raises(RefusedError):
        await client.advertise(where(("b", "any")))
    await client.advertise(where(("a", "any")))
    assert len(client.subscriptions) == len(client.advertisements) == 1


async def test_a_subscription_that_is_ended_while_it_is_made_leaves_nothing(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(*cluster.urls, index="kind")
    client = here.client("p")
    many = sequence(*(where(("kind", "=", f"k{number}")) for number in range(20)))
    for turns in range(25):
        making = asyncio.create_task(client.subscribe(many, lambda _: None))
        for _ in range(turns):
            await asyncio.sleep(0)
        await client.unsubscribe(where())
        made = await making
        await client.cancel(made)
        assert here.intake.native_subjects == ()
        assert len(here.control.roster) == 0
        assert len(here.link._listenings) == 3  # control, inbox, probes
