"""Records and attributes: what they carry, and what they refuse."""

import math

import msgspec
import pytest
from eventservices.cosmic.attributes import (
    NO_ATTRIBUTES,
    ChannelAttributes,
    EventAttributes,
    Following,
    check_others,
    decode_following,
    encode_following,
    join,
    part,
)
from eventservices.cosmic.record import Item, Kind, Record, decode, encode, record
from eventservices.errors import MalformedError
from eventservices.stamp import Stamp

STAMP = Stamp("far/away", 3, 7, 1_700_000_000_000_000, "cns-v", ("cns-v", "steam-v"))


def test_a_record_crosses_as_it_is() -> None:
    inner = record("Place", lat=49.9, lon=11.5)
    told = Record(
        "Speed ü",
        (
            Item("license no", Kind.STRING, "FES 0001 ü"),
            Item("rate", Kind.DOUBLE, -0.0),
            Item("small", Kind.LONGLONG, 5),
            Item("whole", Kind.DOUBLE, 1.0),
            Item("raw", Kind.OCTETS, bytes(range(256))),
            Item("on", Kind.BOOLEAN, True),
            Item("place", Kind.RECORD, inner),
        ),
        (Item("Priority", Kind.LONG, 7),),
    )
    back = decode(encode(told))
    assert back == told
    assert math.copysign(1, back.items[1].value) == -1
    assert [type(item.value) for item in back.items] == [type(item.value) for item in told.items]


@pytest.mark.parametrize(
    ("value", "kind"),
    [(1, Kind.LONG), (2**31, Kind.LONGLONG), (1.5, Kind.DOUBLE), (True, Kind.BOOLEAN)],
)
def test_a_value_takes_the_smallest_type(value: object, kind: Kind) -> None:
    assert record("S", x=value).items[0].kind is kind


@pytest.mark.parametrize("value", [None, 2**63, [1], object()])
def test_a_value_of_no_type_is_refused(value: object) -> None:
    with pytest.raises(MalformedError):
        record("S", x=value)


@pytest.mark.parametrize(
    "plain",
    [
        1,
        [],
        ["S", [], [], []],
        ["", [], []],
        [1, [], []],
        ["S", 1, []],
        ["S", [["x", 9, 1]], []],
        ["S", [["x", 2, 2**31]], []],
        ["S", [["x", 2, True]], []],
        ["S", [["x", 3, 1]], []],
        ["S", [["x", 6, 1]], []],
        ["S", [["x", 1, 1], ["y"]], []],
        ["S", [["x", 2, 1], ["x", 2, 1]], []],
        ["S", [[1, 2, 1]], []],
        ["S", [["x", 4, 1]], []],
    ],
)
def test_what_is_no_record_is_refused(plain: object) -> None:
    with pytest.raises(MalformedError):
        decode(msgspec.msgpack.encode(plain))


def test_records_within_one_another_end_somewhere() -> None:
    deep: object = ["S", [], []]
    for _ in range(40):
        deep = ["S", [["x", 4, deep]], []]
    with pytest.raises(MalformedError, match="nested"):
        decode(msgspec.msgpack.encode(deep))


def test_attributes_stand_before_the_content_and_come_off_again() -> None:
    told = EventAttributes(STAMP, typed=True, others={"Location": "49.9,11.5"})
    assert part(join(told, b"content")) == (told, b"content")
    assert part(join(NO_ATTRIBUTES, b"")) == (NO_ATTRIBUTES, b"")


def test_attributes_that_follow_name_their_event() -> None:
    following = Following(0x3039, True, b"12345678", EventAttributes(STAMP))
    assert decode_following(encode_following(following)) == following


@pytest.mark.parametrize("data", ["", "00", "0001", "0001c1", "000194c0c2c280"])
def test_attributes_that_are_cut_off_or_ill_formed_are_refused(data: str) -> None:
    with pytest.raises(MalformedError):
        part(bytes.fromhex(data) or b"\xff")


def test_attributes_that_are_not_told_are_none() -> None:
    assert part(bytes.fromhex("000190ff")) == (NO_ATTRIBUTES, b"\xff")


def test_a_stamp_that_is_none_is_refused() -> None:
    bad = msgspec.msgpack.encode([["", 1, 1, 0, "h", []], False, {}])
    with pytest.raises(MalformedError):
        part(len(bad).to_bytes(2, "big") + bad)


@pytest.mark.parametrize(
    "others", [{"x": None}, {"x": 2**63}, {"x": []}, {f"{n}": 1 for n in range(65)}]
)
def test_attributes_of_no_type_or_too_many_are_refused(others: dict[str, object]) -> None:
    with pytest.raises(MalformedError):
        check_others(others)


@pytest.mark.parametrize(
    "wrong",
    [{"period_us": -1}, {"omission": 16}, {"priority": 250}, {"hold_us": 10**12}],
)
def test_channel_attributes_out_of_range_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(MalformedError):
        ChannelAttributes(**wrong)  # type: ignore[arg-type]  # only numbers are given
