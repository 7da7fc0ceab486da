"""What went is remembered for longer than it may come again."""

import pytest
from fes.federation import Federation, Kind, check, examine, installed_kinds
from fes.federation.checks import marks
from fes.gateway.custody import transfer as carrying
from support.kinds import able

STORE = able(redelivers_s=30.0, deduplicates_s=120.0)
KINDS = {"cns": STORE, "steam": able(), "siena": able()}


def findings(text: str, kinds: dict[str, Kind] = KINDS) -> list[str]:
    return [str(finding) for finding in check(examine(text, "f", {}), kinds)]


@pytest.fixture
def keeping(small: str) -> str:
    """The same federation, its bus kept by a store; `limits` is its last line."""
    bus = "bus: {kind: cns, brokers: [nats]"
    return small.replace(bus, f"{bus}, settings: {{persistent: true}}") + "limits: {}\n"


def limited(text: str, limits: str) -> str:
    return text.replace("limits: {}", f"limits: {{{limits}}}")


def test_the_defaults_are_good(keeping: str) -> None:
    assert findings(keeping) == []


def test_it_is_known_how_rarely_a_gateway_sends_again() -> None:
    assert marks.SLOWEST == carrying.SLOWEST


@pytest.mark.parametrize(
    ("limits", "place"),
    [
        ("retransmission_s: 32", "f:25:28: limits.retransmission_s"),
        ("retry_s: 37.5", "f:25:19: limits.retry_s"),
        ("retry_s: 10, retransmission_s: 160", "f:25:41: limits.retransmission_s"),
    ],
)
def test_what_a_gateway_may_send_again_is_not_forgotten_before(
    small: str, limits: str, place: str
) -> None:
    lines = findings(limited(small + "limits: {}\n", limits))
    assert len(lines) == 1
    assert lines[0].startswith(f"{place}: a gateway sends an event without an answer again after")
    assert lines[0].endswith("it would be delivered twice")


def test_as_many_are_remembered_as_a_gateway_may_answer_for(small: str) -> None:
    (line,) = findings(limited(small + "limits: {}\n", "marks: 500"))
    assert line.startswith("f:25:17: limits.marks: a gateway may answer for 10000 events at a time")

    (line,) = findings(limited(small + "limits: {}\n", "custody: 300000"))
    assert line.startswith("f:25:19: limits.custody: ")


def test_what_a_store_may_deliver_again_is_not_forgotten_before(keeping: str) -> None:
    text = limited(keeping, "retry_s: 1, retransmission_s: 30")

    (line,) = findings(text)
    assert line.startswith(
        "f:25:40: limits.retransmission_s: event service 'bus' delivers again what was not"
        " acknowledged, within 30 s"
    )
    assert findings(text.replace("persistent: true", "persistent: false")) == []


def test_it_is_told_where_a_store_may_keep_an_event_twice(keeping: str) -> None:
    (line,) = findings(limited(keeping, "retry_s: 7.5"))
    assert line.startswith("f:25:19: warning: limits.retry_s: an event without an answer may be")
    assert line.endswith("'bus' knows a repetition for 120 s: it may be stored twice")


def test_it_is_told_where_a_long_separation_doubles_what_nobody_suppresses(keeping: str) -> None:
    kinds = {**KINDS, "cns": able(suppresses=False)}
    (line,) = findings(keeping, kinds)
    assert "warning: limits.retransmission_s: native clients of event service 'bus' do not" in line
    assert findings(limited(keeping, "horizon_s: 600"), kinds) == []


def test_an_adapter_may_have_its_service_kept_where_the_file_says_so(small: str) -> None:
    text = small.replace("{mappings: [speed]}", "{mappings: [speed], settings: {persistent: true}}")
    text += "limits: {retry_s: 1, retransmission_s: 20}\n"
    assert len(findings(text)) == 1
    document = examine(text, "f", {})
    assert isinstance(document.federation, Federation)
    assert [name for name, _ in marks.persistent_services(document.federation, KINDS)] == ["bus"]


def test_the_kind_that_keeps_events_tells_for_how_long_they_may_come_again() -> None:
    cns = installed_kinds()["cns"].can({"persistent": True})
    assert cns.persistent
    assert (cns.redelivers_s, cns.deduplicates_s) == (30.0, 120.0)
    assert not installed_kinds()["cns"].can({}).persistent
