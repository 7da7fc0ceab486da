import pytest
from fes.federation.file.scalar import plain_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("FALSE", False),
        ("0", 0),
        ("-17", -17),
        ("0x10", 16),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("9223372036854775807", 2**63 - 1),
    ],
)
def test_numbers_truth_values_and_nothing_have_their_meaning(text: str, value: object) -> None:
    found = plain_value(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "text",
    ["yes", "no", "on", "off", "y", "012", "1:30", "1_000", "2026-01-01", ".inf", ".nan", "0o7",
     "-0x1", "٣", "1e", "007.5e"],
)  # fmt: skip
def test_what_would_surprise_stays_text(text: str) -> None:
    assert plain_value(text) == text


@pytest.mark.parametrize(
    "text", ["9223372036854775808", "-9223372036854775809", "1e400", "9" * 5000]
)
def test_a_number_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"does not fit|out of range"):
        plain_value(text)
