"""The conformance cases of CloudEvents, on the real brokers of each protocol binding.

HTTP has its own (`adapter_http`); the cases are those of the project's conformance suite, written
anew for each protocol from its binding.
"""

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from adapter_http import HttpAdapter
from eventservices.stamp import Stamp
from fes.mapping import Native
from fes.model import Field, Type
from fes.testing.eventually import eventually
from support.payloads.bindings import Message, System, kafka, mqtt5, mqtt311, nats_
from support.webhooks.bench import Bench

pytestmark = pytest.mark.broker

Made = Callable[..., AbstractAsyncContextManager[System]]
STAMP = Stamp("far", 1, 7, 1_700_000_000_000_000, "elsewhere")
CONTEXT = {
    "specversion": "1.0",
    "type": "com.example.someevent",
    "time": "2018-04-05T03:56:24Z",
    "id": "1234-1234-1234",
    "source": "/mycontext/subcontext",
}
DATA = {"message": "Hello World!"}
BINARY = pytest.mark.parametrize(
    ("made", "prefix"),
    [(mqtt5, ""), (nats_, "ce-"), (kafka, "ce_")],
    ids=["mqtt5", "nats", "kafka"],
)
ALL = pytest.mark.parametrize(
    "made", [mqtt311, mqtt5, nats_, kafka], ids=["mqtt311", "mqtt5", "nats", "kafka"]
)
JSON_TYPES = ("application/json", "application/json; charset=utf-8")
STRUCTURED_TYPES = ("application/cloudevents+json", "application/cloudevents+json; charset=utf-8")


def context_of(native: Native) -> dict[str, Any]:
    """Return what an event has of a context, by the names of CloudEvents."""
    return {
        field.id.removeprefix("ce-"): field.value
        for field in native.attributes
        if field.id.startswith("ce-")
    }


def data_of(native: Native) -> dict[str, Any]:
    return {field.id: field.value for field in native.parameters}


@BINARY
async def test_binary_mode_is_read_with_every_type_of_json(
    tmp_path: Path, made: Made, prefix: str
) -> None:
    headers = {f"{prefix}{name}": text for name, text in CONTEXT.items()}
    async with made(tmp_path) as system:
        for kind in JSON_TYPES:
            await system.client.send(Message(kind, headers, json.dumps(DATA).encode()))
        await eventually(lambda: len(system.gateway.natives) == 2)
    for native, kind in zip(system.gateway.natives, JSON_TYPES, strict=True):
        assert context_of(native) == {**CONTEXT, "datacontenttype": kind}
        assert data_of(native) == DATA


@ALL
async def test_structured_mode_is_read_by_its_content_type(tmp_path: Path, made: Made) -> None:
    """MQTT 3.1.1 has no content type: there the rule states the mode."""
    whole = {**CONTEXT, "datacontenttype": "application/json", "data": DATA}
    body = json.dumps(whole, indent=4).encode()
    given = {"payload": "cloudevents"} if made is mqtt311 else {}
    async with made(tmp_path, **given) as system:
        for kind in STRUCTURED_TYPES:
            await system.client.send(Message(kind, {}, body))
        await eventually(lambda: len(system.gateway.natives) == 2)
    for native in system.gateway.natives:
        assert context_of(native) == {**CONTEXT, "datacontenttype": "application/json"}
        assert data_of(native) == DATA


@ALL
async def test_data_that_is_no_object_is_a_text_or_octets(tmp_path: Path, made: Made) -> None:
    events = (
        (
            {"datacontenttype": "text/plain; charset=us-ascii", "data": "Hello, World!"},
            "Hello, World!",
        ),
        ({"datacontenttype": "application/xml; charset=utf-8", "data": "<m>🌎</m>"}, "<m>🌎</m>"),
        ({"datacontenttype": "image/png", "data_base64": "iVBORw=="}, b"\x89PNG"),
        ({"data": "Hello, 🌎!"}, "Hello, 🌎!"),
    )
    given = {"payload": "cloudevents"} if made is mqtt311 else {}
    async with made(tmp_path, **given) as system:
        for more, _ in events:
            body = json.dumps({**CONTEXT, **more}).encode()
            await system.client.send(Message("application/cloudevents+json", {}, body))
        await eventually(lambda: len(system.gateway.natives) == len(events))
    assert [data_of(each) for each in system.gateway.natives] == [{"value": v} for _, v in events]


@BINARY
async def test_data_of_other_types_is_read_in_binary_mode(
    tmp_path: Path, made: Made, prefix: str
) -> None:
    headers = {f"{prefix}{name}": text for name, text in CONTEXT.items()}
    events: tuple[tuple[str, bytes, dict[str, object]], ...] = (
        ("text/plain; charset=us-ascii", b"Hello, World!", {"value": "Hello, World!"}),
        ("application/xml; charset=utf-8", "<m>🌎</m>".encode(), {"value": "<m>🌎</m>"}),
        ("image/png", b"\x89PNG", {"value": b"\x89PNG"}),
        ("application/json", b"", {}),
    )
    async with made(tmp_path) as system:
        for kind, body, _ in events:
            await system.client.send(Message(kind, headers, body))
        await eventually(lambda: len(system.gateway.natives) == len(events))
    assert [data_of(each) for each in system.gateway.natives] == [value for *_, value in events]


