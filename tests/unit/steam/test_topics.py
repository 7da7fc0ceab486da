import pytest
from eventservices.steam.topics import ANY, Topics, encode_level, subject_level, wildcards


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("Speed", "Speed"),
        ("a b", "a%20b"),
        ("*.>", "%2A%2E%3E"),
        ("+/#", "%2B%2F%23"),
        ("$SYS", "%24SYS"),
        ("~", "%7E"),
        ("Straße", "Stra%C3%9Fe"),
        ("\n\0%", "%0A%00%25"),
    ],
)
def test_a_level_holds_nothing_that_a_broker_takes_for_special(text: str, level: str) -> None:
    assert encode_level(text) == level


def test_different_subjects_have_different_levels() -> None:
    assert encode_level("a%20b") != encode_level("a b")


def test_a_topic_names_air_kind_cell_and_subject() -> None:
    topic = Topics("my air").of("event", (17, 4), encode_level("a/b"))
    assert topic == "my%20air/event/17_4/a%2Fb"
    assert subject_level(topic) == "a%2Fb"


def test_the_filters_with_a_wildcard_take_in_their_topics() -> None:
    topics = Topics("air")
    topic = topics.of("beacon", (17, 4), "Speed")
    assert wildcards(topic) == (topics.of("beacon", (17, 4), ANY), topics.everywhere("beacon"))
