import pytest
from eventservices.errors import MalformedError
from eventservices.steam.event import Value, check_name, check_values
from eventservices.steam.event_type import EventType, Field

SPEED = EventType("Speed", (Field("license_no", "string", 7), Field("rate", "double")))


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, None, [1], {"a": 1}, 1j])
def test_a_value_that_steam_has_no_type_for_is_refused(value: Value) -> None:
    with pytest.raises(MalformedError, match="'rate'"):
        check_values({"rate": value}, "parameter")


def test_the_borders_of_64_bits_are_values() -> None:
    values = {"least": -(2**63), "most": 2**63 - 1}
    assert check_values(values, "parameter") == values


def test_more_parameters_than_an_event_may_have_are_refused() -> None:
    with pytest.raises(MalformedError, match="1025 parameters"):
        check_values({str(number): number for number in range(1025)}, "parameter")


@pytest.mark.parametrize("name", ["", "x" * 256, "\ud800"])
def test_a_name_must_be_text_of_a_sensible_length(name: str) -> None:
    with pytest.raises(MalformedError):
        check_name(name, "subject")


def test_an_event_that_follows_its_type_passes() -> None:
    SPEED.check({"license_no": "FES0001", "rate": 83.0})


@pytest.mark.parametrize(
    "parameters",
    [
        {"rate": 83.0, "license_no": "FES0001"},
        {"license_no": "FES0001"},
        {"license_no": "FES0001", "rate": 83},
        {"license_no": "FES00011", "rate": 83.0},
    ],
)
def test_an_event_of_another_layout_is_refused(parameters: dict[str, Value]) -> None:
    with pytest.raises(MalformedError):
        SPEED.check(parameters)
