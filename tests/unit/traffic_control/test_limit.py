"""Limits as filters."""

import pytest
from fes.filter import Filter
from fes.model import Event
from hypothesis import given
from hypothesis import strategies as st
from traffic_control.errors import InputError
from traffic_control.limit import MAX_KMH, check_limit, filter_of, number


@pytest.mark.parametrize(
    ("limit", "text"),
    [(70.0, "70"), (62.5, "62.5"), (0.0, "0"), (1e-7, "0.0000001"), (10000.0, "10000")],
)
def test_a_limit_is_printed_as_short_as_it_can_be_told(limit: float, text: str) -> None:
    assert filter_of(limit) == f"subject = 'Speed' AND rate > {text}"


@given(limit=st.floats(0, MAX_KMH), rate=st.floats(0, MAX_KMH))
def test_the_filter_accepts_what_drives_faster(limit: float, rate: float) -> None:
    assert Filter.of(filter_of(limit)).matches(Event.of("Speed", rate=rate)) is (rate > limit)


@pytest.mark.parametrize("limit", [-1.0, 10001.0, float("nan"), float("inf")])
def test_a_limit_out_of_range_is_refused(limit: float) -> None:
    with pytest.raises(InputError, match="is not a limit from 0 to 10000"):
        check_limit(limit)


@pytest.mark.parametrize("text", ["1_0", "\u0665\u0660", "", "x", "5 0"])
def test_a_number_is_written_as_people_write_it(text: str) -> None:
    with pytest.raises(ValueError, match=r"[a-z]"):
        number(text)
