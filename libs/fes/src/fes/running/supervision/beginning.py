"""The beginning of a run's trace: when the application that plays it may start, not by a guess."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from serving.clocks import wall_us

from fes.federation.clock import Beginning
from fes.federation.model import Federation
from fes.running.plan import plays

FILE: Final = "clock.json"
"""File of the run that states when its clock began."""

LEAST_LEAD_S, MOST_LEAD_S = 1.5, 60.0
"""Time from the decision to the beginning, in which the application that plays the trace starts."""

LEADS: Final = 1.5
"""That time as a multiple of what the slowest process of gateways needed to start: on a busy
machine everything lasts longer."""


class TraceStart:
    """Decides once when the federation clock begins, and writes it for all parts.

    Args:
        federation: The file, resolved.
        run: Folder of the run.
        clock_us: The wall clock, microseconds since 1970 UTC.

    Attributes:
        path: File that states it, once it is decided.
    """

    def __init__(
        self, federation: Federation, run: Path, clock_us: Callable[[], int] = wall_us
    ) -> None:
        self.path = run / FILE
        self._clock = federation.clock
        self._clock_us = clock_us
        self._begun: Beginning | None = None
        self.path.unlink(missing_ok=True)
        if not any(plays(federation, name) for name in federation.applications):
            self._decide(clock_us())  # no application plays a trace: there is nothing to wait for

    def begin(self, slowest_s: float) -> dict[str, str]:
        """Decide when the clock begins, unless that was done.

        Args:
            slowest_s: The longest time that a process of this run needed to start.

        Returns:
            Values of `{name}` in commands from now on.

        Raises:
            OSError: The file cannot be written.
        """
        if self._begun is None:
            lead_s = min(MOST_LEAD_S, max(LEAST_LEAD_S, LEADS * slowest_s))
            self._begun = self._decide(self._clock_us() + round(lead_s * 1e6))
        return {"wall_start_us": str(self._begun.wall_start_us)}

    def _decide(self, at_us: int) -> Beginning:
        begun = self._begun = Beginning.of(self._clock, at_us)
        begun.write(self.path)
        return begun
