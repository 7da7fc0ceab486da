"""What clients may do while a server is away, and what is proved when it is back."""

import asyncio

import pytest
from eventservices.errors import NotConnectedError
from eventservices.natsclient import NatsClient
from eventservices.natslink import MISSED_PROBES, LinkOptions, NatsLink
from eventservices.siena import Filter, Options, where
from eventservices.siena.witness import Witness
from support.processes.halted import halt, resume
from support.siena.clients import Cluster, Connect, Eventually


async def test_publishing_while_the_broker_is_away_is_bounded(own_cluster: Cluster) -> None:
    options = LinkOptions(pending_bytes=10_000, probe_interval_s=0)
    async with NatsLink([own_cluster.a.url], options) as link:

        async def publish_much() -> None:
            for _ in range(10_000):
                await link.publish("x", b"x" * 1000)
                await asyncio.sleep(0)

        own_cluster.a.kill()
        with pytest.raises(NotConnectedError):
            await publish_much()
        assert link.counters.refused == 1


async def test_subscribing_while_the_broker_is_away_fails_and_leaves_nothing(
    own_cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here = await connect(own_cluster.a.url)
    client = here.client("reader")
    own_cluster.a.kill()
    await eventually(lambda: not here.link.connected)
    with pytest.raises(NotConnectedError):
        await client.subscribe(Filter(), lambda *_: None)
    assert client.subscriptions == ()
    assert here.intake.native_subjects == ()
    assert here.control.roster.entries == ()


async def test_a_witness_that_was_not_answered_once_has_one_connection_still(
    own_cluster: Cluster, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([NotConnectedError("not now")])
    flush = NatsLink.flush

    async def flush_once_in_vain(self: NatsLink) -> None:
        for error in answers:
            raise error
        await flush(self)

    monkeypatch.setattr(NatsLink, "flush", flush_once_in_vain)
    monkeypatch.setattr("eventservices.siena.witness.RETRY_S", 0.01)
    made: list[NatsClient] = []
    connect = NatsClient.connect

    async def counted(self: NatsClient, *given: object, **named: object) -> None:
        made.append(self)
        await connect(self, *given, **named)  # type: ignore[arg-type] # passed on

    monkeypatch.setattr(NatsClient, "connect", counted)
    witness = Witness(NatsLink([own_cluster.a.url]), "w", "w", answered=lambda *_: None)
    await witness.open(10.0)
    await witness.close()
    assert len(made) == 1
    assert made[0].is_closed


async def test_a_client_closed_while_the_broker_is_away_is_called_no_more(
    own_cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here = await connect(own_cluster.a.url)
    got: list[object] = []
    leaving, staying = here.client("leaving"), here.client("staying")
    for name in ("a", "b", "c"):
        await leaving.subscribe(where((name, "any")), lambda *given: got.append(given))
        await leaving.advertise(where((name, "any")))
    await here.link.client.close()
    await leaving.close()
    await eventually(lambda: here.settled and here.link.counters.rebuilds == 1)
    await staying.publish({"a": 1, "b": 1, "c": 1})
    await here.probe()
    assert got == []
    assert here.control.roster.entries == ()
    assert here.intake.native_subjects == ()


async def test_a_subscription_beside_an_unproved_one_is_proved_itself(
    own_cluster: Cluster, connect: Connect
) -> None:
    options = Options(link=LinkOptions(probe_timeout_s=1.0), in_force_timeout_s=0.3)
    here = await connect(own_cluster.a.url, options=options)
    there = await connect(own_cluster.b.url, options=options)
    server = there.link.server_id
    halt(own_cluster.b)
    try:
        first = await here.client("first").subscribe(Filter(), lambda *_: None)
        second = await here.client("second").subscribe(Filter(), lambda *_: None)
    finally:
        resume(own_cluster.b)
    assert (first.unproved, second.unproved) == ((server,), (server,))
    assert (await here.client("third").subscribe(Filter(), lambda *_: None)).unproved == ()


async def test_after_a_reconnection_a_subscription_is_proved_anew(
    own_cluster: Cluster, connect: Connect
) -> None:
    here = await connect(own_cluster.a.url)
    await here.client("first").subscribe(Filter(), lambda *_: None)
    here.control.settled = False
    proofs: list[None] = []

    async def wait() -> tuple[str, ...]:
        proofs.append(None)
        return ()

    here.control.proof.wait = wait  # type: ignore[method-assign] # counted
    await here.client("second").subscribe(Filter(), lambda *_: None)
    assert len(proofs) == 1


async def test_what_is_published_while_the_broker_is_away_is_refused_not_counted_as_published(
    own_cluster: Cluster, connect: Connect, eventually: Eventually
) -> None:
    here = await connect(own_cluster.a.url)
    client = here.client("writer")
    own_cluster.a.kill()
    await eventually(lambda: not here.link.connected)
    for number in range(3):
        with pytest.raises(NotConnectedError):
            await client.publish({"n": number})
    assert (here.counters.published, here.link.counters.refused) == (0, 3)


async def test_what_waits_to_be_sent_by_a_client_that_is_replaced_is_counted_as_lost(
    own_cluster: Cluster, eventually: Eventually
) -> None:
    options = LinkOptions(probe_interval_s=0, probe_timeout_s=0.5)
    async with NatsLink([own_cluster.a.url], options) as link:
        own_cluster.a.kill()
        await eventually(lambda: not link.connected)
        for _ in range(4):
            await link.publish("x", b"\r\nPUB y\r\n")
        for _ in range(MISSED_PROBES):
            with pytest.raises(NotConnectedError):
                await link.flush()
        link._rebuild(link.client)  # as the watchdog does after so many
        own_cluster.a.start()
        await eventually(lambda: link.counters.rebuilds == 1)
        assert link.counters.lost == 4 + MISSED_PROBES


async def test_both_connections_of_a_link_go_to_the_same_server(
    own_cluster: Cluster, eventually: Eventually
) -> None:
    options = LinkOptions(probe_interval_s=0, apart=True)
    async with NatsLink([own_cluster.a.url, own_cluster.b.url], options) as link:
        events = link._events
        assert events is not None
        assert events.place == link.place

        own_cluster.a.kill()
        await eventually(lambda: events.place == link.place != "")
        own_cluster.a.start()

        async def lose(each: NatsLink) -> None:
            reconnects = link.counters.reconnects
            each.client.abort()
            await eventually(lambda: link.counters.reconnects > reconnects)

        for each in (link, events):
            await lose(each)
            assert events.place == link.place

        got: list[bytes] = []
        await link.listen("x", lambda _s, payload, _h, _r: got.append(payload))
        await link.flush()
        await link.publish("x", b"here", waits=False)
        await eventually(lambda: got == [b"here"])
