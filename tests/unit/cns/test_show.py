import json

import pytest
from eventservices.cns import LongLong, Value, structured_event, type_code
from eventservices.cns.show import read_value, show_stamp, show_value
from eventservices.errors import MalformedError
from eventservices.stamp import Stamp
from hypothesis import given
from hypothesis import strategies as st

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.integers(-(2**31), 2**31).map(LongLong)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
)
names = st.text(min_size=1).map(lambda name: f"_{name}")
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(names, inner), max_leaves=8
)


@given(values)
def test_what_is_shown_can_be_read_again(value: Value) -> None:
    found = read_value(json.loads(json.dumps(show_value(value), allow_nan=False)))

    assert found == value
    assert type_code(found) is type_code(value)


def test_what_json_cannot_say_is_wrapped() -> None:
    assert show_value(float("nan")) == {"double": "NaN"}
    assert show_value(b"\xff") == {"octets": "/w=="}
    assert show_value(LongLong(5)) == {"longlong": 5}


def test_an_event_within_an_any_can_be_read_again() -> None:
    event = structured_event(("d", "t"), "n", filterable_data={"rate": 1.5}, body=b"x")

    assert read_value(show_value([event])) == [event]


@pytest.mark.parametrize("wrong", [{"octets": 5}, {"octets": "?"}, {"double": "x"}, {"event": {}}])
def test_a_broken_wrapper_is_refused(wrong: object) -> None:
    with pytest.raises(MalformedError):
        read_value(wrong)


def test_a_stamp_is_shown_with_its_identity() -> None:
    stamp = Stamp("car/1", 5, 7, 9, "home", ("a",))

    assert show_stamp(stamp) == {"id": "car/1/5/7", "time_us": 9, "home": "home", "via": ["a"]}
    assert show_stamp(None) is None
