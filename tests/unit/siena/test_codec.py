import datetime as dt

import msgspec
import pytest
from eventservices.errors import MalformedError
from eventservices.siena import Notification
from eventservices.siena.codec import decode, encode


def test_a_notification_survives_the_way() -> None:
    sent = Notification({"s": "ä", "i": 2**63 - 1, "d": 1.0, "b": True, "o": b"\x00"})
    assert decode(encode(sent)) == sent


@pytest.mark.parametrize("count", [0, 15, 16, 70, 1000])
def test_notifications_of_any_number_of_attributes_survive(count: int) -> None:
    sent = Notification({f"a{number}": number for number in range(count)})
    assert decode(encode(sent)) == sent


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\xc1",
        b"{}",
        msgspec.msgpack.encode([1]),
        msgspec.msgpack.encode({"a-b": 1}),
        msgspec.msgpack.encode({"a": None}),
        msgspec.msgpack.encode({"a": [1]}),
        msgspec.msgpack.encode({"a": 2**63}),
        msgspec.msgpack.encode({"a": dt.datetime(2026, 1, 2, tzinfo=dt.UTC)}),
        msgspec.msgpack.encode({1: 1}),
        msgspec.msgpack.encode({f"a{number}": 1 for number in range(1001)}),
        b"\x82\xa1a\x01\xa1a\x02",
        b"\xde\x00\x02\xa1a\x01\xa1a\x02",
        b"\x81\xa1a\xa2\xff\xff",
        msgspec.msgpack.encode({"a": 1}) + b"\x00",
        b"\x81\xa1a" * 2000,
    ],
)
def test_bytes_that_are_no_notification_are_refused(payload: bytes) -> None:
    with pytest.raises(MalformedError):
        decode(payload)
