"""Each malformed file is refused with the line, the key and the reason."""

from typing import NamedTuple

import pytest
from fes.federation import InvalidFederationError, loads


class Case(NamedTuple):
    old: str
    new: str
    expected: str


# What replaces what in the good file; then the finding.
CASES = {
    "unknown top key": Case(
        "media:", "medias:", "f:3:1: medias: unknown key; did you mean 'media'?"
    ),
    "unknown nested key": Case(
        "medium: air}\n  post",
        "medum: air}\n  post",
        "f:9:39: event_services.car.medum: unknown key; did you mean 'medium'?",
    ),
    "missing key": Case("system: town\n", "", "f:1:1: key 'system' is missing"),
    "missing nested key": Case(
        "nats: {kind: nats}", "nats: {}", "f:5:3: brokers.nats: key 'kind' is missing"
    ),
    "version of the future": Case("version: 1", "version: 2", "f:1:10: version: expected 1, found"),
    "version as text": Case("version: 1", "version: '1'", "f:1:10: version: expected 1, found '1'"),
    "version as truth value": Case(
        "version: 1", "version: true", "version: expected 1, found True"
    ),
    "mapping for a scalar": Case(
        "town", "{a: b}", "f:2:1: system: expected a name, found a mapping"
    ),
    "scalar for a mapping": Case(
        "{air: {}}", "air", "f:3:8: media: expected a mapping, found 'air'"
    ),
    "nothing for a mapping": Case(
        "{kind: mqtt}", "", "f:6:8: brokers.mqtt: expected a mapping, found nothing"
    ),
    "scalar for a list": Case(
        "brokers: [nats]}\n  car",
        "brokers: nats}\n  car",
        "f:8:29: event_services.bus.brokers: expected a list, found 'nats'",
    ),
    "speed of zero": Case(
        "media:",
        "clock: {speed: 0}\nmedia:",
        "f:3:16: clock.speed: expected a number > 0.0, found 0",
    ),
    "speed as text": Case(
        "media:", "clock: {speed: fast}\nmedia:", "clock.speed: expected a number, found 'fast'"
    ),
    "infinite speed": Case(
        "media:", "clock: {speed: .inf}\nmedia:", "clock.speed: expected a number, found '.inf'"
    ),
    "speed beyond doubles": Case(
        "media:",
        "clock: {speed: 1e999}\nmedia:",
        "f:3:16: clock.speed: number 1e999 is out of range",
    ),
    "start that is no moment": Case(
        "media:",
        "clock: {start: yesterday}\nmedia:",
        "f:3:16: clock.start: 'yesterday' is not a moment in ISO 8601",
    ),
    "integer beyond 64 bit": Case(
        "media:",
        "limits: {fields: 99999999999999999999999999}\nmedia:",
        "limits.fields: integer 999999999999999999999999… does not fit 64 bit",
    ),
    "limit above its maximum": Case(
        "media:",
        "limits: {event_bytes: 1048577}\nmedia:",
        "f:3:23: limits.event_bytes: expected an integer <= 1048576, found 1048577",
    ),
    "old boolean": Case(
        "relay: false}}\n  g2", "relay: no}}\n  g2", "expected true or false, found 'no'"
    ),
    "comma in a name": Case(
        "g1:\n", "'g,1':\n", "f:13:3: gateways.g,1: name 'g,1' contains ',', which means something"
    ),
    "wildcard in a name": Case("system: town", "system: t*n", "system: name 't*n' contains '*'"),
    "space around a name": Case(
        "system: town", "system: ' town'", "has a space before or after it"
    ),
    "long name": Case("town", "t" * 129, "f:2:9: system: a name has 129 characters, more than 128"),
    "a folder as a name": Case("town", "..", "system: name '..' means a folder"),
    "empty name": Case("town", "''", "f:2:9: system: a name must not be empty"),
    "duplicate key": Case(
        "  mqtt: {kind: mqtt}",
        "  mqtt: {kind: mqtt}\n  nats: {kind: nats}",
        "f:7:3: brokers.nats: the key occurs twice (first in line 5)",
    ),
    "key that is a number": Case(
        "  nats: {kind: nats}", "  1: {kind: nats}", "f:5:3: brokers: key 1 is not text"
    ),
    "key that is a list": Case(
        "  nats: {kind: nats}", "  [a]: {kind: nats}", "f:5:3: brokers: a key must be text"
    ),
    "merge key": Case(
        "  nats: {kind: nats}", "  <<: {kind: nats}", "f:5:3: brokers: merge keys are not read"
    ),
    "tag": Case(
        "town",
        "!!python/name:os.system x",
        "f:2:9: system: tag 'tag:yaml.org,2002:python/name:os.system'",
    ),
    "harmless tag": Case(
        "town", "!!str town", "f:2:9: system: tag 'tag:yaml.org,2002:str' is not read"
    ),
    "tab": Case(
        "  nats: {kind: nats}", "\tnats: {kind: nats}", "f:5:1: not YAML: a tab is used where"
    ),
    "bracket left open": Case(
        "media: {air: {}}", "media: {air: {}", "not YAML: did not find expected ',' or '}'"
    ),
    "two documents": Case("media:", "---\nmedia:", "f:3:1: not YAML: but found another document"),
    "control character": Case(
        "town", "to\x01wn", "f:2:11: not YAML: control characters are not allowed"
    ),
    "alias without anchor": Case("town", "*other", "f:2:9: not YAML: found undefined alias"),
    "alias inside its anchor": Case(
        "media: {air: {}}",
        "media: &m {air: *m}",
        "media.air: an alias is used inside its own anchor",
    ),
    "undefined variable": Case(
        "town", "${TOWN}", "f:2:9: system: variable TOWN is not set and has no default"
    ),
    "variable left open": Case(
        "town", "'${TOWN'", "system: expected ${NAME} or ${NAME:-default}, found '${TOWN'"
    ),
    "variable in a key": Case(
        "nats: {kind: nats}",
        "'${N:-nats}': {kind: nats}",
        "brokers: variables are allowed in values",
    ),
    "unknown request type": Case(
        "type: subscription",
        "type: subscribe",
        "requests[0].type: expected announcement or unannouncement or subscription or"
        " unsubscription,"
        " found 'subscribe'; did you mean 'subscription'?",
    ),
    "publication in the file": Case(
        "type: subscription", "type: publication", "found 'publication'"
    ),
    "unknown control event": Case(
        "accept: []",
        "accept: [publish]",
        "gateways.g1.adapters.car.control.accept[0]: expected announcement",
    ),
    "gateway without adapters": Case(
        "    adapters:\n      post: {control: {accept: [], relay: false}}\n      city: {}",
        "    adapters: {}",
        "f:18:5: gateways.g2.adapters: must not be empty",
    ),
    "port out of range": Case(
        "media:", "http: {port: 70000}\nmedia:", "http.port: expected an integer <= 65535"
    ),
    "empty command": Case(
        "media:",
        "applications: {app: {command: []}}\nmedia:",
        "applications.app.command: must not be empty",
    ),
    "number in the environment": Case(
        "media:",
        "applications: {app: {command: [x], environment: {PORT: 1}}}\nmedia:",
        "applications.app.environment.PORT: expected text, found 1",
    ),
    # What refers to nothing, or contradicts itself.
    "unknown broker": Case(
        "[nats]}\n  car",
        "[nat]}\n  car",
        "f:8:30: event_services.bus.brokers[0]: there is no broker 'nat'; did you mean 'nats'?",
    ),
    "broker twice": Case(
        "[nats]}\n  car",
        "[nats, nats]}\n  car",
        "event_services.bus.brokers: a broker is listed twice",
    ),
    "unknown medium": Case(
        "medium: air}\n  post",
        "medium: ether}\n  post",
        "event_services.car.medium: there is no medium 'ether'",
    ),
    "unknown event service": Case(
        "      city: {}",
        "      citi: {}",
        "f:20:7: gateways.g2.adapters.citi: there is no event service 'citi'; did you mean 'city'?",
    ),
    "unknown mapping": Case(
        "[speed]}",
        "[sped]}",
        "gateways.g1.adapters.bus.mappings[0]: there is no mapping 'sped'; did you mean 'speed'?",
    ),
    "no control on a medium": Case(
        "car: {control: {accept: [], relay: false}}",
        "car: {}",
        "f:16:7: gateways.g1.adapters.car.control: on a medium, control must specify "
        "accept and relay",
    ),
    "half a control on a medium": Case(
        "car: {control: {accept: [], relay: false}}",
        "car: {control: {accept: []}}",
        "gateways.g1.adapters.car.control: on a medium, control must specify relay",
    ),
    "unknown gateway in a request": Case(
        "gateway: g1",
        "gateway: g9",
        "requests[0].gateway: there is no gateway 'g9'; there are g1, g2",
    ),
    "unknown source": Case(
        "source: car",
        "source: cart",
        "requests[0].source: there is no event service 'cart'; did you mean 'car'?",
    ),
    "unknown destination": Case(
        "dist_list: bus",
        "dist_list: buss",
        "requests[0].dist_list: 'buss' names no event service; did you mean 'bus'?",
    ),
    "destination left out": Case(
        "dist_list: bus", "dist_list: 'bus,'", "requests[0].dist_list: DistList: element 2"
    ),
    "blank distribution list": Case(
        "dist_list: bus", "dist_list: ' '", "requests[0].dist_list: DistList names nobody"
    ),
    "subscription without a filter": Case(
        ", filter: \"subject = 'Speed'\"",
        "",
        "f:24:5: requests[0]: key 'filter' is missing, which type subscription needs",
    ),
    "subscription with an event": Case(
        ", filter:",
        ", event: {subject: Speed}, filter:",
        "requests[0].event: it does not belong to type subscription",
    ),
    "announcement without an event": Case(
        "type: subscription",
        "type: announcement",
        "key 'event' is missing, which type announcement",
    ),
    "broken event": Case(
        "type: subscription",
        "type: announcement, event: {subject: 1}",
        "f:24:39: requests[0].event: event.subject: expected a string",
    ),
    "broken filter": Case(
        "'Speed'\"}",
        '"}',
        "f:24:76: requests[0].filter: expected a value, found the end of the filter",
    ),
    "broker that cannot be started": Case(
        "mqtt: {kind: mqtt}",
        "mqtt: {kind: mqt}",
        "brokers.mqtt.kind: only nats and mqtt can be started without a url; did you mean 'mqtt'?",
    ),
    "event service named like a gateway": Case(
        "  g1:", "  bus:", "gateways.bus: an event service has the same name"
    ),
    "application after itself": Case(
        "media:",
        "applications: {a: {command: [x], after: [b]}, b: {command: [y], after: [a]}}\nmedia:",
        "applications.a.after: it would have to start after itself",
    ),
    "application after nobody": Case(
        "media:",
        "applications: {a: {command: [x], after: [b]}}\nmedia:",
        "applications.a.after[0]: there is no application 'b'",
    ),
}


