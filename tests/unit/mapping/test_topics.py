"""Filters as subjects of NATS, topics of MQTT and identifiers of a CAN bus."""

from pathlib import Path
from typing import Any

import pytest
from fes.filter import parse
from fes.mapping import Mapping, NameRule, load_rules
from fes.mapping.inversion.subjects import wanted
from fes.mapping.topics.patterns import mqtt_topics, nats_subjects

RULES: list[dict[str, Any]] = [
    {
        "native": {"can_id": 12345, "extended": True},
        "subject": "Speed",
        "parameters": {"rate": {"bytes": [7, 7], "type": "double"}},
    },
    {"native": {"subject": "car/pos"}, "subject": "Place", "direction": "in"},
    {"native": {"subject": "bus/pos"}, "subject": "Place", "direction": "in"},
    {"native": {"can_id": 7}, "subject": "Only", "direction": "out", "parameters": {}},
]


def mapping(*, automatic: bool = True) -> Mapping:
    return Mapping(load_rules(RULES, Path()), automatic=automatic)


TOPICS = [
    ("subject = 'a.b'", ("a.b",), ("a.b",)),
    ("subject = 'a/b' AND rate > 3", ("a/b",), ("a/b",)),
    ("subject IN ('a', 'b.c')", ("a", "b.c"), ("a", "b.c")),
    ("subject STARTS WITH 'a.b.'", ("a.b.>",), ("#",)),
    ("subject STARTS WITH 'a/b/'", (">",), ("a/b/#",)),
    ("subject STARTS WITH 'a.b'", ("a.>",), ("#",)),
    ("subject LIKE 'a/b_/c'", (">",), ("a/#",)),
    ("subject LIKE '$SYS/%' OR rate > 3", (">",), ("#",)),
    ("subject STARTS WITH '$SYS/' OR subject CONTAINS 'x'", (">",), ("#", "$SYS/#")),
    ("rate > 3", (">",), ("#",)),
    ("subject <> 'a'", (">",), ("#",)),
    ("subject = 'a b'", (), ("a b",)),
    ("subject = 'a..b'", (), ("a..b",)),
    ("subject = 'a/#'", ("a/#",), ()),
    ("subject = 'a.*'", (), ("a.*",)),
    ("subject = 'a' AND subject = 'b'", (), ()),
    ("FALSE", (), ()),
]


@pytest.mark.parametrize(("text", "nats", "mqtt"), TOPICS)
def test_a_filter_becomes_topics(text: str, nats: tuple[str, ...], mqtt: tuple[str, ...]) -> None:
    found = wanted(parse(text), Mapping(()))
    assert nats_subjects(found.subjects) == nats
    assert mqtt_topics(found.subjects) == mqtt


def test_what_of_the_filter_is_left_is_told() -> None:
    (reason,) = wanted(parse("Speed = TRUE AND subject = 'a'"), Mapping(())).widened
    assert reason.startswith("Speed = TRUE is not applied")


def test_a_subject_that_several_rules_make_is_sought_under_all_their_subjects() -> None:
    found = wanted(parse("Place"), mapping(automatic=False))
    assert mqtt_topics(found.subjects) == ("car/pos", "bus/pos")
    assert found.frames == frozenset()


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ("Speed", {(12345, True)}),
        ("subject STARTS WITH 'S' AND rate > 3", {(12345, True)}),
        ("rate > 3", {(12345, True)}),
        ("Place", set()),
        ("Only", set()),
    ],
)
def test_a_filter_becomes_identifiers_of_frames(text: str, frames: set[tuple[int, bool]]) -> None:
    assert wanted(parse(text), mapping()).frames == frames


def test_names_that_a_service_writes_otherwise_are_sought_as_it_writes_them() -> None:
    rule = NameRule(illegal="-", escape="_", subjects=True)
    escaped = Mapping((), rule)
    assert mqtt_topics(wanted(parse("subject = 'a-b'"), escaped).subjects) == ("a_2D_b",)
    assert mqtt_topics(wanted(parse("subject LIKE 'a-%'"), escaped).subjects) == ("#",)
    folded = Mapping((), NameRule(case="lower", subjects=True))
    assert mqtt_topics(wanted(parse("subject = 'a'"), folded).subjects) == ("#",)
