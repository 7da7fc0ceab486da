"""What is subscribed to is delivered, from either server, and unsubscribing ends it."""

import asyncio

import pytest
from eventservices.siena import (
    Filter,
    Notification,
    Options,
    Value,
    parse_filter,
    where,
)
from support.siena.clients import INDEX, Cluster, Connect, Eventually, Inbox, flushed


async def test_what_is_published_at_one_server_arrives_at_the_other(
    cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here, there = await connect(cluster.urls[0]), await connect(cluster.urls[1])
    inbox = Inbox()
    await here.client("reader").subscribe(parse_filter("filter{ rate >70}"), inbox)
    sent: dict[str, Value] = {"text": "ä", "rate": 83.0, "on": True, "raw": b"x", "count": 2**40}
    stamp = await there.client("writer").publish(sent, time_us=5)
    await eventually(lambda: len(inbox.events) == 1)
    assert inbox.events == [Notification(sent)]
    assert inbox.stamps == [stamp]
    assert (stamp.origin, stamp.sequence, stamp.time_us) == ("writer", 1, 5)
    assert here.link.server_id != there.link.server_id


@pytest.mark.parametrize("access_points", [1, 2], ids=["answers of clients", "own witnesses"])
async def test_a_subscription_is_in_force_everywhere_when_subscribe_returns(
    cluster: Cluster, connect: Connect, access_points: int, eventually: Eventually
) -> None:
    urls = cluster.urls[:access_points]
    here = await connect(*urls, index=INDEX)
    there = await connect(cluster.urls[1], index=INDEX)
    reader, writer = here.client("reader"), there.client("writer")
    inbox = Inbox()
    for number in range(100):
        subscription = await reader.subscribe(where((INDEX, "=", f"s{number}")), inbox)
        await writer.publish({INDEX: f"s{number}", "number": number})
        assert subscription.unproved == ()
    await eventually(lambda: len(inbox.events) >= 100)
    assert inbox.values("number") == list(range(100))


async def test_a_server_whose_client_is_dead_is_named_as_unproved(
    cluster: Cluster, connect: Connect
) -> None:
    patient = Options(digest_interval_s=10.0, join_wait_s=0.1, in_force_timeout_s=0.3)
    there = await connect(cluster.urls[1], options=patient)
    here = await connect(cluster.urls[0], options=patient)
    server = there.link.server_id
    await there.link.close()
    subscription = await here.client("reader").subscribe(Filter(), Inbox())
    assert subscription.unproved == (server,)
    assert here.counters.unproved == 1


async def test_many_subscriptions_at_once_share_a_proof(cluster: Cluster, connect: Connect) -> None:
    here = await connect(*cluster.urls, index=INDEX)
    await connect(cluster.urls[1], index=INDEX)
    reader = here.client("reader")
    async with asyncio.timeout(5):
        made = await asyncio.gather(
            *(reader.subscribe(where((INDEX, "=", f"s{n}")), Inbox()) for n in range(500))
        )
    assert {each.unproved for each in made} == {()}
    assert len(here.intake.native_subjects) == 500


async def test_each_matching_subscription_of_a_client_is_called_once(
    cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here = await connect(cluster.urls[0])
    one, other, unconcerned = Inbox(), Inbox(), Inbox()
    reader = here.client("reader")
    await reader.subscribe(parse_filter("filter{ rate >70}"), one)
    await reader.subscribe(parse_filter("filter{ rate any}"), other)
    await reader.subscribe(parse_filter("filter{ rate <70}"), unconcerned)
    await here.client("writer").publish({"rate": 80})
    await flushed(here, here)
    assert (len(one.events), len(other.events), len(unconcerned.events)) == (1, 1, 0)
    assert len(here.intake.native_subjects) == 1


@pytest.mark.parametrize("index", [None, INDEX])
async def test_a_callback_of_several_matching_filters_is_called_once(
    cluster: Cluster, connect: Connect, index: str | None
) -> None:
    here = await connect(cluster.urls[0], index=index)
    inbox = Inbox()
    reader, writer = here.client("reader"), here.client("writer")
    await reader.subscribe(where((INDEX, "=", "Speed")), inbox)
    await reader.subscribe(where(("rate", ">", 70)), inbox)
    for rate in range(50, 100):
        await writer.publish({INDEX: "Speed", "rate": rate})
        await writer.publish({"rate": rate})
    await flushed(here, here)
    speeds = [event for event in inbox.events if INDEX in event]
    assert [event["rate"] for event in speeds] == list(range(50, 100))
    assert len(inbox.events) - len(speeds) == 29


async def test_parties_of_one_connection_each_get_their_copy(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(cluster.urls[0])
    inboxes = [Inbox() for _ in range(5)]
    for number, inbox in enumerate(inboxes):
        await here.client(f"reader{number}").subscribe(Filter(), inbox)
    await here.client("writer").publish({"a": 1})
    await flushed(here, here)
    assert [inbox.events.count(Notification({"a": 1})) for inbox in inboxes] == [1] * 5


async def test_unsubscribing_ends_what_the_filter_covers_for_this_party_only(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(cluster.urls[0])
    reader, other = here.client("reader"), here.client("other")
    inboxes = {text: Inbox() for text in ("rate >70", "rate >80 x any", "rate >60", "rate any")}
    for text, inbox in inboxes.items():
        await reader.subscribe(parse_filter(f"filter{{ {text}}}"), inbox)
    others = Inbox()
    await other.subscribe(parse_filter("filter{ rate >80}"), others)
    ended = await reader.unsubscribe(parse_filter("filter{ rate >=70}"))
    assert len(ended) == 2
    await here.client("writer").publish({"rate": 99, "x": 1})
    await flushed(here, here)
    assert [len(inbox.events) for inbox in inboxes.values()] == [0, 0, 1, 1]
    assert len(others.events) == 1


async def test_an_empty_filter_ends_all_subscriptions_and_no_native_one_is_left(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(cluster.urls[0], index=INDEX)
    reader = here.client("reader")
    await reader.subscribe(Filter(), Inbox())
    await reader.subscribe(where((INDEX, "=", "Speed")), Inbox())
    assert len(here.intake.native_subjects) == 2
    await reader.unsubscribe(Filter())
    assert not reader.subscriptions
    assert not here.intake.native_subjects