def refusal(text: str | bytes) -> str:
    with pytest.raises(InvalidFederationError) as caught:
        loads(text, {}, "f")
    return str(caught.value)


@pytest.mark.parametrize("name", CASES)
def test_a_malformed_file_is_refused_with_line_key_and_reason(name: str, small: str) -> None:
    case = CASES[name]
    assert small.count(case.old) >= 1
    assert case.expected in refusal(small.replace(case.old, case.new, 1))


def test_the_file_that_the_cases_start_from_is_good(small: str) -> None:
    assert loads(small, {}).system == "town"


def test_everything_that_is_wrong_is_told_at_once_in_the_order_of_the_file(small: str) -> None:
    text = (
        small.replace("town", "''").replace("kind: mqtt", "kinds: mqtt").replace("g1, t", "'', t")
    )
    lines = refusal(text).splitlines()
    assert [line.split(": ")[1] for line in lines] == [
        "system",
        "brokers.mqtt",
        "brokers.mqtt.kinds",
        "requests[0].gateway",
    ]


def test_the_error_carries_the_first_finding(small: str) -> None:
    with pytest.raises(InvalidFederationError) as caught:
        loads(small.replace("town", "''"), {}, "f")
    error = caught.value
    assert (error.file, error.key, error.reason) == ("f", "system", "a name must not be empty")
    assert error.place is not None
    assert (error.place.line, error.place.column) == (2, 9)


