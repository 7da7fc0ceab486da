"""What a gateway logs of decisions that have no effect."""

import pytest
from fes.eventlog.refusals import MOST
from fes.federation.clock import FederationClock
from fes.gateway import GatewaySettings
from fes.gateway.outputs import Decided
from fes_gateway import recording
from fes_gateway.recording import Counters, Recorder
from support.memory_log import MemoryLog


@pytest.mark.parametrize(
    ("decision", "reason"), [("refused", "malformed"), ("suppressed", "not newer")]
)
def test_no_more_than_so_many_without_effect_are_logged_in_a_second(
    monkeypatch: pytest.MonkeyPatch, decision: str, reason: str
) -> None:
    now_us = 5_000_000
    monkeypatch.setattr(recording, "wall_us", lambda: now_us)
    log, counters = MemoryLog(), Counters()
    recorder = Recorder(GatewaySettings("g1", "test", {}, ()), log, FederationClock(), counters)
    for _ in range(MOST + 7):
        recorder.write(Decided(decision, reason=reason))
    assert len(log.records) == MOST

    now_us += 1_000_000
    recorder.write(Decided(decision, reason=reason))

    assert [each.reason for each in log.records[MOST:]] == [
        f"7 more were {decision} and not logged one by one",
        reason,
    ]
    counted = {(labels.decision, labels.reason): count for labels, count in counters.items()}
    assert counted[decision, reason] == MOST + 8
    assert counted[f"{decision}_not_logged", ""] == 7


def test_suppressed_events_are_all_logged() -> None:
    log = MemoryLog()
    recorder = Recorder(GatewaySettings("g1", "test", {}, ()), log, FederationClock(), Counters())
    for _ in range(MOST + 7):
        recorder.write(Decided("suppressed", id="car/1/1", reason="repeated"))
    assert len(log.records) == MOST + 7
