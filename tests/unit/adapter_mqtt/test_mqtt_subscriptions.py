"""Native subscriptions match no topic twice, and whatever the filters need."""

import pytest
from adapter_mqtt.settings import Settings
from fes.adapter.settings import read_settings
from fes.errors import FederationError
from fes.mapping.topics.apart import MOST_WILD, apart, join, overlap
from fes.mapping.topics.levels import MQTT, matches
from hypothesis import given
from hypothesis import strategies as st

LEVELS = st.sampled_from(("a", "b", "", "+"))
PATTERNS = st.builds(
    lambda levels, rest: "/".join([*levels, *rest]) or "a",
    st.lists(LEVELS, min_size=1, max_size=3),
    st.sampled_from(([], ["#"])),
)
TOPICS = st.lists(st.sampled_from(("a", "b", "")), min_size=1, max_size=4).map("/".join)


@given(patterns=st.lists(PATTERNS, max_size=6), topic=TOPICS)
def test_no_topic_is_matched_twice_and_none_is_lost(patterns: list[str], topic: str) -> None:
    made = apart(patterns)
    matching = [pattern for pattern in made if matches(pattern, topic, MQTT)]
    assert len(matching) <= 1
    if any(matches(pattern, topic, MQTT) for pattern in patterns):
        assert matching


@given(one=PATTERNS, other=PATTERNS, topic=TOPICS)
def test_what_is_joined_matches_whatever_both_did(one: str, other: str, topic: str) -> None:
    both = [matches(pattern, topic, MQTT) for pattern in (one, other)]
    if all(both):
        assert overlap(one, other)
    if any(both) and overlap(one, other):
        assert matches(join(one, other), topic, MQTT)


def test_too_many_become_all_of_them() -> None:
    wild = [f"{number}/+" for number in range(MOST_WILD + 1)]
    assert apart([*wild, "x", "$SYS/load"]) == ("#", "$SYS/load")


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"payload": "cloudevents-binary"}, "needs headers"),
        ({"routes": [{"topic": "a/#", "event": "A"}]}, "neither a text nor one"),
        ({"routes": [{"subject": "a", "event": "A"}]}, "subject"),
        ({"escape": "a"}, "escape"),
        ({"escape": "%"}, "escape"),
        ({"escape": "/"}, "escape"),
        ({"max_bytes": 10}, "max_bytes"),
    ],
)
def test_a_setting_that_is_not_good_is_refused(settings: dict[str, object], reason: str) -> None:
    with pytest.raises(FederationError, match=reason):
        read_settings("m", settings, Settings)