def test_an_adapter_identifier_that_two_adapters_would_have_is_refused() -> None:
    text = (
        "version: 1\nsystem: s\n"
        "event_services: {c: {kind: k}, b.c: {kind: k}}\n"
        "gateways: {a.b: {adapters: {c: {}}}, a: {adapters: {b.c: {}}}}\n"
    )
    message = "adapter would be called 'a.b.c', like the adapter of gateway 'a.b' to 'c'"
    assert f"f:4:53: gateways.a.adapters.b.c: {message}" in refusal(text)


def test_an_empty_file_is_refused() -> None:
    assert refusal("# nothing\n") == "f: the file is empty"


def test_a_file_that_is_a_list_is_refused() -> None:
    assert refusal("- 1\n") == "f:1:1: expected a mapping, found a list"


def test_invalid_utf8_is_refused_with_its_place(small: str) -> None:
    assert refusal(small.encode().replace(b"town", b"to\xffwn")) == "f:2:11: byte 0xff is not UTF-8"


def test_columns_count_characters_not_bytes(small: str) -> None:
    assert refusal(small.encode().replace(b"town", b"t\xc3\xb6\xffwn")).startswith("f:2:11: byte")
    assert refusal(small.replace("town", "tö\x01wn")).startswith("f:2:11: not YAML: control")


def test_a_lone_surrogate_is_refused(small: str) -> None:
    assert "is not UTF-8" in refusal(small.replace("town", "to\ud800wn"))


def test_a_file_above_one_mebibyte_is_refused(small: str) -> None:
    assert "more than 1048576" in refusal(small + "#" * 1024 * 1024)


def test_aliases_that_multiply_are_refused(small: str) -> None:
    bomb = "x0: &x0 [a, a, a, a, a, a, a, a, a, a]\n"
    for level in range(1, 9):
        bomb += f"x{level}: &x{level} [{', '.join([f'*x{level - 1}'] * 10)}]\n"
    assert "aliases add more than 10000 values" in refusal(small + bomb)


@pytest.mark.parametrize("depth", [33, 900, 100_000])
def test_values_nested_too_deeply_are_refused(depth: int, small: str) -> None:
    text = refusal(small + f"x: {'[' * depth}{']' * depth}\n")
    assert "nested deeper than 32" in text or "exceeded maximum nesting depth" in text
