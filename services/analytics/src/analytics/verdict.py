"""The verdict: what the judge says of a run, and how it is written."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from serving.files import write_whole

HELD = "held"
BROKEN = "broken"
NOT_TESTABLE = "not testable"

EXAMPLES = 5
"""Most offending events that are named for a promise."""


@dataclass(frozen=True, slots=True)
class Example:
    """One offending event: its id (or the file and line), the monitor or part, and why."""

    id: str
    monitor: str
    reason: str


@dataclass(frozen=True, slots=True)
class Promise:
    """What became of one promise; `status` is kept, broken or not testable."""

    name: str
    status: str
    offending: int
    detail: str
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class Reports:
    """Numbers of events: expected = received (of the expected) + missing + outage."""

    expected: int
    received: int
    missing: int
    unexpected: int
    duplicate: int
    outage: int


@dataclass(frozen=True, slots=True)
class Hop:
    """Latency of one hop, ms; None where nothing passed it."""

    hop: str
    p50: float | None
    p99: float | None
    count: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """All that the judge says of a run."""

    reports: Reports
    end_to_end: Hop
    hops: tuple[Hop, ...]
    promises: tuple[Promise, ...]

    @property
    def passed(self) -> bool:
        """Whether no promise is broken, every report is right, and there was one at all."""
        wrong = self.reports.missing + self.reports.unexpected + self.reports.duplicate
        broken = any(promise.status == BROKEN for promise in self.promises)
        return not broken and wrong == 0 and self.reports.expected > 0

    def as_json(self) -> dict[str, Any]:
        """Return the verdict in the form of `verdict.json`."""
        return {
            "verdict": "pass" if self.passed else "fail",
            "reports": asdict(self.reports),
            "latency_ms": {"p50": self.end_to_end.p50, "p99": self.end_to_end.p99},
            "hops": [asdict(hop) for hop in self.hops],
            "promises": [asdict(promise) for promise in self.promises],
        }


def write_verdict(verdict: Verdict, path: Path) -> None:
    """Write `verdict.json`, whole or not at all."""
    write_whole(path, json.dumps(verdict.as_json(), indent=2, ensure_ascii=False) + "\n")
