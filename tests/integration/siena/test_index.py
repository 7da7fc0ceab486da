"""The broker preselects by an index attribute, which all clients share."""

import asyncio

import pytest
from eventservices.siena import (
    Connection,
    Filter,
    IndexMismatchError,
    Options,
    Semantics,
    where,
)
from eventservices.siena.agreement import Agreement
from support.siena.clients import INDEX, Cluster, Connect, Eventually, Inbox


class Tolerant(Agreement):
    """Agrees to everything."""

    def hear(self, *_: object, **__: object) -> bool:
        return False


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
    await asyncio.wait_for(inbox.full.wait(), 30)
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
    await asyncio.wait_for(inbox.full.wait(), 30)
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
    patient = Tolerant(INDEX, Semantics.SUBSCRIPTION, first.counters)
    monkeypatch.setattr(first.control, "_agreement", patient)  # the older one goes on
    await second.link.open()
    second.control._joining = False
    async with first:
        await second.link.listen(second.subjects.control, second.control._on_message)
        client = second.client("writer")
        await eventually(lambda: second.agreement.conflict is not None)
        with pytest.raises(IndexMismatchError):
            await client.publish({"a": 1})
        with pytest.raises(IndexMismatchError):
            await client.subscribe(Filter(), Inbox())
    await second.link.close()
