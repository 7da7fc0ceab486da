import msgspec
import pytest
from eventservices.cns.changes import Member
from eventservices.cns.event_type import ALL_TYPES, EventType
from eventservices.cns.notices import (
    MAX_TYPES,
    Beat,
    Leave,
    Query,
    State,
    decode_notice,
    encode_notice,
    member_of,
    state_of,
)
from eventservices.errors import MalformedError
from hypothesis import given
from hypothesis import strategies as st

MEMBER = Member(
    "m1",
    "car",
    3,
    frozenset({EventType("d", "t")}),
    frozenset({ALL_TYPES, EventType("d", "*")}),
    5.0,
)


@pytest.mark.parametrize(
    "notice", [state_of(MEMBER), Beat("m1", 3), Query(), Query("m1"), Leave("m1")]
)
def test_a_notice_comes_back_whole(notice: State | Beat | Query | Leave) -> None:
    assert decode_notice(encode_notice(notice)) == notice


def test_a_state_names_its_member() -> None:
    found = decode_notice(encode_notice(state_of(MEMBER)))

    assert isinstance(found, State)
    assert member_of(found) == MEMBER


@given(st.binary(max_size=40))
def test_other_bytes_are_malformed_and_nothing_worse(payload: bytes) -> None:
    try:
        notice = decode_notice(payload)
        if isinstance(notice, State):
            member_of(notice)
    except MalformedError:
        return


many = tuple(EventType("d", str(number)) for number in range(MAX_TYPES + 2))


@pytest.mark.parametrize(
    "state",
    [
        State("m", "c", 1, 5.0, many, ()),
        State("m", "c", 1, 5.0, (), many),
        State("m", "c", 1, 0.0, (), ()),
        State("m", "c", 1, float("nan"), (), ()),
        State("m" * 300, "c", 1, 5.0, (), ()),
        State("m", "c" * 300, 1, 5.0, (), ()),
        State("m", "c", 1, 5.0, (EventType("d", "t" * 300),), ()),
    ],
)
def test_a_state_out_of_bounds_is_refused(state: State) -> None:
    decoded = decode_notice(msgspec.msgpack.encode(state))
    assert isinstance(decoded, State)
    with pytest.raises(MalformedError):
        member_of(decoded)
