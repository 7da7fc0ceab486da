"""Commands: the city's requests for monitors, as in `commands.jsonl`."""

from typing import Literal

import msgspec

Action = Literal["subscribe", "unsubscribe", "renew"]


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """One command with its outcome.

    Attributes:
        action: What was requested.
        monitor: Name of the monitor.
        destination: Its event service.
        limit: km/h.
        filter: The limit as a filter.
        request: Request id.
        sent_us: When it was published on SIENA, wall clock, microseconds since 1970 UTC.
        applied_us: When it became active at the monitor's gateway, likewise; None where that was
            not learnt in time.
        v: Version of the line.
    """

    action: Action
    monitor: str
    destination: str
    limit: float
    filter: str
    request: str
    sent_us: int
    applied_us: int | None = None
    v: Literal[1] = 1
