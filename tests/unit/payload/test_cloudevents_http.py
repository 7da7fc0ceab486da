"""The HTTP protocol binding of CloudEvents 1.0.2: three modes, encoding, what is refused."""

import json
from typing import Any

import pytest
from fes.errors import CodecError
from fes.payload import cloudevents
from fes.payload.bindings import encode
from fes.payload.cloudevents_http import (
    BATCH,
    Item,
    RequestError,
    decode,
    read_request,
    write_request,
)
from hypothesis import given
from hypothesis import strategies as st

NEEDED = {"specversion": "1.0", "id": "1", "source": "/s", "type": "Speed"}
BINARY = [(f"ce-{name}".encode(), value.encode()) for name, value in NEEDED.items()]
STRUCTURED = [(b"content-type", b"application/cloudevents+json; charset=UTF-8")]
UNICODE = st.text(st.characters(exclude_categories=["Cs"]))


def read(headers: list[tuple[bytes, bytes]], body: bytes, most: int = 10) -> list[Item]:
    return read_request(headers, body, most)


def parts(whole: Any) -> tuple[dict[str, Any], Any]:
    return cloudevents.from_structured(whole)


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("plain/text~!", "plain/text~!"),
        ("Euro € 😀", "Euro%20%E2%82%AC%20%F0%9F%98%80"),
        ('a"b', "a%22b"),
        ("100%", "100%25"),
        ("tab\tdel\x7f", "tab%09del%7F"),
    ],
)
def test_a_header_is_percent_encoded_as_the_binding_has_it(text: str, header: str) -> None:
    assert encode(text) == header
    assert decode(header.encode()) == text


@pytest.mark.parametrize(
    ("header", "text"),
    [
        (b'"quoted \\"twice\\""', 'quoted "twice"'),
        (b'"%E2%82%AC"', "€"),
        (b"%zz%4", "%zz%4"),
        (b"%2525", "%25"),
        (b"%e2%82%ac", "€"),
    ],
)
def test_what_others_write_is_decoded_once(header: bytes, text: str) -> None:
    assert decode(header) == text


@given(UNICODE)
def test_every_text_crosses_as_a_header(text: str) -> None:
    header = encode(text)
    assert all("!" <= char <= "~" for char in header)
    assert decode(header.encode()) == text


@pytest.mark.parametrize("header", [b"%ff", b"\xff"])
def test_a_header_that_is_not_utf_8_is_refused(header: bytes) -> None:
    with pytest.raises(CodecError, match="not UTF-8"):
        decode(header)


def test_binary_mode_has_the_context_in_headers_and_the_data_as_the_body() -> None:
    kind = (b"content-type", b"text/plain; charset=utf-8")
    (item,) = read([*BINARY, (b"ce-subject", b"M%C3%BCnchen"), kind], b"cold")
    context, data = parts(item.whole)
    assert context == {
        **NEEDED,
        "subject": "München",
        "datacontenttype": "text/plain; charset=utf-8",
    }
    assert data == b"cold"


def test_binary_mode_without_a_body_has_no_data() -> None:
    (item,) = read(BINARY, b"")
    assert parts(item.whole) == (NEEDED, None)


def test_structured_mode_is_the_body_as_it_is() -> None:
    body = json.dumps({**NEEDED, "data": {"rate": 1.0}}).encode()
    assert read(STRUCTURED, body) == [Item({**NEEDED, "data": {"rate": 1.0}}, body)]


@pytest.mark.parametrize("size", [0, 1, 3])
def test_a_batch_has_any_number_of_events(size: int) -> None:
    events = [{**NEEDED, "id": str(number + 1)} for number in range(size)]
    found = read([(b"content-type", BATCH.encode())], json.dumps(events).encode())
    assert [item.whole for item in found] == events
    assert [json.loads(item.raw) for item in found] == events


@pytest.mark.parametrize(
    ("headers", "body", "status", "reason"),
    [
        ([], b"{}", 415, "neither in binary mode"),
        ([(b"content-type", b"application/json")], b"{}", 415, "neither in binary mode"),
        ([(b"content-type", b"application/cloudevents+avro")], b"", 415, "is not known"),
        ([(b"content-type", BATCH.encode())], b"{}", 400, "a batch is an array"),
        ([(b"content-type", BATCH.encode())], b"[1,2,3,4,5,6,7,8,9,0,1]", 413, "exceeds"),
        ([*STRUCTURED, *STRUCTURED], b"{}", 400, "occurs twice"),
        (
            [(b"content-type", b"application/cloudevents+json; charset=utf-16")],
            b"{}",
            415,
            "charset",
        ),
    ],
)
def test_a_request_that_is_no_cloudevent_is_refused_with_status_and_reason(
    headers: list[tuple[bytes, bytes]], body: bytes, status: int, reason: str
) -> None:
    with pytest.raises(RequestError, match=reason) as caught:
        read(headers, body)
    assert caught.value.status == status


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ((b"ce-id", b"2"), "ce-id: occurs twice"),
        ((b"ce-a_b", b"2"), "ce-a_b: is not the header of an attribute"),
        ((b"ce-datacontenttype", b"a/b"), "is not the header of an attribute"),
    ],
)
def test_a_header_of_no_attribute_is_refused(header: tuple[bytes, bytes], reason: str) -> None:
    with pytest.raises(CodecError, match=reason):
        read([*BINARY, header], b"")


@pytest.mark.parametrize("name", NEEDED)
def test_an_event_without_a_needed_attribute_names_it(name: str) -> None:
    (item,) = read([each for each in BINARY if each[0] != f"ce-{name}".encode()], b"")
    with pytest.raises(CodecError, match=f"needs the attribute '{name}'"):
        parts(item.whole)


@given(UNICODE.filter(bool), st.one_of(st.none(), st.binary(), st.dictionaries(UNICODE, UNICODE)))
def test_what_is_written_in_binary_mode_is_read_as_the_same(type_: str, data: Any) -> None:
    text = {**NEEDED, "type": type_.strip() or "x", "flag": "true"}
    whole = cloudevents.to_structured(text, data, is_octets=isinstance(data, bytes))
    headers, body = write_request(json.dumps(whole).encode(), "binary")
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    context, found = parts(read(raw, body)[0].whole)
    kind = context.pop("datacontenttype")
    assert context == text
    if isinstance(data, dict):
        assert (kind, json.loads(found)) == ("application/json", data)
    else:
        assert (found or b"") == (data or b"")


def test_attributes_that_are_no_text_are_written_canonically() -> None:
    whole = {**NEEDED, "on": True, "number": 7, "data": 1}
    headers, body = write_request(json.dumps(whole).encode(), "binary")
    assert (headers["ce-on"], headers["ce-number"], body) == ("true", "7", b"1")
