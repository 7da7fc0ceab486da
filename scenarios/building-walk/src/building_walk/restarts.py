"""Kills the services of a run in turn while the walk goes on; notes how long each was away.

`fes run` starts again what was killed; beside that nobody helps.
"""

import json
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from building_walk.story import OUTAGES, PROGRESS, Outage, Restart

ENDPOINTS: Final = "endpoints.json"


class Restarter:
    """Kills one process after the other, each once the one before lives again.

    Args:
        run: The run folder.
        restarts: What to kill, and in which step.
    """

    def __init__(self, run: Path, restarts: Sequence[Restart]) -> None:
        self._run = run
        self._due = list(restarts)
        self._away: tuple[Restart, int, float] | None = None

    def look(self) -> None:
        """Do what is due now; called now and then."""
        processes = self._processes()
        if self._away is not None:
            restart, before, from_s = self._away
            pid = processes.get(restart.name)
            if pid in (None, before):
                return
            self._away = None
            outage = Outage(restart.name, from_s, time.time(), restart.step)
            with (self._run / OUTAGES).open("ab") as file:
                file.write(msgspec.json.encode(outage) + b"\n")
        if self._due and self._step() >= self._due[0].step:
            pid = processes.get(self._due[0].name)
            if pid is not None:
                self._away = (self._due.pop(0), pid, time.time())
                os.kill(pid, signal.SIGKILL)

    def _step(self) -> int:
        try:
            return int((self._run / PROGRESS).read_text("utf-8"))
        except (FileNotFoundError, ValueError):  # not begun, or being written
            return -1

    def _processes(self) -> dict[str, int | None]:
        try:
            found = json.loads((self._run / ENDPOINTS).read_text("utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        processes: dict[str, int | None] = found["processes"]
        return processes
