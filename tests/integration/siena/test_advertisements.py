"""Advertisement-based semantics: delivered is what its publisher advertised."""

import pytest
from eventservices.siena import Connection, Filter, Semantics, SemanticsMismatchError, where
from eventservices.stamp import Stamp
from support.siena.clients import Cluster, Connect, Eventually, Inbox, flushed

ADVERTISED = Semantics.ADVERTISEMENT
RATE = where(("rate", ">=", 0), ("rate", "=", -1), ("licence", "any"))


async def join(connect: Connect, *urls: str) -> Connection:
    return await connect(*urls, semantics=ADVERTISED)


async def announced_flush(publisher: Connection, subscriber: Connection) -> None:
    """Wait as `flushed` does, where only what is advertised is delivered."""
    inbox = Inbox()
    async with subscriber.client("flush") as client, publisher.client("flusher") as other:
        await client.subscribe(where(("flush", "any")), inbox)
        await other.advertise(where(("flush", "any")))
        await other.publish({"flush": 1})
        await inbox.full.wait()


async def test_only_what_an_advertisement_of_its_publisher_covers_is_delivered(
    cluster: Cluster, connect: Connect
) -> None:
    here, there = await join(connect, *cluster.urls), await join(connect, cluster.urls[1])
    inbox = Inbox()
    await here.client("reader").subscribe(where(("rate", "any")), inbox)
    writer, stranger = there.client("writer"), there.client("stranger")
    await writer.publish({"rate": 1})
    await writer.advertise(RATE)
    for rate in (2, -1, -5):
        await writer.publish({"rate": rate})
    await writer.publish({"rate": 3, "licence": "x"})
    await writer.publish({"rate": 4, "else": 1})
    await stranger.publish({"rate": 5})
    await writer.unadvertise(Filter())
    await writer.publish({"rate": 6})
    await announced_flush(there, here)
    assert inbox.values("rate") == [2, -1, 3]
    assert there.counters.unadvertised == 5


async def test_it_does_not_matter_which_of_subscription_and_advertisement_came_first(
    cluster: Cluster, connect: Connect
) -> None:
    here, there = await join(connect, *cluster.urls), await join(connect, cluster.urls[1])
    writer = there.client("writer")
    await writer.advertise(RATE)
    inbox = Inbox()
    await here.client("reader").subscribe(where(("rate", ">", 0)), inbox)
    await writer.publish({"rate": 1})
    await announced_flush(there, here)
    assert inbox.values("rate") == [1]


async def test_what_is_published_again_counts_for_who_publishes_it(
    cluster: Cluster, connect: Connect
) -> None:
    here = await join(connect, cluster.urls[0])
    inbox = Inbox()
    await here.client("reader").subscribe(where(("rate", "any")), inbox)
    bridge = here.client("bridge")
    stamp = Stamp("elsewhere", 1, 1, 0, "cns")
    assert await bridge.publish({"rate": 1}, stamp=stamp) == stamp
    await bridge.advertise(RATE)
    await bridge.publish({"rate": 1}, stamp=stamp)
    await announced_flush(here, here)
    assert inbox.stamps == [stamp]


async def test_without_the_option_advertisements_change_nothing(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(cluster.urls[0])
    inbox = Inbox()
    await here.client("reader").subscribe(where(("rate", "any")), inbox)
    writer = here.client("writer")
    await writer.advertise(where(("else", "any")))
    await writer.publish({"rate": 1})
    await flushed(here, here)
    assert inbox.values("rate") == [1]
    assert here.counters.unadvertised == 0


@pytest.mark.parametrize("first", list(Semantics))
async def test_clients_of_one_service_have_the_same_semantics(
    cluster: Cluster, connect: Connect, eventually: Eventually, first: Semantics
) -> None:
    (second,) = set(Semantics) - {first}
    here = await connect(cluster.urls[0], semantics=first)
    with pytest.raises(SemanticsMismatchError, match=f"are {second}-based here, but '{first}'"):
        await connect(cluster.urls[1], semantics=second)
    await here.client("p").advertise(RATE)
