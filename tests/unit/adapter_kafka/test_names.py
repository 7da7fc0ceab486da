"""Names in the alphabet of Kafka."""

import re

import pytest
from fes.errors import MappingError
from fes.mapping.topics import kafka as names
from hypothesis import given
from hypothesis import strategies as st

ODD = st.text(st.sampled_from("a_x20.-é% AF7E"), min_size=1, max_size=20)
LEGAL = re.compile(r"[A-Za-z0-9._-]+")


@given(ODD | st.text(min_size=1, max_size=20))
def test_each_name_has_one_form_and_comes_back(topic: str) -> None:
    if topic in (".", "..") or any(0xD800 <= ord(char) < 0xE000 for char in topic):
        return
    name = names.write(topic)
    assert LEGAL.fullmatch(name)
    assert names.read(name) == topic


@given(st.from_regex(LEGAL, fullmatch=True).filter(lambda name: name not in (".", "..")))
def test_each_topic_of_kafka_is_a_name_that_leads_back(name: str) -> None:
    if len(name) <= names.LONGEST:
        assert names.write(names.read(name)) == name


def test_what_is_no_topic_is_refused() -> None:
    for topic in ("", ".", "..", "x" * 250):
        with pytest.raises(MappingError):
            names.write(topic)


@pytest.mark.parametrize(
    ("pattern", "topic", "matches"),
    [
        ("sensors.*.t", "sensors.hall.t", True),
        ("sensors.*.t", "sensors.hall.x.t", False),
        ("sensors.>", "sensors.hall.x", True),
        ("sensors.>", "sensors2.hall", False),
        ("a b.>", "a_x20-b.c", True),
    ],
)
def test_a_subscription_matches_level_by_level(pattern: str, topic: str, *, matches: bool) -> None:
    """D12."""
    assert bool(re.match(names.subscription(pattern), topic)) is matches
