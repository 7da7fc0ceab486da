"""Names and topics: each legal name on one side has one on the other, and leads back."""

import re

import pytest
from fes.mapping.topics.levels import MQTT, NATS, Escape, Syntax, TopicNames, matches
from hypothesis import example, given
from hypothesis import strategies as st

AWKWARD = "%~./ *>+#$\t2AEF0ü"
TEXTS = st.text(st.sampled_from(AWKWARD), max_size=12) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=8
)
SYNTAXES = pytest.mark.parametrize("syntax", [NATS, MQTT], ids=lambda syntax: syntax.name)
SEPARATORS = pytest.mark.parametrize("separator", ["", ".", "/"])


def is_legal(topic: str, syntax: Syntax) -> bool:
    whole = syntax.empty_levels or all(topic.split(syntax.separator))
    return whole and not set(topic) & set(syntax.illegal)


@SYNTAXES
@SEPARATORS
@given(subject=TEXTS)
@example(subject="a..b")
@example(subject="")
@example(subject="%~.~.%%~")
@example(subject="%2A*%%2A")
@example(subject="% 2A")
def test_every_subject_has_a_legal_topic_and_comes_back(
    syntax: Syntax, separator: str, subject: str
) -> None:
    names = TopicNames(syntax, separator)
    topic = names.topic(subject)
    assert topic
    assert is_legal(topic, syntax)
    assert names.subject(topic) == subject


@SYNTAXES
@SEPARATORS
@given(text=TEXTS)
def test_every_legal_topic_has_a_subject_and_comes_back(
    syntax: Syntax, separator: str, text: str
) -> None:
    """No two topics are one subject, so that no topic is refused."""
    names = TopicNames(syntax, separator)
    topic = re.sub(f"[{re.escape(syntax.illegal)}]", "x", text)
    if not is_legal(topic, syntax):
        topic = syntax.separator.join(each or "~" for each in topic.split(syntax.separator))
    topic = topic or "~"  # no service has an empty topic
    assert names.topic(names.subject(topic)) == topic


@SYNTAXES
@given(value=TEXTS)
def test_every_value_is_one_level_and_comes_back(syntax: Syntax, value: str) -> None:
    names = TopicNames(syntax)
    level = names.level(value)
    assert syntax.separator not in level
    assert is_legal(level, syntax)
    assert names.value(level) == value


@SYNTAXES
@given(text=TEXTS)
def test_every_level_has_a_value_and_comes_back(syntax: Syntax, text: str) -> None:
    names = TopicNames(syntax)
    level = re.sub(f"[{re.escape(syntax.illegal + syntax.separator)}]", "x", text)
    if not level and not syntax.empty_levels:
        level = "~"
    assert names.level(names.value(level)) == level


@given(text=TEXTS)
def test_a_text_without_illegal_characters_and_signs_stays(text: str) -> None:
    plain = re.sub("[%*> ]", "", text)
    assert Escape("*> ").write(plain) == plain


@SYNTAXES
@given(subject=TEXTS)
def test_a_topic_matches_itself_and_is_never_a_wildcard(syntax: Syntax, subject: str) -> None:
    topic = TopicNames(syntax).topic(subject)
    other = f"{topic}x"
    assert matches(topic, topic, syntax)
    assert not matches(topic, other, syntax)


def test_a_dot_in_a_level_has_a_way_back() -> None:
    """D09."""
    names = TopicNames(NATS, "/")
    assert names.topic("spBv1.0/plant1") == "spBv1/0.plant1"
    assert names.subject("spBv1/0.plant1") == "spBv1.0/plant1"
    assert names.topic("a//b") == "a.~.b"


@pytest.mark.parametrize(
    ("pattern", "topic", "syntax", "right"),
    [
        ("sports/tennis/player1/#", "sports/tennis/player1", MQTT, True),
        ("a.>", "a", NATS, False),
        ("a.>", "a.b.c", NATS, True),
        ("home/log/#", "home/login/234/set", MQTT, False),
        ("test/6/#", "test/3", MQTT, False),
        ("#", "$SYS/broker/uptime", MQTT, False),
        ("+/#", "$SYS/broker/uptime", MQTT, False),
        ("$SYS/#", "$SYS/broker/uptime", MQTT, True),
        ("+/+", "/finance", MQTT, True),
        ("+", "/finance", MQTT, False),
        ("a.*.c", "a.b.c", NATS, True),
        ("a.*", "a.b.c", NATS, False),
    ],
)
def test_wildcards_match_level_by_level(
    pattern: str, topic: str, syntax: Syntax, *, right: bool
) -> None:
    """D11, D12, D13."""
    assert matches(pattern, topic, syntax) is right
