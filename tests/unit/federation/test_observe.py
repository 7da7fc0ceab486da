"""What the file may say of native declarations that become requests."""

import pytest
from fes.federation import Kind, check, examine, loads
from support.kinds import able

KINDS = {"cns": able(), "steam": able(observes=("announcements",)), "siena": able()}
OBSERVING = 'city: {observe: {subscriptions: "post"}}'


def findings(text: str, kinds: dict[str, Kind] = KINDS) -> list[str]:
    return [str(finding) for finding in check(examine(text, "f", {}), kinds)]


def test_nothing_is_observed_unless_it_is_written(small: str) -> None:
    federation = loads(small, {})
    assert not federation.gateways["g2"].adapters["city"].observe.on


def test_it_says_for_whom_native_subscriptions_are(small: str) -> None:
    federation = loads(small.replace("city: {}", OBSERVING), {})
    observe = federation.gateways["g2"].adapters["city"].observe
    assert observe.on
    assert (observe.subscriptions, observe.announcements) == ("post", "")
    assert (observe.lease_s, observe.limit) == (60.0, 1000)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("{subscriptions: bsu}", "'bsu' names no event service; did you mean 'bus'?"),
        ("{subscriptions: 'post,,post'}", "DistList: element 2 (column 6) is empty"),
        ("{announcements: city}", "'city' names the source, where it is never applied"),
        ("{lease_s: 1}", "expected a number >= 10.0, found 1"),
        ("{subscription: bus}", "unknown key; did you mean 'subscriptions'?"),
    ],
)
def test_what_is_wrong_is_told_at_its_place(small: str, said: str, expected: str) -> None:
    text = small.replace("city: {}", f"city: {{observe: {said}}}")
    kinds = {**KINDS, "siena": able(observes=("subscriptions", "announcements"))}
    (line,) = findings(text, kinds)
    assert "gateways.g2.adapters.city.observe" in line
    assert expected in line


def test_what_a_kind_shows_nobody_cannot_be_observed(small: str) -> None:
    (line,) = findings(small.replace("city: {}", OBSERVING))
    assert line.endswith("kind 'siena' shows nobody its subscriptions")


def test_the_refusal_tells_what_can_be_observed_instead(small: str) -> None:
    text = small.replace(
        "relay: false}}\n      city", "relay: false}, observe: {subscriptions: city}}\n      city"
    )
    (line,) = findings(text)
    assert line.endswith("kind 'steam' shows nobody its subscriptions; it shows announcements")
