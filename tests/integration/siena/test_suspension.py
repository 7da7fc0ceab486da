"""Suspending and resuming a party."""

from eventservices.siena import Keep, Options, PatternMatch, sequence, where
from support.siena.clients import Cluster, Connect, Inbox, flushed


async def test_what_comes_meanwhile_is_delivered_on_resuming_and_other_parties_go_on(
    cluster: Cluster, connect: Connect
) -> None:
    here, there = await connect(*cluster.urls), await connect(cluster.urls[1])
    reader, other, writer = here.client("reader"), here.client("other"), there.client("writer")
    inbox, others = Inbox(), Inbox()
    await reader.subscribe(where(("n", "any")), inbox)
    await other.subscribe(where(("n", "any")), others)
    reader.suspend()
    for number in range(3):
        await writer.publish({"n": number})
    await flushed(there, here)
    assert (inbox.events, others.values("n")) == ([], [0, 1, 2])
    assert (reader.suspended, reader.held) == (True, 3)
    assert reader.resume() == 3
    await writer.publish({"n": 3})
    await flushed(there, here)
    assert inbox.values("n") == [0, 1, 2, 3]
    assert not reader.suspended


async def test_the_bound_and_the_policy_are_the_options(cluster: Cluster, connect: Connect) -> None:
    options = Options(held=2, held_keep=Keep.OLDEST, digest_interval_s=0.2, join_wait_s=0.1)
    here = await connect(cluster.urls[0], options=options)
    reader, writer = here.client("reader"), here.client("writer")
    inbox = Inbox()
    await reader.subscribe(where(("n", "any")), inbox)
    reader.suspend()
    for number in range(5):
        await writer.publish({"n": number})
    await flushed(here, here)
    reader.resume()
    assert inbox.values("n") == [0, 1]
    assert here.counters.held_dropped == 3


async def test_a_pattern_is_recognised_while_the_party_is_suspended(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(cluster.urls[0])
    reader, writer = here.client("reader"), here.client("writer")
    told: list[PatternMatch] = []
    await reader.subscribe(sequence(where(("n", "=", 1)), where(("n", "=", 2))), told.append)
    reader.suspend()
    for number in (1, 7, 2):
        await writer.publish({"n": number})
    await flushed(here, here)
    assert (told, reader.held) == ([], 1)
    reader.resume()
    assert [[each.notification["n"] for each in found] for found in told] == [[1, 2]]


async def test_a_suspended_party_may_unsubscribe_and_close(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(cluster.urls[0])
    reader, writer = here.client("reader"), here.client("writer")
    ended, kept = Inbox(), Inbox()
    await reader.subscribe(where(("n", ">", 0)), ended)
    await reader.subscribe(where(("n", "any")), kept)
    reader.suspend()
    await writer.publish({"n": 1})
    await flushed(here, here)
    await reader.unsubscribe(where(("n", ">", 0)))
    assert reader.resume() == 1
    assert (len(ended.events), len(kept.events)) == (0, 1)
    reader.suspend()
    await writer.publish({"n": 2})
    await flushed(here, here)
    await reader.close()
    assert reader.resume() == 0
    assert len(kept.events) == 1
