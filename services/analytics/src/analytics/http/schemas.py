"""What the REST interface returns."""

from typing import Literal

from pydantic import BaseModel, Field


class ReportsOut(BaseModel):
    """Numbers of events: expected = received (of the expected) + missing + outage."""

    expected: int
    received: int
    missing: int
    unexpected: int
    duplicate: int
    outage: int


class LatencyOut(BaseModel):
    """Latency end to end, ms; null where nothing was delivered."""

    p50: float | None
    p99: float | None


class HopOut(LatencyOut):
    """Latency of one hop, ms."""

    hop: str
    count: int


class ExampleOut(BaseModel):
    """One offending event: its id (or file and line), the monitor or part, and why."""

    id: str
    monitor: str
    reason: str


class PromiseOut(BaseModel):
    """What became of one promise so far."""

    name: str
    status: Literal["held", "broken", "not testable"]
    offending: int
    detail: str
    examples: list[ExampleOut]


class ProgressOut(BaseModel):
    """How far the verdict goes."""

    batch: int = Field(description="Number of the last batch.")
    now_us: int = Field(description="When it was read, microseconds since 1970 UTC.")
    ended: bool = Field(description="Nothing grows any more and all is judged.")
    judged_until_us: int = Field(description="Events first seen before are in the verdict.")
    events_waiting: int = Field(description="Events that are too young to be judged.")
    bytes_waiting: int = Field(description="What could have been read and was not.")
    files: int = Field(description="Files of logs that were seen.")
    lines: int = Field(description="Lines read.")
    unreadable: int = Field(description="Broken lines among them.")
    too_late: int = Field(description="Lines about events that are kept no more.")
    dropped: int = Field(description="Control lines that were too many to be kept.")


class VerdictOut(BaseModel):
    """The verdict so far, in the form of `verdict.json`, and how far it goes."""

    verdict: Literal["pass", "fail", "waiting"] = Field(
        description="`waiting`: nothing was expected yet and nothing is wrong."
    )
    reports: ReportsOut
    latency_ms: LatencyOut
    hops: list[HopOut]
    promises: list[PromiseOut]
    progress: ProgressOut


class Problem(BaseModel):
    """Why there is no answer."""

    detail: str


class Health(BaseModel):
    """How analytics does."""

    status: str
    faults: dict[str, str]
