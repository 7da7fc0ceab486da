import pytest
from fes.federation import InvalidFederationError, loads


def refusal(text: str, environment: dict[str, str]) -> str:
    with pytest.raises(InvalidFederationError) as caught:
        loads(text, environment)
    return str(caught.value)


def test_an_override_replaces_a_value_and_a_default(small: str) -> None:
    environment = {"FES__SYSTEM": "city", "FES__CLOCK__SPEED": "20"}
    federation = loads(small, environment)
    assert federation.system == "city"
    assert federation.clock.speed == 20


def test_other_variables_change_nothing(small: str) -> None:
    assert loads(small, {"FES_SYSTEM": "x", "PATH": "y"}) == loads(small, {})


def test_a_name_is_found_without_regard_to_case_and_signs(small: str) -> None:
    text = small.replace("nats:", "nats-1:").replace("[nats]", "[nats-1]")
    federation = loads(text, {"FES__BROKERS__NATS_1__URL": "nats://127.0.0.1:4222"})
    assert federation.brokers["nats-1"].url == "nats://127.0.0.1:4222"


def test_an_exact_name_stands_before_a_similar_one(small: str) -> None:
    text = small.replace("brokers:\n", "brokers:\n  NATS: {kind: nats}\n")
    federation = loads(text, {"FES__BROKERS__nats__URL": "nats://a"})
    assert federation.brokers["nats"].url == "nats://a"


def test_a_name_that_may_mean_two_keys_is_refused(small: str) -> None:
    text = small.replace("brokers:\n", "brokers:\n  NATS: {kind: nats}\n")
    error = refusal(text, {"FES__BROKERS__Nats__URL": "nats://a"})
    assert error == "FES__BROKERS__Nats__URL: Nats may mean NATS or nats"


def test_a_value_is_read_as_yaml_without_variables(small: str) -> None:
    environment = {
        "FES__EVENT_SERVICES__BUS__SETTINGS": "{channel: '${X}', depth: 3}",
        "FES__REQUESTS__0__FILTER": "rate > 50 AND subject = 'Speed'",
    }
    federation = loads(small, environment)
    assert federation.event_services["bus"].settings == {"channel": "${X}", "depth": 3}
    assert federation.requests[0].filter == "rate > 50 AND subject = 'Speed'"


def test_a_part_that_is_not_there_is_made(small: str) -> None:
    text = small + "clock:\n"
    assert loads(text, {"FES__CLOCK__SPEED": "2"}).clock.speed == 2


def test_an_empty_value_is_empty_text(small: str) -> None:
    assert refusal(small, {"FES__SYSTEM": ""}) == "FES__SYSTEM: system: a name must not be empty"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("FES__SISTEM", "x", "FES__SISTEM: sistem: unknown key; did you mean 'system'?"),
        (
            "FES__CLOCK__SPEED",
            "0",
            "FES__CLOCK__SPEED: clock.speed: expected a number > 0.0, found 0",
        ),
        ("FES__CLOCK__SPEED", "[", "FES__CLOCK__SPEED: clock.speed: not YAML"),
        ("FES__CLOCK__SPEED", "!!int 3", "clock.speed: tag"),
        ("FES__CLOCK__SPEED", "a\udc80", "is not UTF-8"),
        ("FES__REQUESTS__7__FILTER", "x", "FES__REQUESTS__7__FILTER: 7 is no item of a list of 1"),
        ("FES__REQUESTS__FIRST", "x", "FIRST is no item of a list of 1"),
        ("FES__SYSTEM__NAME", "x", "FES__SYSTEM__NAME: NAME would stand inside a single value"),
        ("FES__", "x", "FES__: the name of the variable has an empty part"),
        ("FES__A____B", "x", "the name of the variable has an empty part"),
        ("FES__" + "A__" * 5000 + "A", "x", "more than 32 parts"),
    ],
)
def test_an_override_that_cannot_be_applied_is_named(
    name: str, value: str, expected: str, small: str
) -> None:
    assert expected in refusal(small, {name: value})


def test_an_override_makes_a_missing_key_good(small: str) -> None:
    assert loads(small.replace("system: town\n", ""), {"FES__SYSTEM": "t"}).system == "t"


def test_a_value_is_text_where_text_is_expected(small: str) -> None:
    assert loads(small, {"FES__SYSTEM": "12"}).system == "12"
