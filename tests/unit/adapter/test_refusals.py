"""A flood of bad input does not fill the event log."""

import pytest
from fes.adapter import event_log
from fes.adapter.event_log import Recording
from fes.adapter.pool import ConnectionPool
from fes.eventlog import Decision
from fes.eventlog.refusals import MOST
from fes.testing.contexts import adapter_context
from fes.testing.memory import MemoryAdapter
from support.memory_log import MemoryLog

SECOND = 1_000_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    now = [1_700_000_000 * SECOND]
    monkeypatch.setattr(event_log, "wall_us", lambda: now[0])
    return now


def test_refusals_are_logged_up_to_a_rate_and_the_others_by_their_number(clock: list[int]) -> None:
    log = MemoryLog()
    recording = Recording(adapter_context("g", "a", MemoryAdapter, ConnectionPool()), log)
    for number in range(MOST + 7):
        recording.record(Decision.REFUSED, reason=f"bad {number}")
        recording.record(Decision.RECEIVED, subject="good")
    assert [each.decision for each in log.records].count(Decision.REFUSED) == MOST
    assert [each.decision for each in log.records].count(Decision.RECEIVED) == MOST + 7
    clock[0] += SECOND
    recording.record(Decision.REFUSED, reason="bad again")
    assert [each.reason for each in log.records[-2:]] == [
        "7 more were refused and not logged one by one",
        "bad again",
    ]
    clock[0] += SECOND
    recording.record(Decision.REFUSED, reason="bad once more")
    assert log.records[-1].reason == "bad once more"
    assert len(log.records) == 2 * MOST + 7 + 3
