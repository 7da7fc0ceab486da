"""The judge's own reading of distribution lists, areas and filters."""

import pytest
from analytics.area import Area, parse_area
from analytics.inputs.distribution import names
from analytics.inputs.static_filters import readable


@pytest.mark.parametrize(
    ("dist_list", "service", "named"),
    [
        ("steam-m-M01", "steam-m-M01", True),
        ("steam-m-M01", "steam-m-M012", False),
        (" siena-m , cns-v-* ", "cns-v-FES0001", True),
        ("cns-v-?", "cns-v-12", False),
        ("cns-v-??", "cns-v-12", True),
        ("a.c", "abc", False),
        ("", "abc", False),
        ("STEAM-m-M01", "steam-m-M01", False),
    ],
)
def test_a_distribution_list_names_services(dist_list: str, service: str, named: bool) -> None:  # noqa: FBT001 - a table's column
    assert names(dist_list, service) is named


def test_a_circle_is_read() -> None:
    assert parse_area("0,1,0,0,300") == Area(relative=True, lat=0.0, lon=0.0, radius_m=300.0)
    assert parse_area("0, 0, 50.5, 11, 20") == Area(
        relative=False, lat=50.5, lon=11.0, radius_m=20.0
    )


@pytest.mark.parametrize("text", ["", "1,1,0,0,5,5", "0,2,0,0,5", "0,1,0,0", "0,1,a,0,5"])
def test_what_is_no_circle_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"circle|float"):
        parse_area(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("subject = 'Speed'", True),
        ("subject = 'Speed' AND rate >= 30.5", True),
        ("license_no <> 'it''s' and rate<7", True),
        ("Speed", True),
        ("rate > 1 OR rate < 2", False),
        ("@Priority > 1", False),
        ("java_method('java.lang.System', 'exit')", False),
        ("", False),
    ],
)
def test_only_conjunctions_of_comparisons_are_readable(text: str, expected: bool) -> None:  # noqa: FBT001 - a table's column
    assert readable(text) is expected
