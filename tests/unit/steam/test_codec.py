from typing import Any

import msgspec
import pytest
from eventservices.errors import MalformedError
from eventservices.stamp import Stamp
from eventservices.steam.beacon import Announcement, Membership, Sender
from eventservices.steam.codec import (
    decode_announcement,
    decode_membership,
    decode_notification,
    encode,
)
from eventservices.steam.content import Term, between
from eventservices.steam.event import Notification
from eventservices.steam.geometry import Position
from eventservices.steam.proximity import Rectangle, around

NOTIFICATION = Notification(
    Stamp("cns/v", 7, 1, 1_581_252_411_000_000, "cns-v", ("steam-v",)),
    "v",
    Position(50.0, 11.0),
    300.0,
    around(300.0),
    "Speed",
    {"license_no": "FES0001", "rate": 83.0, "count": 83, "urgent": True, "raw": b"\xff"},
    {"Priority": 5},
)


def fields() -> list[Any]:
    decoded: list[Any] = msgspec.msgpack.decode(encode(NOTIFICATION))
    return decoded


def test_a_notification_survives_the_air_with_its_types_and_order() -> None:
    decoded = decode_notification(encode(NOTIFICATION))
    assert decoded == NOTIFICATION
    assert list(decoded.parameters) == list(NOTIFICATION.parameters)
    assert [type(value) for value in decoded.parameters.values()] == [str, float, int, bool, bytes]


def test_the_stamp_is_the_first_element() -> None:
    assert fields()[0] == ["cns/v", 7, 1, 1_581_252_411_000_000, "cns-v", ["steam-v"]]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, ["", 7, 1, 0, "home", []]),
        (0, ["origin", 7, 0, 0, "home", []]),
        (0, "no stamp"),
        (1, ""),
        (2, [91.0, 0.0]),
        (2, [float("nan"), 0.0]),
        (3, -1.0),
        (4, [0, True, 0.0, 0.0, float("nan")]),
        (4, [2, True, 0.0, 0.0, 1.0]),
        (5, ""),
        (6, {"rate": None}),
        (6, {"rate": [1]}),
        (6, {"": 1}),
        (6, {"rate": 2**63}),
        (7, {"Priority": {}}),
    ],
)
def test_a_payload_with_a_wrong_part_is_malformed(place: int, value: object) -> None:
    parts = fields()
    parts[place] = value
    with pytest.raises(MalformedError):
        decode_notification(msgspec.msgpack.encode(parts))


@pytest.mark.parametrize(
    "payload", [b"", b"\xc1", b"hello", b"{}", b"\x91" * 100_000, b"\x98", b"\xdd\xff\xff\xff\xff"]
)
def test_foreign_bytes_are_malformed(payload: bytes) -> None:
    with pytest.raises(MalformedError):
        decode_notification(payload)


def test_control_messages_survive_the_air() -> None:
    sender, here = Sender("m", "fes-adapter", 150.0), Position(50.0, 11.0)
    area = Rectangle(False, 50.0, 11.0, 20.0, 40.0)
    announcement = Announcement(sender, "Speed", here, 1, 2.0, True, area)
    assert decode_announcement(encode(announcement)) == announcement
    terms = (Term("rate", ">", 70.0), between("count", 1, 3))
    membership = Membership(sender, "Speed", here, 1, 2.0, False, 3, terms)
    assert decode_membership(encode(membership)) == membership


def test_a_membership_with_a_filter_that_is_none_is_malformed() -> None:
    sender, here = Sender("m", "", 150.0), Position(50.0, 11.0)
    terms = (Term("rate", "<", True),)
    with pytest.raises(MalformedError):
        decode_membership(encode(Membership(sender, "Speed", here, 1, 2.0, True, 1, terms)))
