"""What looks like a mistake is told, and does not make the file invalid."""

import pytest
from fes.federation import Severity, examine


def warnings(text: str) -> list[str]:
    document = examine(text, "f", {})
    assert document.federation is not None
    assert all(finding.severity is Severity.WARNING for finding in document.findings)
    return [str(finding) for finding in document.findings]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "brokers:\n",
            "brokers:\n  spare: {kind: nats}\n",
            "f:5:3: warning: brokers.spare: no event service uses this broker",
        ),
        (
            "{air: {}}",
            "{air: {}, sea: {}}",
            "f:3:18: warning: media.sea: no event service is on this medium",
        ),
        (
            "  city:",
            "  idle: {kind: cns}\n  city:",
            "f:11:3: warning: event_services.idle: no gateway is attached to it",
        ),
        (
            "{mappings: [speed]}",
            "{}",
            "f:22:3: warning: mappings.speed: no adapter uses this mapping",
        ),
        (
            "dist_list: bus",
            "dist_list: 'x-*'",
            "f:24:63: warning: requests[0].dist_list: 'x-*' names no event service",
        ),
        (
            "dist_list: bus",
            "dist_list: 'c*'",
            "f:24:63: warning: requests[0].dist_list: 'c*' names the source, where it is never",
        ),
        (
            "dist_list: bus",
            "dist_list: '*t*'",
            "'*t*' names event services of several kinds: steam, siena",
        ),
        (
            "source: car",
            "source: city",
            "f:24:47: warning: requests[0].source: gateway 'g1' is not attached to the source",
        ),
        (
            "medium: air}\n  city",
            "medium: sea}\n  city",
            "f:17:3: warning: gateways.g2: there is no route between this gateway and 'g1'",
        ),
    ],
)
def test_a_doubtful_file_is_good_and_warned_of(
    old: str, new: str, expected: str, small: str
) -> None:
    text = small.replace(old, new, 1)
    if "sea" in new and "city" in new:
        text = text.replace("{air: {}}", "{air: {}, sea: {}}")
    assert any(expected in line for line in warnings(text)), warnings(text)


def test_the_good_file_has_no_warnings(small: str) -> None:
    assert warnings(small) == []


def test_a_destination_without_a_way_is_warned_of(small: str) -> None:
    text = small.replace("{air: {}}", "{air: {}, sea: {}}").replace("air}\n  city", "sea}\n  city")
    text = text.replace("dist_list: bus", "dist_list: city")
    assert any("there is no route from gateway 'g1' to city" in line for line in warnings(text))


def test_a_repeated_request_is_warned_of(small: str) -> None:
    text = small + small.splitlines()[-1] + "\n"
    assert warnings(text) == ["f:25:5: warning: requests[1]: it repeats requests[0]"]
