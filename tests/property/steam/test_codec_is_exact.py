from eventservices.errors import MalformedError
from eventservices.stamp import Stamp
from eventservices.steam.codec import (
    decode_announcement,
    decode_membership,
    decode_notification,
    encode,
)
from eventservices.steam.event import Notification
from eventservices.steam.geometry import Position
from eventservices.steam.proximity import Circle, Rectangle
from eventservices.steam.topics import encode_level
from hypothesis import given
from hypothesis import strategies as st

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
stamped = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)
"""Names in a stamp, which takes no control characters."""
values = st.dictionaries(
    names,
    st.one_of(
        texts,
        st.integers(-(2**63), 2**63 - 1),
        st.floats(allow_nan=False),
        st.booleans(),
        st.binary(max_size=30),
    ),
    max_size=8,
)
extents = st.floats(0.0, 1e8)
lats, lons = st.floats(-90.0, 90.0), st.floats(-180.0, 180.0)
areas = st.one_of(
    st.builds(Circle, st.booleans(), lats, lons, extents),
    st.builds(Rectangle, st.booleans(), lats, lons, extents, extents),
)
stamps = st.builds(
    Stamp,
    stamped,
    st.integers(0, 2**63 - 1),
    st.integers(1, 2**63 - 1),
    st.integers(-(2**63) + 1, 2**63 - 1),
    stamped,
    st.lists(stamped, max_size=8).map(tuple),
)
notifications = st.builds(
    Notification,
    stamps,
    stamped,
    st.builds(Position, lats, lons),
    extents,
    areas,
    stamped,
    values,
    values,
)


@given(notifications)
def test_what_is_encoded_is_decoded_with_its_types(notification: Notification) -> None:
    decoded = decode_notification(encode(notification))
    assert decoded == notification
    assert [(name, type(value)) for name, value in decoded.parameters.items()] == [
        (name, type(value)) for name, value in notification.parameters.items()
    ]


@given(st.binary(max_size=200))
def test_any_bytes_are_decoded_or_malformed(payload: bytes) -> None:
    for decode in (decode_notification, decode_announcement, decode_membership):
        try:
            decode(payload)
        except MalformedError:
            continue


@given(notifications, st.integers(0, 10_000), st.integers(0, 255))
def test_a_flipped_byte_is_decoded_or_malformed(
    notification: Notification, place: int, byte: int
) -> None:
    payload = bytearray(encode(notification))
    payload[place % len(payload)] = byte
    try:
        decode_notification(bytes(payload))
    except MalformedError:
        return


@given(names, names)
def test_subjects_are_told_apart_by_their_levels(one: str, other: str) -> None:
    assert (encode_level(one) == encode_level(other)) == (one == other)
    assert encode_level(one).isascii()
    assert not set(encode_level(one)) & set("+#/*>. $")
