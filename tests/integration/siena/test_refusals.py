"""What a native client refuses, and how it says so."""

import pytest
from eventservices.errors import MalformedError, NotConnectedError, TooLargeError
from eventservices.natslink import LinkOptions
from eventservices.siena import (
    Connection,
    Filter,
    Options,
    where,
)
from support.siena.clients import Cluster, Connect, Inbox, flushed


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
