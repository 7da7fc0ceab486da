"""A SIENA service on two servers, as its clients see it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import pytest
from eventservices.errors import MalformedError, NotConnectedError, TooLargeError
from eventservices.natslink import LinkOptions
from eventservices.siena import (
    Connection,
    Filter,
    IndexMismatchError,
    Notification,
    Options,
    Value,
    parse_filter,
    where,
)
from eventservices.stamp import Stamp

Eventually = Callable[[Callable[[], bool]], Awaitable[None]]
Connect = Callable[..., Awaitable[Connection]]
INDEX = "FES_Subject"


class Cluster(Protocol):
    urls: list[str]


class Inbox:
    """Keeps what a callback was given; full with `size` notifications."""

    def __init__(self, size: int = 1) -> None:
        self.size = size
        self.events: list[Notification] = []
        self.stamps: list[Stamp | None] = []
        self.full = asyncio.Event()

    def __call__(self, notification: Notification, stamp: Stamp | None) -> None:
        self.events.append(notification)
        self.stamps.append(stamp)
        if len(self.events) >= self.size:
            self.full.set()

    def values(self, name: str) -> list[Any]:
        return [event[name] for event in self.events]


def ignore(*_: object) -> None:
    """Do nothing."""


async def flushed(publisher: Connection, subscriber: Connection) -> None:
    """Return when all that was published before has been delivered, or never will be."""
    inbox = Inbox()
    client = subscriber.client("flush")
    await client.subscribe(where(("flush", "any")), inbox)
    other = publisher.client("flusher")
    await other.publish({"flush": 1})
    await asyncio.wait_for(inbox.full.wait(), 5)
    await client.close()
    await other.close()


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


async def test_the_broker_itself_keeps_back_what_has_another_index_value(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(cluster.urls[0], index=INDEX)
    there = await connect(cluster.urls[1], index=INDEX)
    inbox = Inbox(2)
    await here.client("reader").subscribe(where((INDEX, "=", "Speed"), ("rate", ">", 70)), inbox)
    writer = there.client("writer")
    for kind in ("Speed", "Noise", "speed", "Speed.x", "*", ">"):
        await writer.publish({INDEX: kind, "rate": 80})
    await writer.publish({"rate": 80})
    await writer.publish({INDEX: 5, "rate": 80})
    await writer.publish({INDEX: "Speed", "rate": 60})
    await writer.publish({INDEX: "Speed", "rate": 99})
    await asyncio.wait_for(inbox.full.wait(), 5)
    assert inbox.values("rate") == [80, 99]
    assert here.counters.received == 3


async def test_strange_index_values_arrive(cluster: Cluster, connect: Connect) -> None:
    here = await connect(cluster.urls[0], index=INDEX)
    kinds = ["", "a.b", "*", ">", "a b\r\n", "ä" * 500, "!", "="]
    inbox = Inbox(len(kinds))
    for kind in kinds:
        await here.client(f"reader{kind[:9]}").subscribe(where((INDEX, "=", kind)), inbox)
    for kind in kinds:
        await here.client(f"writer{kind[:9]}").publish({INDEX: kind})
    await asyncio.wait_for(inbox.full.wait(), 5)
    assert sorted(inbox.values(INDEX)) == sorted(kinds)


async def test_nothing_is_lost_repeated_or_reordered_while_filters_come_and_go(
    cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here = await connect(*cluster.urls, index=INDEX)
    there = await connect(*reversed(cluster.urls), index=INDEX)
    inbox = Inbox()
    reader, writer = here.client("reader"), there.client("writer")
    await reader.subscribe(where((INDEX, "=", "Speed")), inbox)
    stop = asyncio.Event()

    async def publish() -> int:
        number = 0
        while not stop.is_set():
            for _ in range(20):
                await writer.publish({INDEX: "Speed", "number": number})
                number += 1
            await asyncio.sleep(0.0005)
        return number

    publishing = asyncio.create_task(publish())
    for _ in range(40):
        wide = await reader.subscribe(where(("number", "any")), inbox)
        await asyncio.sleep(0.005)
        await reader.cancel(wide)
        await asyncio.sleep(0.002)
    stop.set()
    published = await publishing
    await eventually(lambda: len(inbox.events) >= published)
    assert inbox.values("number") == list(range(published))


async def test_a_repeated_identity_is_delivered_once_and_counted(
    cluster: Cluster, connect: Connect
) -> None:
    here, there = await connect(cluster.urls[0]), await connect(cluster.urls[1])
    inbox = Inbox()
    await here.client("reader").subscribe(where(("a", "any")), inbox)
    stamp = Stamp("can", 1, 7, 123, "cns-v", ("steam-v",))
    for connection in (here, there):
        await connection.client("bridge").publish({"a": 1}, stamp=stamp)
    await flushed(there, here)
    await flushed(here, here)
    assert inbox.stamps == [stamp]
    assert here.suppressed == 1


async def test_a_repetition_that_is_the_first_to_match_is_delivered(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(cluster.urls[0])
    inbox = Inbox()
    await here.client("reader").subscribe(where(("a", ">", 1)), inbox)
    bridge = here.client("bridge")
    for value in (1, 2, 3):
        await bridge.publish({"a": value}, stamp=Stamp("can", 1, 7, 0, "cns-v"))
    await flushed(here, here)
    assert inbox.values("a") == [2]


async def test_a_foreign_message_without_stamp_is_delivered_without(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(cluster.urls[0])
    inbox = Inbox()
    await here.client("reader").subscribe(where(("a", "any")), inbox)
    for _ in range(2):
        await here.link.publish(here.subjects.notifications, b"\x81\xa1a\x01", {"Other": "x"})
    await flushed(here, here)
    assert inbox.stamps == [None, None]
    assert here.counters.unstamped == 2


async def test_malformed_messages_are_counted_and_set_aside(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(cluster.urls[0])
    inbox = Inbox()
    await here.client("reader").subscribe(where(("a", "any")), inbox)
    for number in range(100):
        await here.link.publish(here.subjects.notifications, b"nonsense %d" % number)
    await here.link.publish(here.subjects.notifications, b"\x81\xa1a\x01", {"Event-Stamp": "x"})
    await here.link.publish(here.subjects.control, b"nonsense")
    await flushed(here, here)
    assert inbox.events == []
    assert here.counters.malformed == 102
    assert len(here.aside.messages) == here.options.kept_aside
    before_last, last = list(here.aside.messages)[-2:]
    assert "stamp" in before_last.reason
    assert (last.subject, last.payload) == (here.subjects.control, b"nonsense")


async def test_a_callback_that_raises_harms_nobody_else(cluster: Cluster, connect: Connect) -> None:
    here = await connect(cluster.urls[0])
    inbox = Inbox()

    def fail(_notification: Notification, _stamp: Stamp | None) -> None:
        raise ValueError

    reader = here.client("reader")
    await reader.subscribe(where(("a", "any")), fail)
    await reader.subscribe(where(("a", "any")), inbox)
    await here.client("writer").publish({"a": 1})
    await flushed(here, here)
    assert len(inbox.events) == 1
    assert here.counters.callback_errors == 1


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


async def test_a_client_of_another_index_is_refused_and_told_both(
    cluster: Cluster, connect: Connect
) -> None:
    await connect(cluster.urls[0], index=INDEX)
    with pytest.raises(IndexMismatchError, match=r"'kind' here, but 'FES_Subject'"):
        await connect(cluster.urls[1], index="kind")


async def test_an_index_that_turns_out_to_differ_later_stops_the_later_one(
    cluster: Cluster, service: str, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasty = Options(join_wait_s=0.0, digest_interval_s=0.2)
    first = Connection(cluster.urls[:1], service, index=INDEX, options=hasty)
    second = Connection(cluster.urls[:1], service, options=hasty)
    monkeypatch.setattr(first.control, "_check_index", ignore)  # the older one goes on
    await second.link.open()
    second.control._joining = False
    async with first:
        await second.link.listen(second.subjects.control, second.control._on_message)
        client = second.client("writer")
        await eventually(lambda: second.control.conflict is not None)
        with pytest.raises(IndexMismatchError):
            await client.publish({"a": 1})
        with pytest.raises(IndexMismatchError):
            await client.subscribe(Filter(), Inbox())
    await second.link.close()


async def test_an_event_too_large_is_refused_before_it_is_sent(
    cluster: Cluster, connect: Connect
) -> None:
    here = await connect(cluster.urls[0])
    writer = here.client("writer")
    limit = here.link.max_payload_bytes
    for size in (limit, limit - 20):  # the header counts too
        with pytest.raises(TooLargeError) as caught:
            await writer.publish({"a": b"x" * size})
        assert caught.value.limit_bytes == limit
    inbox = Inbox()
    await here.client("reader").subscribe(where(("a", "any")), inbox)
    await writer.publish({"a": b"x" * (limit - 400)})
    await flushed(here, here)
    assert len(inbox.events) == 1


async def test_a_name_with_a_hyphen_is_refused(cluster: Cluster, connect: Connect) -> None:
    here = await connect(cluster.urls[0])
    with pytest.raises(MalformedError, match="license-no"):
        await here.client("writer").publish({"license-no": "x"})


async def test_a_closed_client_does_nothing_more(cluster: Cluster, connect: Connect) -> None:
    here = await connect(cluster.urls[0])
    client = here.client("reader")
    inbox = Inbox()
    await client.subscribe(Filter(), inbox)
    await client.close()
    await client.close()
    with pytest.raises(NotConnectedError):
        await client.publish({"a": 1})
    with pytest.raises(NotConnectedError):
        await client.subscribe(Filter(), Inbox())
    assert here.intake.native_subjects == ()
    assert here.client("reader") is not client


async def test_a_party_is_on_a_connection_once(cluster: Cluster, connect: Connect) -> None:
    here = await connect(cluster.urls[0])
    here.client("reader")
    with pytest.raises(MalformedError, match="reader"):
        here.client("reader")


async def test_no_server_gives_an_error_in_time(service: str) -> None:
    quick = Options(link=LinkOptions(open_timeout_s=0.3))
    connection = Connection(["nats://127.0.0.1:9"], service, options=quick)
    with pytest.raises(NotConnectedError, match=r"127\.0\.0\.1:9"):
        await connection.open()
