"""What a gateway decided, counted and written to the event log."""

from fes.eventlog import Decision, Record
from fes.eventlog.schema import VERSION
from fes.eventlog.writer import Log
from fes.federation.clock import FederationClock
from fes.gateway import GatewaySettings
from fes.gateway.outputs import Decided

from fes_gateway.clock import wall_us
from fes_gateway.counters import Counters


class Recorder:
    """Counts and logs decisions.

    Args:
        settings: Of the gateway.
        log: The event log.
        clock: The federation clock.
        counters: Count what was decided.
        replica: Name of this replica; "" where the gateway has none.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        log: Log,
        clock: FederationClock,
        counters: Counters,
        replica: str = "",
    ) -> None:
        self._settings = settings
        self._log = log
        self._clock = clock
        self._counters = counters
        self._replica = replica

    def write(self, decided: Decided) -> None:
        """Count a decision, and log it where the log wants it."""
        self._counters.add(decided.decision, decided.reason, decided.type)
        if not self._log.wants(decided.id):
            return
        now_us = wall_us()
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
                v=VERSION,
            )
        )
