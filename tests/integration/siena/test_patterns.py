"""Patterns: sequences of notifications, over two servers."""

from eventservices.siena import Options, PatternMatch, parse_pattern, sequence, where
from support.siena.clients import INDEX, Cluster, Connect, Eventually, Inbox, flushed

RISE = parse_pattern('pattern{ filter{ share ="x" price <10} filter{ share ="x" price >20}}')


def prices(told: list[PatternMatch]) -> list[list[object]]:
    return [[each.notification["price"] for each in found] for found in told]


async def test_a_sequence_is_delivered_with_stamps_once_it_is_complete(
    cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here, there = await connect(*cluster.urls), await connect(cluster.urls[1])
    told: list[PatternMatch] = []
    subscription = await here.client("reader").subscribe(RISE, told.append)
    assert subscription.unproved == ()
    writer = there.client("writer")
    stamps = [await writer.publish({"share": "x", "price": price}) for price in (25, 5, 15, 30, 40)]
    await writer.publish({"share": "y", "price": 1})
    await flushed(there, here)
    assert prices(told) == [[5, 30]]
    assert [each.stamp for each in told[0]] == [stamps[1], stamps[3]]


async def test_time_stamps_order_what_two_servers_bring_in_another_order(
    cluster: Cluster, connect: Connect
) -> None:
    here, there = await connect(*cluster.urls), await connect(cluster.urls[1])
    told: list[PatternMatch] = []
    await here.client("reader").subscribe(RISE, told.append)
    await there.client("late").publish({"share": "x", "price": 30}, time_us=2000)
    await flushed(there, here)
    await here.client("early").publish({"share": "x", "price": 5}, time_us=1000)
    await flushed(here, here)
    assert prices(told) == [[5, 30]]


async def test_a_repeated_notification_completes_nothing_twice(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(*cluster.urls)
    told: list[PatternMatch] = []
    any_two = sequence(where(("price", "any")), where(("price", "any")))
    await here.client("reader").subscribe(any_two, told.append)
    writer = here.client("writer")
    stamp = await writer.publish({"price": 1})
    await writer.publish({"price": 1}, stamp=stamp)
    await flushed(here, here)
    assert told == []
    await writer.publish({"price": 2})
    await flushed(here, here)
    assert prices(told) == [[1, 2]]


async def test_filters_of_one_pattern_may_stand_on_different_native_subjects(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(*cluster.urls, index=INDEX)
    there = await connect(cluster.urls[1], index=INDEX)
    told: list[PatternMatch] = []
    singles = Inbox()
    reader = here.client("reader")
    begun_ended = sequence(where((INDEX, "=", "Begin")), where((INDEX, "=", "End")))
    await reader.subscribe(begun_ended, told.append)
    assert len(here.intake.native_subjects) == 2
    await reader.subscribe(where((INDEX, "any")), singles)
    writer = there.client("writer")
    for kind in ("End", "Begin", "Else", "End"):
        await writer.publish({INDEX: kind, "price": kind})
    await flushed(there, here)
    assert prices(told) == [["Begin", "End"]]
    assert singles.values("price") == ["End", "Begin", "Else", "End"]


async def test_unsubscribing_by_a_pattern_ends_what_it_covers_and_by_a_filter_nothing(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(cluster.urls[0])
    reader = here.client("reader")
    told: list[PatternMatch] = []
    made = await reader.subscribe(RISE, told.append)
    single = await reader.subscribe(where(("share", "any")), Inbox())
    wider = parse_pattern("pattern{ filter{ price <11} filter{ price any}}")
    assert await reader.unsubscribe(where(("price", "any"))) == []
    assert await reader.unsubscribe(parse_pattern("pattern{ filter{ price <11}}")) == []
    assert await reader.unsubscribe(wider) == [made]
    assert reader.subscriptions == (single,)
    writer = here.client("writer")
    for price in (5, 30):
        await writer.publish({"share": "x", "price": price})
    await flushed(here, here)
    assert told == []


async def test_an_empty_filter_ends_patterns_too_and_no_native_subscription_is_left(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(cluster.urls[0], index=INDEX)
    reader = here.client("reader")
    await reader.subscribe(RISE, lambda _: None)
    await reader.subscribe(sequence(where((INDEX, "=", "a"))), lambda _: None)
    assert len(await reader.unsubscribe(where())) == 2
    assert here.intake.native_subjects == ()
    assert len(here.control.roster) == 0


async def test_the_oldest_that_waits_goes_at_the_bound_and_is_counted(
    cluster: Cluster, connect: Connect
) -> None:
    few = Options(pattern_kept=2, digest_interval_s=0.2, join_wait_s=0.1)
    here = await connect(cluster.urls[0], options=few)
    told: list[PatternMatch] = []
    await here.client("reader").subscribe(RISE, told.append)
    writer = here.client("writer")
    for price in (1, 2, 3, 30, 31, 32):
        await writer.publish({"share": "x", "price": price})
    await flushed(here, here)
    assert prices(told) == [[2, 30], [3, 31]]
    assert here.counters.pattern_dropped == 1


async def test_a_pattern_is_seen_as_a_subscription_for_each_of_its_filters(
    cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here, there = await connect(cluster.urls[0]), await connect(cluster.urls[1])
    reader = there.client("reader")
    twice = sequence(where(("a", "=", 1)), where(("b", "any")), where(("a", "=", 1)))
    await reader.subscribe(where(("b", "any")), Inbox())
    await reader.subscribe(twice, lambda _: None)
    await eventually(lambda: len(here.peers.current()) == 3)
    seen = {(each.filter, each.pattern) for each in here.peers.current()}
    first, second, _ = twice.filters
    assert seen == {(second, None), (first, twice), (second, twice)}
    await reader.unsubscribe(twice)
    await eventually(lambda: len(here.peers.current()) == 1)
