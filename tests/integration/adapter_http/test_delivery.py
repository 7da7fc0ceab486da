"""What the adapter posts to webhooks, how often, and where it does not connect."""

import asyncio
import hashlib
import hmac
import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from adapter_http.allowed import AllowList
from eventservices.errors import RefusedError
from eventservices.stamp import Stamp
from fes.errors import AdapterError
from fes.mapping import Native
from fes.model import Field, Type
from fes.testing.eventually import eventually
from starlette.responses import Response, StreamingResponse
from support.webhooks.bench import Bench
from support.webhooks.peers import Headers, Peer

STAMP = Stamp("far/away", 3, 7, 1_700_000_000_000_000, "elsewhere", ("cns-v",))
SPEED = Native("Speed", (Field("rate", Type.DOUBLE, 40.0),))
ALLOW = ["127.0.0.0/8"]


@pytest.fixture
async def peer() -> AsyncIterator[Peer]:
    made = Peer()
    await made.start()
    yield made
    await made.stop()


def answering(peer: Peer, *statuses: int, **headers: str) -> None:
    """Have a peer answer with one status after the other, and then with the last."""
    left = list(statuses)

    def answer(_: Headers, __: bytes) -> Response:
        return Response(None, left.pop(0) if len(left) > 1 else left[0], headers)

    peer.answer = answer


def bench_of(folder: Path, peer: Peer, target: dict[str, Any] | None = None, **more: Any) -> Bench:
    return Bench(folder, targets=[{"url": peer.url, **(target or {})}], allow=ALLOW, **more)


async def published(bench: Bench, counter: str, count: int = 1) -> None:
    await bench.adapter.publish(SPEED, STAMP)
    await eventually(lambda: bench.adapter.counters[counter] == count, what=counter)


@pytest.mark.parametrize("mode", ["structured", "binary"])
async def test_an_event_that_is_posted_comes_back_with_its_stamp_and_every_type(
    tmp_path: Path, peer: Peer, mode: str
) -> None:
    native = Native(
        "Größe 1",
        (Field("serial", Type.LONGLONG, 5), Field("raw", Type.OCTETS, b"\xff")),
        (Field("ce-id", Type.STRING, "ü 1"), Field("Priority", Type.LONG, 7)),
    )
    async with (
        bench_of(tmp_path, peer, {"mode": mode}) as bench,
        Bench(tmp_path, name="h") as other,
    ):
        await bench.adapter.publish(native, STAMP)
        await eventually(lambda: peer.posted)
        headers, body = peer.posted[0]
        context = {key: value for key, value in headers.items() if key.startswith("ce-")}
        answer = await other.post(body, headers["content-type"], **context)
        assert answer.status_code == 202
        assert bool(context) == (mode == "binary")
    assert other.gateway.natives == [native]
    assert other.gateway.stamps == [STAMP]


async def test_what_the_adapter_posted_itself_is_no_event_of_others(
    tmp_path: Path, peer: Peer
) -> None:
    async with bench_of(tmp_path, peer) as bench:
        await published(bench, "delivered")
        assert (await bench.post(peer.posted[0][1])).status_code == 202
        assert bench.adapter.counters["own"] == 1
        assert not bench.gateway.natives


async def test_octets_of_a_mapping_rule_are_the_data(tmp_path: Path, peer: Peer) -> None:
    async with bench_of(tmp_path, peer, {"mode": "binary"}) as bench:
        await bench.adapter.publish(replace(SPEED, parameters=(), octets=b"\0\1"), STAMP)
        await eventually(lambda: peer.posted)
    headers, body = peer.posted[0]
    assert (headers["content-type"], body) == ("application/octet-stream", b"\0\1")
    assert headers["ce-type"] == "Speed"


async def test_the_type_that_an_event_brings_is_kept_beside_its_subject(
    tmp_path: Path, peer: Peer
) -> None:
    native = replace(SPEED, attributes=(Field("ce-type", Type.STRING, "com.example.speed"),))
    async with bench_of(tmp_path, peer) as bench, Bench(tmp_path, name="h") as other:
        await bench.adapter.publish(native, STAMP)
        await eventually(lambda: peer.posted)
        assert json.loads(peer.posted[0][1])["type"] == "com.example.speed"
        await other.post(peer.posted[0][1])
    assert other.gateway.natives == [native]


async def test_what_fails_is_tried_again_and_arrives_once(tmp_path: Path, peer: Peer) -> None:
    answering(peer, 503, 429, 204)
    async with bench_of(tmp_path, peer) as bench:
        await published(bench, "delivered")
        assert bench.adapter.counters["retried"] == 2
    assert len({body for _, body in peer.posted}) == 1
    assert len(peer.posted) == 3


async def test_attempts_are_bounded_in_number_and_the_next_event_goes(
    tmp_path: Path, peer: Peer
) -> None:
    answering(peer, 500, 500, 204)
    async with bench_of(tmp_path, peer, attempts=2) as bench:
        await published(bench, "undelivered")
        await published(bench, "delivered")
    assert len(peer.posted) == 3


