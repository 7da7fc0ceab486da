"""Counts a gateway's decisions, and writes them to the event log."""

import logging
from collections import Counter
from typing import Final, NamedTuple

from fes.eventlog import Decision, Record
from fes.eventlog.refusals import Refusals, reason_of
from fes.eventlog.schema import VERSION
from fes.eventlog.writer import Log
from fes.federation.clock import TimeTeller
from fes.gateway import GatewaySettings
from fes.gateway.outputs import Decided
from serving.clocks import wall_us

_diagnostics = logging.getLogger(__name__)

NOT_NEWER: Final = "not newer"
"""Why a request changes nothing."""

KNOWN_REASONS = frozenset(
    {
        "",
        "repeated",
        "no subscription",
        "no route",
        "lies behind where it came from",
        "link",
        "link down",
        "malformed",
        "reserved subject",
        "link queue full",
        "journal queue full",
        "expired",
        "hop limit",
        NOT_NEWER,
        "custody is full",
        "no such event service",
        "home is the destination",
        "path names its destination",
        "row of the journal cannot be read",
        "too many wait for their StartTime",
    }
)


class Labels(NamedTuple):
    """The labels of a counter."""

    decision: str
    reason: str
    type: str


class Counters:
    """Counts decisions; any other reason counts as `other`."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def add(self, decision: str, reason: str = "", type_: str = "", count: int = 1) -> None:
        """Count a decision, or several equal ones."""
        known = reason if reason in KNOWN_REASONS else "other"
        self._counts[decision, known, type_] += count

    def items(self) -> list[tuple[Labels, int]]:
        """Return every counter, sorted by its labels."""
        return sorted((Labels(*labels), count) for labels, count in self._counts.items())


class Recorder:
    """Counts and logs decisions.

    Args:
        settings: Of the gateway.
        log: The event log.
        clock: The federation clock.
        counters: Counts the decisions.
        replica: Name of this replica; "" where the gateway has none.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        log: Log,
        clock: TimeTeller,
        counters: Counters,
        replica: str = "",
    ) -> None:
        self._settings = settings
        self._log = log
        self._clock = clock
        self._counters = counters
        self._replica = replica
        self._without_effect = {Decision.REFUSED: Refusals(), Decision.SUPPRESSED: Refusals()}

    def write(self, decided: Decided) -> None:
        """Count a decision, and log it where the log accepts it.

        No more refusals, and no more requests that change nothing, are logged than `Refusals`
        admits, so that a sender of bad input does not fill the log. The number of those not logged
        is logged with the next.
        """
        self._counters.add(decided.decision, decided.reason, decided.type)
        now_us = wall_us()
        if decided.decision == Decision.REFUSED or decided.reason == NOT_NEWER:
            kind = Decision(decided.decision)
            self._summarise(kind, now_us)
            if not self._without_effect[kind].admits(now_us):
                return
        self._append(decided, now_us)

    def _summarise(self, kind: Decision, now_us: int) -> None:
        skipped = self._without_effect[kind].skipped(now_us)
        if skipped:
            told = {"gateway": self._settings.id, "decision": kind, "count": skipped}
            _diagnostics.warning("decisions_not_logged", extra=told)
            self._counters.add(f"{kind}_not_logged", count=skipped)
            self._append(Decided(kind, reason=reason_of(skipped, kind)), now_us)

    def _append(self, decided: Decided, now_us: int) -> None:
        if not self._log.wants(decided.id):
            return
        self._log.write(
            Record(
                decision=Decision(decided.decision),
                wall_us=now_us,
                time_us=self._clock.time_us(now_us),
                system=self._settings.system,
                component="gateway",
                name=self._settings.id,
                replica=self._replica,
                id=decided.id,
                event_time_us=decided.event_time_us,
                subject=decided.subject,
                home=decided.home,
                from_=decided.from_,
                to=decided.to,
                path=decided.path,
                request=decided.request,
                type=decided.type,
                reason=decided.reason,
                what=decided.what,
                declared=decided.declared,
                v=VERSION,
            )
        )
