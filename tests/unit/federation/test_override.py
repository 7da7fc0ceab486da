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


@pytest.mark.parametrize(
    "text",
    [
        *("town #2", "#1", "a: b", "- a", "'x", '"', "{x", "[x]", "{a: b}", "!!str x", "&a b"),
        *("> x", "|", "@x", "`x`", "%x", "~", "null", "true", "0012345", "1.50", "yes", "x: #"),
        *("nats://u:pa ss@h:1/ #1", "\\n", "${X}", "zürich", "a\tb"),
    ],
)
def test_the_text_of_a_variable_is_the_value_where_text_is_expected(text: str, small: str) -> None:
    """Members: a name, a plain text, a secret's place, a text in a mapping of texts."""
    environment = {
        "FES__BROKERS__NATS__URL": text,
        "FES__BROKERS__NATS__USER": text,
        "FES__BROKERS__NATS__PASSWORD_FILE": text,
        "FES__MEDIA__AIR__DESCRIPTION": text,
        "FES__APPLICATIONS__A": '{"command": ["a"]}',
        "FES__APPLICATIONS__A__ENVIRONMENT__TITLE": text,
    }
    federation = loads(small, environment)
    broker = federation.brokers["nats"]
    assert (broker.url, broker.user, broker.password_file) == (text, text, text)
    assert federation.media["air"].description == text
    assert federation.applications["a"].environment == {"title": text}


def test_the_text_of_a_variable_is_the_name_that_it_stands_for(small: str) -> None:
    assert loads(small, {"FES__SYSTEM": "town #2"}).system == "town #2"
    assert loads(small, {"FES__SYSTEM": "0012345"}).system == "0012345"


@pytest.mark.parametrize("text", ["west #7", "#bridge", "a: b", "0012", "7", "true"])
def test_a_setting_that_its_adapter_has_as_text_is_the_variables_text(
    text: str, small: str
) -> None:
    federation = loads(small, {"FES__EVENT_SERVICES__BUS__SETTINGS__CHANNEL": text})
    assert federation.event_services["bus"].settings["channel"] == text


def test_numbers_and_truth_values_are_told_by_the_keys_type(small: str) -> None:
    environment = {
        "FES__CLOCK__SPEED": " 2.5 ",
        "FES__LIMITS__FIELDS": "17",
        "FES__GATEWAYS__G1__ADAPTERS__BUS__CONTROL__RELAY": "false",
        "FES__CLOCK__START": "2026-03-01T10:00:00",
        "FES__VERSION": "1",
    }
    federation = loads(small, environment)
    assert (federation.clock.speed, federation.limits.fields) == (2.5, 17)
    assert federation.gateways["g1"].adapters["bus"].control.relay is False
    assert federation.clock.start == "2026-03-01T10:00:00"


@pytest.mark.parametrize("value", ["20 # fast", "fast", "2,5", "yes", ""])
def test_what_is_no_number_is_an_error_that_names_the_variable(value: str, small: str) -> None:
    told = refusal(small, {"FES__CLOCK__SPEED": value})
    assert told.startswith("FES__CLOCK__SPEED: clock.speed: expected a number")


def test_what_kubernetes_sets_for_a_service_is_passed_over(small: str) -> None:
    environment = {
        "FES__CLOCK_SERVICE_HOST": "10.43.7.12",
        "FES__CLOCK_SERVICE_PORT": "8090",
        "FES__CLOCK_SERVICE_PORT_HTTP": "8090",
        "FES__CLOCK_PORT": "tcp://10.43.7.12:8090",
        "FES__CLOCK_PORT_8090_TCP": "tcp://10.43.7.12:8090",
        "FES__CLOCK_PORT_8090_TCP_PROTO": "tcp",
        "FES__CLOCK_PORT_8090_TCP_PORT": "8090",
        "FES__CLOCK_PORT_8090_TCP_ADDR": "10.43.7.12",
    }
    assert loads(small, environment) == loads(small, {})


def test_a_mapping_is_read_as_yaml_without_variables(small: str) -> None:
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
        ("FES__CLOCK__SPEED", "[", "FES__CLOCK__SPEED: clock.speed: expected a number, found '['"),
        ("FES__CLOCK__SPEED", "!!int 3", "clock.speed: expected a number, found '!!int 3'"),
        ("FES__MEDIA", "[", "FES__MEDIA: media: not YAML"),
        ("FES__MEDIA", "!!map {}", "FES__MEDIA: media: tag"),
        ("FES__EVENT_SERVICES__BUS__SETTINGS", "deep", "settings: expected a mapping, found"),
        ("FES__CLOCK__SPEED", "a\udc80", "is not UTF-8"),
        (
            "FES__REQUESTS__7__FILTER",
            "x",
            "FES__REQUESTS__7__FILTER: 7 is not an item of a list of 1",
        ),
        ("FES__REQUESTS__FIRST", "x", "FIRST is not an item of a list of 1"),
        ("FES__SYSTEM__NAME", "x", "FES__SYSTEM__NAME: NAME would be inside a single value"),
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
