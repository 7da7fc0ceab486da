"""The programs that the scenario calls. It imports none of them: they are services."""

import sys
from dataclasses import dataclass

Command = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Programs:
    """How each program is called; arguments follow.

    Attributes:
        can_sim: Plans a run, from a trace or a made-up town.
        fes: Runs a federation.
        analytics: Judges a run.
    """

    can_sim: Command = (sys.executable, "-m", "can_sim")
    fes: Command = (sys.executable, "-m", "fes.cli.main")
    analytics: Command = (sys.executable, "-m", "analytics")