@ALL
@pytest.mark.parametrize("name", ["specversion", "id", "source", "type"])
async def test_what_lacks_a_needed_attribute_is_set_aside_and_the_next_is_read(
    tmp_path: Path, made: Made, name: str
) -> None:
    lacking = {**{key: text for key, text in CONTEXT.items() if key != name}, "data": DATA}
    given = {"payload": "cloudevents"} if made is mqtt311 else {}
    async with made(tmp_path, **given) as system:
        for whole in (lacking, {**CONTEXT, "data": DATA}):
            body = json.dumps(whole).encode()
            await system.client.send(Message("application/cloudevents+json", {}, body))
        await eventually(lambda: system.gateway.natives)
    assert data_of(system.gateway.natives[0]) == DATA
    ((reason, raw),) = system.gateway.aside
    assert f"a CloudEvent needs the attribute '{name}'" in reason
    assert raw == json.dumps(lacking).encode()


@BINARY
async def test_an_unknown_version_is_set_aside_in_binary_mode(
    tmp_path: Path, made: Made, prefix: str
) -> None:
    headers = {f"{prefix}{name}": text for name, text in CONTEXT.items()}
    async with made(tmp_path) as system:
        for version in ("0.3", "1.0"):
            told = {**headers, f"{prefix}specversion": version}
            await system.client.send(Message("application/json", told, b"{}"))
        await eventually(lambda: system.gateway.natives)
    assert "CloudEvents '0.3' are not known" in system.gateway.aside[0][0]


@BINARY
async def test_binary_mode_is_written_as_the_protocol_has_it(
    tmp_path: Path, made: Made, prefix: str
) -> None:
    """A context that the event brings is written as it is; only NATS percent-encodes it."""
    brought = {**CONTEXT, "subject": "München 1%", "number": 7, "flag": True}
    kinds = {str: Type.STRING, int: Type.LONG, bool: Type.BOOLEAN}
    attributes = tuple(Field(f"ce-{k}", kinds[type(v)], v) for k, v in brought.items())
    parameters = (Field("message", Type.STRING, "Hello World!"),)
    async with made(tmp_path, payload="cloudevents-binary") as system:
        await system.adapter.publish(Native("Reading", parameters, attributes), STAMP)
        found = await system.client.got()
        assert found.content_type == "application/json"
        assert json.loads(found.payload) == DATA
    subject = "M%C3%BCnchen%201%25" if made is nats_ else "München 1%"
    expected = {**CONTEXT, "subject": subject, "number": "7", "flag": "true"}
    own = {name for name in found.headers if name.startswith(("Event-", "Nats-", "FES-"))}
    context = {name: text for name, text in found.headers.items() if name not in own}
    assert context == {f"{prefix}{name}": text for name, text in expected.items()}


@ALL
async def test_an_event_of_the_federation_is_a_whole_cloudevent(tmp_path: Path, made: Made) -> None:
    parameters = (Field("message", Type.STRING, "Hello World!"),)
    async with made(tmp_path, payload="cloudevents") as system:
        await system.adapter.publish(Native("Reading", parameters), STAMP)
        whole = json.loads((await system.client.got()).payload)
    assert whole["data"] == DATA
    assert {name: whole[name] for name in CONTEXT} == {
        "specversion": "1.0",
        "type": "Reading",
        "time": "2023-11-14T22:13:20Z",
        "id": "far/1/7",
        "source": "/elsewhere",
    }


@pytest.mark.parametrize("kind", JSON_TYPES)
async def test_http_reads_binary_mode(tmp_path: Path, kind: str) -> None:
    async with Bench(tmp_path) as bench:
        headers = {f"ce-{name}": text for name, text in CONTEXT.items()}
        answer = await bench.post(json.dumps(DATA).encode(), kind, **headers)
        assert answer.status_code == 202
        (native,) = bench.gateway.natives
    assert isinstance(bench.adapter, HttpAdapter)
    assert native.subject == CONTEXT["type"]
    assert data_of(native) == DATA
    # The type is the subject, the version is the only one, and JSON is implied.
    assert context_of(native) == {name: CONTEXT[name] for name in ("time", "id", "source")}


@pytest.mark.parametrize("kind", STRUCTURED_TYPES)
async def test_http_reads_structured_mode(tmp_path: Path, kind: str) -> None:
    whole = {**CONTEXT, "datacontenttype": "application/json", "data": DATA}
    async with Bench(tmp_path) as bench:
        assert (await bench.post(json.dumps(whole, indent=4).encode(), kind)).status_code == 202
        (native,) = bench.gateway.natives
    assert native.subject == CONTEXT["type"]
    assert data_of(native) == DATA
