"""What is repeated, foreign, malformed, or fails in a callback."""

from eventservices.siena import (
    Notification,
    where,
)
from eventservices.stamp import Stamp
from support.siena.clients import Cluster, Connect, Inbox, flushed


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
