"""Frames, names and values of JMS by STOMP."""

import math

import pytest
from eventservices.errors import MalformedError
from eventservices.jms.message import read_message
from eventservices.jms.names import is_property
from eventservices.jms.properties import PropertyType, Value, read_property, write_property


def test_a_frame_is_a_message_from_a_destination() -> None:
    frame = {"destination": "/queue/a.b/c", "message-id": "ID:h-1:1:1:1", "subscription": "s1"}
    message = read_message(frame, b"body")
    assert (message.kind, message.name, message.body) == ("queue", "a.b/c", b"body")
    assert (message.id, message.subscription) == ("ID:h-1:1:1:1", "s1")
    assert message.size == 4 + sum(len(name) + len(text) for name, text in frame.items())


def test_what_is_no_header_of_the_frame_is_a_property() -> None:
    frame = {"destination": "/topic/a", "content-type": "text/plain", "priority": "4", "rate": "1"}
    message = read_message(frame, b"")
    assert (message.properties, message.content_type) == ({"rate": "1"}, "text/plain")


@pytest.mark.parametrize("frame", [{}, {"destination": "a"}, {"destination": "/temp-queue/a"}])
def test_a_frame_from_no_topic_and_no_queue_is_malformed(frame: dict[str, str]) -> None:
    with pytest.raises(MalformedError, match="neither a topic nor a queue"):
        read_message(frame, b"")


@pytest.mark.parametrize("name", ["rate", "_x", "$1", "JMSXGroupID", "types", "FES_Stamp"])
def test_an_identifier_is_the_name_of_a_property(name: str) -> None:
    assert is_property(name)


@pytest.mark.parametrize(
    "name",
    ["", "a b", "1st", "é", "JMSType", "jmsType", "Like", "XPATH", "type", "Receipt", "amq-x"],
)
def test_a_word_of_jms_and_stomp_is_not_the_name_of_a_property(name: str) -> None:
    assert not is_property(name)


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("string", "a\nb", "a\nb"),
        ("boolean", True, "true"),
        ("boolean", False, "false"),
        ("byte", -(2**31), "-2147483648"),
        ("int", 2**31 - 1, "2147483647"),
        ("long", -(2**63), "-9223372036854775808"),
        ("double", 46.5, "46.5"),
        ("double", math.inf, "Infinity"),
        ("float", -math.inf, "-Infinity"),
    ],
)
def test_a_value_is_a_property_of_its_type_and_comes_back(
    kind: PropertyType, value: Value, text: str
) -> None:
    assert write_property(value, kind) == text
    assert read_property("p", kind, text) == value


def test_what_is_not_a_number_comes_back() -> None:
    assert write_property(math.nan, "double") == "NaN"
    found = read_property("p", "double", "NaN")
    assert isinstance(found, float)
    assert math.isnan(found)


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [("double", 2**53, "9007199254740992"), ("float", -3, "-3")],
)
def test_an_integer_that_is_a_double_may_be_one(kind: PropertyType, value: int, text: str) -> None:
    assert write_property(value, kind) == text


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("string", 1),
        ("string", "a\0b"),
        ("boolean", 1),
        ("boolean", "true"),
        ("int", True),
        ("int", 2**31),
        ("int", 1.0),
        ("long", 2**63),
        ("double", 2**53 + 1),
        ("double", True),
        ("double", "1"),
        ("string", b"x"),
        ("long", b"1"),
    ],
)
def test_a_value_that_its_type_cannot_represent_is_no_property(
    kind: PropertyType, value: object
) -> None:
    assert write_property(value, kind) is None


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("boolean", "1"),
        ("int", "2147483648"),
        ("int", "1.0"),
        ("long", "9223372036854775808"),
        ("long", "1" * 10_000),
        ("double", "x"),
        ("double", "infinity"),
        ("double", "1_0"),
        ("double", "1" * 10_000),
    ],
)
def test_a_text_that_is_not_of_its_type_is_malformed(kind: PropertyType, text: str) -> None:
    with pytest.raises(MalformedError, match=f"property 'p': .* is not a {kind}"):
        read_property("p", kind, text)
