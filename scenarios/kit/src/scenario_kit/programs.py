"""The programs that a scenario calls. It imports none of them: they are services."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scenario_kit.run_folder import FEDERATION

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


def running(folder: Path, own: Sequence[str], programs: Programs) -> tuple[str, ...]:
    """Return the command that runs a planned folder."""
    apart = [word for name in own for word in ("--own-process", name)]
    file = str(folder / FEDERATION)
    return (*programs.fes, "run", file, "--run", str(folder), "--require-all", *apart)
