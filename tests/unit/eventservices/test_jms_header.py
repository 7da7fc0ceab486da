"""Header fields of a message by STOMP."""

import pytest
from eventservices.jms.header import (
    DEFAULT_PRIORITY,
    REPLY_TO,
    TYPE,
    Header,
    is_text,
    producer_of,
    read_header,
    write_header,
)

HEADER = Header(7, is_persistent=True, expires_ms=2000, sent_ms=1000, texts={TYPE: "order"})


def test_header_fields_come_back_from_a_frame() -> None:
    frame = write_header(HEADER)
    assert frame == {"priority": "7", "persistent": "true", "expires": "2000", "type": "order"}
    assert read_header({**frame, "timestamp": "1000"}) == HEADER


@pytest.mark.parametrize(
    "frame",
    [
        {},
        {"priority": "10", "expires": "-1", "timestamp": "x", "persistent": "yes", "type": ""},
        {"priority": "٣", "expires": "1" * 19, "timestamp": "1.5"},
    ],
)
def test_what_is_not_well_formed_counts_as_absent(frame: dict[str, str]) -> None:
    nothing = Header(DEFAULT_PRIORITY, is_persistent=False, expires_ms=0, sent_ms=0, texts={})
    assert read_header(frame) == nothing


def test_a_text_is_printable_and_answers_go_to_a_destination() -> None:
    assert is_text(TYPE, "order")
    assert is_text(REPLY_TO, "/queue/answers")
    for name, value in ((TYPE, ""), (TYPE, "a\nb"), (REPLY_TO, "answers"), ("Other", "x")):
        assert not is_text(name, value)


def test_a_producer_numbers_its_messages() -> None:
    assert producer_of("ID:host-1-2-3:1:1:46") == ("ID:host-1-2-3:1:1", 46)
    for other in ("", "46", "ID:", "ID:x:", "ID:x:y", "414d51:46", "ID:x:" + "1" * 19):
        assert producer_of(other) is None
