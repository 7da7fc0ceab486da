"""What systems that post CloudEvents do to the adapter, and what it answers."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fes.errors import FederationError
from fes.model import Field, Type
from fes.testing.eventually import eventually
from support.webhooks.bench import OPEN, STRUCTURED, Bench

EVENT = {"specversion": "1.0", "id": "1", "source": "/s", "type": "Speed", "data": {"rate": 40.0}}
BATCH = "application/cloudevents-batch+json"


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with Bench(tmp_path, max_bytes=2048, max_batch=3) as made:
        yield made


async def test_structured_binary_and_batch_mode_are_events(bench: Bench) -> None:
    assert (await bench.post(EVENT)).status_code == 202
    binary = {f"ce-{name}": str(EVENT[name]) for name in ("specversion", "source", "type")}
    answer = await bench.post(
        b'{"rate":41.0}', "application/json", **binary, **{"ce-id": "2", "ce-site": "n%C3%B6"}
    )
    assert answer.status_code == 202
    answer = await bench.post([{**EVENT, "id": "3"}, {**EVENT, "id": "4", "type": "Other"}], BATCH)
    assert answer.status_code == 202

    natives = bench.gateway.natives
    assert [each.subject for each in natives] == ["Speed", "Speed", "Speed", "Other"]
    assert [each.parameters[0].value for each in natives] == [40.0, 41.0, 40.0, 40.0]
    assert {field.id: field.value for field in natives[1].attributes} == {
        "ce-id": "2",
        "ce-source": "/s",
        "ce-site": "nö",
    }


@pytest.mark.parametrize("name", ["id", "source", "type", "specversion"])
async def test_an_event_without_what_it_needs_is_refused_with_the_reason_and_set_aside(
    bench: Bench, name: str
) -> None:
    answer = await bench.post({key: value for key, value in EVENT.items() if key != name})
    assert answer.status_code == 400
    assert answer.json()["detail"] == f"a CloudEvent needs the attribute '{name}'"
    assert f"needs the attribute '{name}'" in bench.gateway.aside[0][0]
    assert (await bench.post(EVENT)).status_code == 202


async def test_a_batch_loses_nothing_to_one_bad_event(bench: Bench) -> None:
    answer = await bench.post([EVENT, {"id": "2"}, {**EVENT, "id": "3"}], BATCH)
    assert answer.status_code == 400
    assert answer.json()["accepted"] == 2
    assert [each["index"] for each in answer.json()["refused"]] == [1]
    assert len(bench.gateway.natives) == 2
    assert (await bench.post([EVENT] * 4, BATCH)).status_code == 413


@pytest.mark.parametrize("header", ["", "Bearer loud", "Basic quiet", "Bearer", "Bearer quietly"])
async def test_another_secret_is_answered_401_and_nothing_is_read(
    bench: Bench, header: str
) -> None:
    answer = await bench.post(EVENT, Authorization=header)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert bench.adapter.counters["unauthorized"] == 1
    assert not bench.gateway.natives


async def test_a_body_too_large_is_answered_413_whether_its_size_is_declared(bench: Bench) -> None:
    assert (await bench.post(b" " * 2049)).status_code == 413

    async def parts() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b" " * 1000

    headers = {**OPEN, "Content-Type": STRUCTURED}
    answer = await bench.client.post(bench.adapter.url, content=parts(), headers=headers)
    assert answer.status_code == 413
    assert bench.adapter.counters["refused_bodies"] == 2


async def test_the_request_above_the_limit_is_answered_429(tmp_path: Path) -> None:
    async with Bench(tmp_path, concurrency=1) as bench:
        more = asyncio.Event()

        async def slow() -> AsyncIterator[bytes]:
            yield b" "
            await more.wait()
            yield json.dumps(EVENT).encode()

        headers = {**OPEN, "Content-Type": STRUCTURED}
        url = bench.adapter.url
        first = asyncio.create_task(bench.client.post(url, content=slow(), headers=headers))
        await eventually(lambda: bench.adapter._webhook._active == 1)
        answer = await bench.post(EVENT)
        more.set()
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
        assert (await first).status_code == 202
        assert (await bench.post({**EVENT, "id": "2"})).status_code == 202


async def test_an_event_posted_again_is_received_once(bench: Bench) -> None:
    for _ in range(2):
        assert (await bench.post(EVENT)).status_code == 202
    assert len(bench.gateway.natives) == 1
    assert bench.adapter.counters["repeated"] == 1


async def test_the_handshake_grants_what_the_file_allows(tmp_path: Path) -> None:
    async with Bench(tmp_path, origins=["good.example"]) as bench:

        async def shake(*origin: str) -> httpx.Response:
            headers = [("WebHook-Request-Origin", each) for each in origin]
            return await bench.client.options(bench.adapter.url, headers=headers)

        good = await shake("Good.example")
        assert good.status_code == 200
        assert good.headers["webhook-allowed-origin"] == "Good.example"
        assert good.headers["webhook-allowed-rate"] == "*"
        assert "POST" in good.headers["allow"]
        bad = await shake("bad.example")
        assert bad.status_code == 403
        assert "webhook-allowed-origin" not in bad.headers
        assert (await shake()).status_code == 400


async def test_other_paths_and_methods_are_refused(bench: Bench) -> None:
    assert (await bench.client.get(bench.adapter.url)).status_code == 405
    assert (await bench.client.post(bench.adapter.url + "/x")).status_code == 404


async def test_levels_of_a_type_are_parameters_and_the_rest_is_data(tmp_path: Path) -> None:
    route = {"type": "com.example.{room}.reading", "event": "Reading"}
    async with Bench(tmp_path, routes=[route]) as bench:
        await bench.post({**EVENT, "type": "com.example.hall.reading"})
        (native,) = bench.gateway.natives
        assert native.subject == "Reading"
        assert native.parameters[0] == Field("room", Type.STRING, "hall")


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"secret_file": ""}, "secret_file"),
        ({"port": 65536}, "port"),
        ({"targets": [{"url": "ftp://x"}]}, "url"),
        ({"targets": [{"url": "http://10.0.0.1/"}]}, "allow-list"),
        ({"targets": [{"url": "http://10.0.0.1/"}], "allow": ["10.1.0.0/16"]}, "allow-list"),
        ({"targets": [{"url": "http://u:p@10.0.0.1/"}], "allow": ["0.0.0.0/0"]}, "password"),
        ({"allow": ["example.com"]}, "example.com"),
        ({"payload": "json"}, "payload"),
    ],
)
def test_a_setting_that_is_not_good_is_named(
    tmp_path: Path, settings: dict[str, Any], key: str
) -> None:
    with pytest.raises(FederationError, match=key):
        Bench(tmp_path, **settings)
