import pytest
from persistent_scenario.judging import Evidence
from persistent_scenario.records import Killed, Received, Stored, Suppressed, Tried
from persistent_scenario.story import clients, expected_by, stream


@pytest.fixture
def flawless() -> Evidence:
    """Return what is written down of a small run in which every promise held."""
    evidence = Evidence()
    for moment, reading in enumerate(stream(200, 3, 7)):
        origin, number, value = reading.origin, reading.number, reading.value
        identity = f"{origin}/1/{number}"
        evidence.add(Tried(origin, number, value, identity, moment))
        evidence.add(Stored(identity, moment))
        for name in clients():
            if expected_by(name, value):
                evidence.add(Received(name, origin, number, value, identity, moment))
    evidence.add(Killed(("g1", "b"), 100))
    evidence.add(Suppressed("low", 2))
    return evidence
