"""What an advertisement covers, and which subscriptions concern it."""

import pytest
from eventservices.siena import covers_notification, parse_filter, parse_notification, relates
from eventservices.siena.advertising import Advertised


@pytest.mark.parametrize(
    ("advertisement", "notification", "expected"),
    [
        ("rate >=0", "rate=5", True),
        ("rate >=0", "rate=-5", False),
        ("rate >=0", "", True),
        ("rate >=0 licence any", "rate=5", True),
        ("rate >=0", 'rate=5 licence="x"', False),
        ("rate <0 rate >100", "rate=-1", True),
        ("rate <0 rate >100", "rate=101", True),
        ("rate <0 rate >100", "rate=50", False),
        ('kind ="a" kind ="b" rate any', 'kind="b" rate=1', True),
        ('kind ="a" kind ="b" rate any', 'kind="c" rate=1', False),
        ("rate >=0", 'rate="5"', False),
        ('rate !=""', "rate=5", True),
        ("", "", True),
        ("", "rate=5", False),
    ],
)
def test_each_attribute_must_satisfy_one_alternative_and_be_named(
    advertisement: str, notification: str, *, expected: bool
) -> None:
    what = parse_filter(f"filter{{ {advertisement} }}")
    event = parse_notification(f"event{{ {notification} }}")
    assert covers_notification(what, event) is expected


@pytest.mark.parametrize(
    ("subscription", "advertisement", "expected"),
    [
        ("", "", True),
        ("", "rate any", True),
        ("rate >70", "rate >=0", True),
        ("rate >70", "rate <50", False),
        ("rate >70", "rate <50 rate >90", True),
        ("rate >70", "speed any", False),
        ("rate >70 kind any", "rate any", False),
        ("rate >70 rate <80", "rate any", True),
        ("rate >70 rate <80", "rate <75 rate >90", True),
        ("rate =5", "rate !=5", False),
        ("rate =5", "rate =5.0", True),
        ('rate ="5"', "rate =5", False),
        ("rate !=5", 'rate ="x"', True),
        ("rate <5", "rate >=5", False),
        ("rate <=5", "rate >=5", True),
        ("rate <=5", "rate >5", False),
        ('kind >*"ab"', 'kind >*"abc"', True),
        ('kind >*"ab"', 'kind >*"b"', False),
        ('kind *<"ab"', 'kind *<"xab"', True),
        ('kind *<"ab"', 'kind *<"xb"', False),
        ('kind >*"ab"', 'kind <"ab"', False),
        ('kind >*"ab"', 'kind <="ab"', True),
        ('kind >*"ab"', 'kind >"abz"', True),
        ('kind >*"ab"', 'kind >"b"', False),
        ('kind *"x"', 'kind >*"a"', True),
        ('kind >*"a"', "kind >5", False),
        ("rate >*5", "rate any", False),
        ("rate any", "rate >*5", False),
    ],
)
def test_a_subscription_relates_where_both_may_concern_one_notification(
    subscription: str, advertisement: str, *, expected: bool
) -> None:
    wanted = parse_filter(f"filter{{ {subscription} }}")
    advertised = parse_filter(f"filter{{ {advertisement} }}")
    assert relates(wanted, advertised) is expected


def test_advertisements_of_a_party_cover_one_by_one_and_not_together() -> None:
    advertised = Advertised()
    assert advertised.add(parse_filter("filter{ a any }"))
    assert advertised.add(parse_filter("filter{ b any }"))
    assert not advertised.add(parse_filter("filter{ b any }"))
    assert advertised.cover({"a": 1})
    assert not advertised.cover({"a": 1, "b": 1})
    assert advertised.covered_by(parse_filter("filter{ b !=1 b =1 }")) == []
    assert advertised.covered_by(parse_filter("filter{ a any c any}")) == [advertised.filters[0]]
    assert advertised.covered_by(parse_filter("filter{}")) == list(advertised.filters)
    assert advertised.remove(advertised.filters[0])
    assert not advertised.cover({"a": 1})


def test_an_attribute_without_value_counts_as_missing() -> None:
    assert covers_notification(parse_filter("filter{ a =1 }"), {"a": 1, "b": None})  # type: ignore[dict-item] # as a foreign mapping
