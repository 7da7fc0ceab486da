"""Topics that are asked for bring all that a filter accepts, as brokers match them."""

import itertools

import pytest
from fes.filter import Filter, parse
from fes.mapping import Mapping
from fes.mapping.inversion.subjects import wanted
from fes.mapping.topics.patterns import mqtt_topics, nats_subjects
from fes.model import Event

LEVELS = ("", "foo", "bar", "$SYS", "a.b", "a b")
SUBJECTS = [
    "/".join(levels) for depth in (1, 2, 3) for levels in itertools.product(LEVELS, repeat=depth)
]
FILTERS = [
    "subject = 'foo'",
    "subject = 'foo' OR subject STARTS WITH 'foo/'",
    "subject STARTS WITH 'foo'",
    "subject STARTS WITH 'foo/'",
    "subject LIKE 'foo/%'",
    "subject LIKE '%/foo'",
    "subject IN ('/foo', 'foo/', 'foo//bar')",
    "subject STARTS WITH '$SYS/'",
    "subject LIKE '$SYS/%' OR subject = 'foo'",
    "NOT subject = 'foo'",
    "rate > 3",
]


def reaches(topic: list[str], filter_: list[str]) -> bool:
    """Tell whether a broker brings a topic to who asked for a filter; `foo/#` brings `foo` too.

    Source:
        MQTT 3.1.1, section 4.7.
    """
    if topic[0].startswith("$") and filter_[0] in ("+", "#"):
        return False
    for place, level in enumerate(filter_):
        if level == "#":
            return True
        if place >= len(topic) or level not in ("+", topic[place]):
            return False
    return len(topic) == len(filter_)


def test_the_matching_of_this_test_is_the_brokers() -> None:
    assert reaches(["foo"], ["foo", "#"])
    assert reaches(["foo", ""], ["foo", "+"])
    assert not reaches(["foo"], ["foo", "+"])
    assert not reaches(["$SYS", "x"], ["#"])
    assert reaches(["$SYS", "x"], ["$SYS", "#"])


@pytest.mark.parametrize("text", FILTERS)
def test_every_subject_that_a_filter_accepts_is_brought_over_mqtt(text: str) -> None:
    """Topics that begin with `$` are the broker's own: who names their first level has them."""
    accepts = Filter.of(text).matches
    topics = mqtt_topics(wanted(parse(text), Mapping(())).subjects)
    missed = [
        subject
        for subject in SUBJECTS
        if subject
        and (not subject.startswith("$") or "'$SYS/" in text)
        and accepts(Event.of(subject, rate=4.0))
        and not any(reaches(subject.split("/"), topic.split("/")) for topic in topics)
    ]
    assert missed == []


@pytest.mark.parametrize("text", FILTERS)
def test_every_subject_that_a_filter_accepts_is_brought_over_nats(text: str) -> None:
    accepts = Filter.of(text).matches
    asked = nats_subjects(wanted(parse(text), Mapping(())).subjects)
    dotted = [subject.replace("/", ".").replace(" ", "_") for subject in SUBJECTS]
    legal = [subject for subject in dotted if all(subject.split("."))]
    missed = [
        subject
        for subject in legal
        if accepts(Event.of(subject, rate=4.0))
        and not any(_nats(subject.split("."), each.split(".")) for each in asked)
    ]
    assert missed == []


def _nats(subject: list[str], pattern: list[str]) -> bool:
    for place, part in enumerate(pattern):
        if part == ">":
            return place < len(subject)
        if place >= len(subject) or part not in ("*", subject[place]):
            return False
    return len(subject) == len(pattern)
