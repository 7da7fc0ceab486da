"""Decisions of an adapter about events, written to the event log."""

from typing import Any

from serving.clocks import wall_us

from fes.adapter.context import AdapterContext
from fes.eventlog import Decision, Record
from fes.eventlog.refusals import Refusals, reason_of
from fes.eventlog.schema import VERSION
from fes.eventlog.writer import Log
from fes.model import Stamp


class Recording:
    """Writes the decisions of an adapter.

    Args:
        context: The adapter's.
        log: The event log.
    """

    def __init__(self, context: AdapterContext, log: Log) -> None:
        self._context = context
        self._log = log
        self._refusals = Refusals()

    def record(
        self, decision: Decision, *, stamp: Stamp | None = None, subject: str = "", **more: Any
    ) -> None:
        """Write a decision, if its level is logged, and of refusals as many as `Refusals` admits.

        The number of those not logged is logged with the next.
        """
        if decision is Decision.REFUSED:
            now_us = wall_us()
            skipped = self._refusals.skipped(now_us)
            if not self._refusals.admits(now_us):
                return
            if skipped:
                self._write(decision, None, "", reason=reason_of(skipped))
        self._write(decision, stamp, subject, **more)

    def _write(self, decision: Decision, stamp: Stamp | None, subject: str, **more: Any) -> None:
        identity = f"{stamp.origin}/{stamp.epoch}/{stamp.sequence}" if stamp else ""
        if not self._log.wants(identity):
            return
        context, now_us = self._context, wall_us()
        inward = decision in (Decision.RECEIVED, Decision.REFUSED)
        self._log.write(
            Record(
                decision=decision,
                wall_us=now_us,
                time_us=context.clock.time_us(now_us),
                system=context.system,
                component="adapter",
                name=context.id,
                id=identity,
                event_time_us=stamp.time_us if stamp else 0,
                subject=subject,
                home=stamp.home if stamp else "",
                from_=context.service if inward else "",
                to="" if inward else context.service,
                v=VERSION,
                **more,
            )
        )
