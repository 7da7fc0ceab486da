"""What JetStream answers."""

import pytest
from eventservices.cns.errors import ImplLimitError
from eventservices.cns.persistent.replies import Delivery, delivery_of, refusal, status_of
from eventservices.errors import MalformedError, RefusedError


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (b"", 0),
        (b"NATS/1.0\r\nEvent-Stamp: x\r\n\r\n", 0),
        (b"NATS/1.0 503\r\n\r\n", 503),
        (b"NATS/1.0 100 Idle Heartbeat\r\n\r\n", 100),
        (b"NATS/1.0 409 Consumer Deleted\r\n\r\n", 409),
        (b"NATS/1.0 abc\r\n\r\n", 0),
    ],
)
def test_a_status_is_read_off_the_first_line(headers: bytes, status: int) -> None:
    assert status_of(headers) == status


def test_a_stored_event_is_no_refusal_nor_is_one_that_was_stored_before() -> None:
    assert refusal(b'{"stream":"s","seq":5}') is None
    assert refusal(b'{"stream":"s","seq":5,"duplicate":true}') is None


@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        (
            b'{"error":{"code":503,"err_code":10077,"description":"maximum messages"}}',
            ImplLimitError,
        ),
        (b'{"error":{"code":500,"err_code":10047,"description":"storage"}}', ImplLimitError),
        (b'{"error":{"code":400,"err_code":10054,"description":"size"}}', RefusedError),
        (b"no json", RefusedError),
        (b"[]", RefusedError),
    ],
)
def test_a_refusal_tells_whether_trying_again_helps(payload: bytes, kind: type[Exception]) -> None:
    error = refusal(payload)

    assert type(error) is kind
    assert getattr(error, "retryable", False) is (kind is ImplLimitError)


@pytest.mark.parametrize(
    "reply",
    [
        "$JS.ACK.CNS_x.d.1.42.7.1795839270893434589.19",
        "$JS.ACK.hub.Abc123.CNS_x.d.1.42.7.1795839270893434589.19",
        "$JS.ACK.hub.Abc123.CNS_x.d.1.42.7.1795839270893434589.19.token",
    ],
)
def test_a_delivery_tells_number_and_time(reply: str) -> None:
    assert delivery_of(reply) == Delivery(42, 1_795_839_270_893_434)


@pytest.mark.parametrize("reply", ["", "_INBOX.x", "$JS.ACK.a.b", "$JS.ACK.a.b.1.x.7.5.19"])
def test_what_is_no_delivery_is_refused(reply: str) -> None:
    with pytest.raises(MalformedError):
        delivery_of(reply)