async def test_attempts_are_bounded_in_time_whatever_pause_is_requested(
    tmp_path: Path, peer: Peer
) -> None:
    answering(peer, 503, **{"Retry-After": "3600"})
    async with bench_of(tmp_path, peer, retry_s=0.5) as bench:
        await published(bench, "undelivered")
    assert len(peer.posted) == 1


async def test_a_target_that_comes_back_gets_what_waited(tmp_path: Path, peer: Peer) -> None:
    async with bench_of(tmp_path, peer, attempts=20) as bench:
        await peer.stop()
        await published(bench, "retried")
        await peer.start()
        await eventually(lambda: bench.adapter.counters["delivered"] == 1)


async def test_a_long_answer_is_not_read_to_its_end(tmp_path: Path, peer: Peer) -> None:
    sent: list[int] = []

    async def long() -> AsyncIterator[bytes]:
        for number in range(1000):
            sent.append(number)
            yield b"x" * 65536
            await asyncio.sleep(0)

    peer.answer = lambda headers, body: StreamingResponse(long())
    async with bench_of(tmp_path, peer) as bench:
        await published(bench, "delivered")
        assert len(sent) < 1000


@pytest.mark.parametrize("status", [302, 400, 401, 410])
async def test_a_final_answer_ends_the_attempts(tmp_path: Path, peer: Peer, status: int) -> None:
    answering(peer, status, location="http://127.0.0.1:1/")
    async with bench_of(tmp_path, peer) as bench:
        await published(bench, "target_refused")
        assert bench.adapter.counters["retried"] == 0
    assert len(peer.posted) == 1


async def test_a_name_whose_address_is_not_allowed_is_not_connected_to(
    tmp_path: Path, peer: Peer
) -> None:
    """The name itself is good; what it resolves to decides."""
    url = peer.url.replace("127.0.0.1", "localhost")
    async with Bench(tmp_path, targets=[{"url": url}], allow=["10.0.0.0/8"]) as bench:
        await published(bench, "target_refused")
    assert not peer.posted
    async with Bench(tmp_path, targets=[{"url": url}], allow=ALLOW) as bench:
        await published(bench, "delivered")
    assert peer.posted[0][0]["host"].startswith("localhost:")


async def test_an_address_has_one_form_in_the_allow_list() -> None:
    allowed = AllowList(["127.0.0.0/8", "fd00::/8"])
    assert allowed.permits("::ffff:127.0.0.1")
    assert allowed.permits("fd00::1%eth0")
    assert not allowed.permits("128.0.0.1")
    assert not allowed.permits("::1")
    with pytest.raises(RefusedError, match=r"not in the allow-list"):
        await AllowList([]).resolve("127.0.0.1", 80)


async def test_the_signature_covers_time_context_and_body(tmp_path: Path, peer: Peer) -> None:
    (tmp_path / "key").write_text("signing key\n")
    (tmp_path / "token").write_text("theirs\n")
    target = {"mode": "binary", "signing_file": "key", "token_file": "token"}
    async with bench_of(tmp_path, peer, target) as bench:
        await published(bench, "delivered")
    headers, body = peer.posted[0]
    assert headers["authorization"] == "Bearer theirs"
    found = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", headers["event-signature"])
    assert found is not None
    context = sorted(f"{key}:{value}\n" for key, value in headers.items() if key[:3] == "ce-")
    signed = f"{found[1]}\n{''.join(context)}\n".encode() + body
    assert found[2] == hmac.new(b"signing key", signed, hashlib.sha256).hexdigest()


async def test_a_target_gets_the_types_that_it_subscribes_to_and_no_control_events(
    tmp_path: Path, peer: Peer
) -> None:
    async with bench_of(tmp_path, peer, {"types": ["sensors.*.cold", "Speed"]}) as bench:
        for subject in ("sensors.hall.cold", "sensors.hall.warm", "Speeding"):
            await bench.adapter.publish(replace(SPEED, subject=subject), STAMP)
        await published(bench, "delivered", 2)
    assert [json.loads(body)["type"] for _, body in peer.posted] == ["sensors.hall.cold", "Speed"]


async def test_a_full_queue_drops_and_counts(tmp_path: Path, peer: Peer) -> None:
    answering(peer, 503)
    async with bench_of(tmp_path, peer, queue=1, attempts=20) as bench:
        for _ in range(5):
            await bench.adapter.publish(SPEED, STAMP)
        assert bench.adapter.counters["overflowed"] == 4


async def test_an_event_too_large_is_refused_before_it_is_sent(tmp_path: Path, peer: Peer) -> None:
    large = replace(SPEED, parameters=(Field("text", Type.STRING, "x" * 3000),))
    async with bench_of(tmp_path, peer, max_bytes=2048) as bench:
        with pytest.raises(AdapterError, match="exceeds the limit of 2048"):
            await bench.adapter.publish(large, STAMP)
        await published(bench, "delivered")


async def test_a_secret_file_that_is_not_there_is_named(tmp_path: Path, peer: Peer) -> None:
    bench = bench_of(tmp_path, peer, {"signing_file": "nothing"})
    with pytest.raises(AdapterError, match="nothing"):
        async with bench:
            pass
    await bench.client.aclose()
