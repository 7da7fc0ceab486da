"""What depends on the installed adapters."""

from typing import Annotated

import msgspec
import pytest
from fes.federation import Kind, check, examine
from fes.federation.capabilities import Capabilities
from support.kinds import able


class Settings(msgspec.Struct, forbid_unknown_fields=True):
    channel: str
    depth: Annotated[int, msgspec.Meta(ge=1)] = 1


KINDS = {"cns": Kind(Settings), "steam": Kind(), "siena": Kind(), "can": able(stamps=False)}


def findings(text: str) -> list[str]:
    return [str(finding) for finding in check(examine(text, "f", {}), KINDS)]


@pytest.fixture
def good(small: str) -> str:
    return small.replace(
        "brokers: [nats]}\n  car", "brokers: [nats], settings: {channel: c}}\n  car"
    )


def test_settings_that_fit_their_kind_are_good(good: str) -> None:
    assert findings(good) == []


def test_an_unknown_kind_is_refused_with_the_likely_one(good: str) -> None:
    text = good.replace("kind: siena", "kind: sienna")
    message = "no adapter for kind 'sienna' is installed; did you mean 'siena'?"
    assert findings(text) == [f"f:11:16: event_services.city.kind: {message}"]


def test_an_unknown_kind_unlike_any_tells_the_installed_ones(good: str) -> None:
    text = good.replace("kind: siena", "kind: kafka")
    assert "installed are can, cns, siena, steam" in findings(text)[0]


def test_a_service_that_does_not_stamp_may_have_one_gateway_only(good: str) -> None:
    text = good.replace("      city: {}", "      city: {}\n      bus: {}")
    assert findings(text) == []
    text = text.replace("kind: cns", "kind: can")
    (line,) = findings(text)
    assert line.startswith("f:8:3: event_services.bus: kind 'can' does not stamp its events")
    assert line.endswith("found g1, g2")


def test_all_gateways_but_one_may_leave_to_it_what_is_not_stamped(good: str) -> None:
    """Only where the kind says that they do leave it."""
    text = good.replace("      city: {}", "      city: {}\n      bus: {settings: {stamped: true}}")

    class Stamped(Settings):
        stamped: bool = False

    def stamping(settings: Stamped) -> Capabilities:
        return Capabilities(stamps=settings.stamped)

    leaving = Kind(Stamped, stamping, stamp_setting="stamped", one_may_stamp=True)
    each_its_own = Kind(Stamped, stamping, stamp_setting="stamped")

    def told(text: str, kind: Kind) -> list[str]:
        return [str(found) for found in check(examine(text, "f", {}), {**KINDS, "cns": kind})]

    assert told(text, leaving) == []
    (line,) = told(text.replace("stamped: true", "stamped: false"), leaving)
    assert line.endswith("found g1, g2 (set stamped: true at all others of them)")
    (line,) = told(text, each_its_own)
    assert line.endswith("found g1, g2")


def test_an_unknown_setting_is_refused_at_its_place(good: str) -> None:
    text = good.replace("{channel: c}", "{channel: c, dept: 2}")
    message = "unknown key; did you mean 'depth'?"
    assert findings(text) == [f"f:8:60: event_services.bus.settings.dept: {message}"]


def test_a_missing_setting_is_refused_with_the_gateway(small: str) -> None:
    (line,) = findings(small)
    assert "event_services.bus.settings" in line
    assert "missing required field `channel`" in line
    assert "for gateway 'g1'" in line


def test_a_setting_may_come_from_the_adapter(small: str) -> None:
    text = small.replace("{mappings: [speed]}", "{mappings: [speed], settings: {channel: x}}")
    assert findings(text) == []


def test_a_wrong_setting_of_the_adapter_is_refused_at_its_place(good: str) -> None:
    text = good.replace("{mappings: [speed]}", "{mappings: [speed], settings: {depth: 0}}")
    key = "gateways.g1.adapters.bus.settings.depth"
    assert findings(text) == [f"f:15:50: {key}: expected an integer >= 1, found 0"]


def test_an_adapter_that_cannot_be_loaded_is_only_warned_of(good: str) -> None:
    kinds = {**KINDS, "siena": Kind(fault="no module")}
    (finding,) = check(examine(good, "f", {}), kinds)
    assert "warning: event_services.city.kind: its adapter cannot be loaded" in str(finding)


def test_a_mapping_rule_is_checked_where_its_form_is_known(good: str) -> None:
    class Rule(msgspec.Struct):
        subject: str

        def __post_init__(self) -> None:
            if self.subject == "FES_x":
                raise ValueError("the subject is reserved")

    text = good.replace("[{subject: Speed}]", "[{subject: Speed}, {subjet: x}, {subject: FES_x}]")
    lines = [str(finding) for finding in check(examine(text, "f", {}), KINDS, Rule)]
    assert lines == [
        "f:22:29: mappings.speed[1]: key 'subject' is missing",
        "f:22:30: mappings.speed[1].subjet: unknown key; did you mean 'subject'?",
        "f:22:42: mappings.speed[2]: the subject is reserved",
    ]
