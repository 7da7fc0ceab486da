"""Bodies of messages, read without checking again what their sender checked."""

import pytest
from fes.errors import CodecError
from fes.link.body import read_body
from fes.model import Event, binary

INNER = Event.of("Inner", {"text": "é"}, {"Priority": 1})


@pytest.mark.parametrize(
    "event",
    [
        Event.of("Speed"),
        Event.of("Speed", {"rate": 5.0, "licence": "FES0001", "raw": b"\x00\xff"}),
        Event.of("Outer", {"inner": INNER}),
        Event.of("Outer", {"number": 2**40}, {"inner": INNER}),
    ],
)
def test_a_body_is_the_event_that_was_encoded(event: Event) -> None:
    assert read_body(binary.encode(event)) == event


@pytest.mark.parametrize("body", [b"", b"\x01", b"\x93\xa1x\x90", b"\x93\xa1\xff\x90\x90"])
def test_bytes_that_are_no_event_are_refused(body: bytes) -> None:
    with pytest.raises(CodecError):
        read_body(body)
