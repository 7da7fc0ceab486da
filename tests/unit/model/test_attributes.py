"""What attributes ask for: a value of another type asks for nothing."""

import pytest
from fes.model import Event, attributes


def of(**values: object) -> Event:
    return Event.of("Speed").with_attributes(values)


@pytest.mark.parametrize("value", [True, 1.0, "1", 0, 2, -1, False])
def test_only_the_whole_number_1_asks_for_persistent_delivery(value: object) -> None:
    assert attributes.is_persistent(of(Reliability=1))
    assert not attributes.is_persistent(of(Reliability=value))


@pytest.mark.parametrize("value", [True, 5.0, "5", 40_000, -40_000])
def test_only_a_whole_number_in_range_is_a_priority(value: object) -> None:
    assert attributes.priority(of(Priority=5)) == 5
    assert attributes.priority(of(Priority=value)) == 0


@pytest.mark.parametrize(
    "stop", ["1970-01-01T00:00:00Z", "1970-01-01T01:00:00+01:00", "1969-12-31T23:59:59Z"]
)
def test_what_stops_with_the_first_moment_of_1970_has_expired(stop: str) -> None:
    expires_us = attributes.expires_us(of(StopTime=stop), 5)
    assert expires_us != 0
    assert expires_us <= 1


def test_what_names_no_end_never_expires() -> None:
    assert attributes.expires_us(of(), 5) == 0
    assert attributes.expires_us(of(Timeout=0.0), 5) == 0
    assert attributes.expires_us(of(Timeout=5e-6), -5) == 1
