import pytest
from fes.federation import loads
from fes.federation.file.interpolate import interpolate
from fes.federation.model import Http


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${A}", "alpha"),
        ("x${A}y${A}", "xalphayalpha"),
        ("${A:-b}", "alpha"),
        ("${N:-b}", "b"),
        ("${EMPTY:-b}", "b"),
        ("${EMPTY}", ""),
        ("${N:-}", ""),
        ("${N:-a:-b}", "a:-b"),
        ("$${A}", "${A}"),
        ("$$${A}", "$${A}"),
        ("$${${A}}", "${alpha}"),
        ("$${$${A}", "${${A}"),
        ("$A and $ and {A}", "$A and $ and {A}"),
        ("${A}$", "alpha$"),
    ],
)
def test_variables_are_replaced(text: str, expected: str) -> None:
    assert interpolate(text, {"A": "alpha", "EMPTY": ""}) == expected


def test_a_value_is_not_interpolated_again() -> None:
    assert interpolate("${A}", {"A": "${B}", "B": "b"}) == "${B}"


@pytest.mark.parametrize("text", ["${N}", "${", "${}", "${1A}", "${A-b}", "${A", "${A:b}"])
def test_what_is_no_variable_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected|not set"):
        interpolate(text, {"A": "a"})


@pytest.mark.parametrize("port", ["${PORT:-8080}", "'${PORT:-8080}'", '"${PORT:-8080}"'])
def test_a_number_may_come_from_a_variable_quoted_or_not(port: str, small: str) -> None:
    text = small + f"http:\n  port: {port}\n"
    assert loads(text, {}).http == Http(port=8080)
    assert loads(text, {"PORT": "9090"}).http == Http(port=9090)


@pytest.mark.parametrize("system", ["${S}", "'${S}'", '"${S}"'])
def test_a_variable_is_text_where_text_is_expected(system: str, small: str) -> None:
    assert loads(small.replace("town", system), {"S": "012"}).system == "012"
    assert loads(small.replace("town", system), {"S": "12"}).system == "12"


def test_a_variable_of_an_application_is_text(small: str) -> None:
    text = small + "applications: {a: {command: [a], environment: {PORT: '${PORT}'}}}\n"
    application = loads(text, {"PORT": "80"}).applications["a"]
    assert application.environment == {"PORT": "80"}


def test_quoted_text_with_a_variable_in_it_stays_text(small: str) -> None:
    text = small.replace("[nats]}\n  car", "[nats], settings: {x: '1${N}', y: '12'}}\n  car")
    settings = loads(text, {"N": "2"}).event_services["bus"].settings
    assert settings == {"x": "12", "y": "12"}


def test_a_value_cannot_add_structure(small: str) -> None:
    federation = loads(small.replace("town", "${S}"), {"S": "a: {b: c}"})
    assert federation.system == "a: {b: c}"
