"""CPU time of processes, by role, as the kernel counts it in `/proc/<pid>/stat`."""

import os
from collections.abc import Mapping
from pathlib import Path

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_UTIME, _STIME = 11, 12  # places after the name, which may hold spaces


def cpu_s(pid: int) -> float:
    """Return the CPU time, user and system, that a process has used; seconds.

    A process that ended and was not waited for yet still tells it.

    Args:
        pid: The process.

    Returns:
        Seconds, in steps of 10 ms; 0 where there is no such process.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8")
    except OSError:
        return 0.0
    fields = stat.rpartition(")")[2].split()
    return (int(fields[_UTIME]) + int(fields[_STIME])) * _TICK_S


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started and that still run."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(word) for word in path.read_text("utf-8").split()]
        except OSError:
            continue
    return found


def role_of(pid: int) -> str:
    """Return what a child of `fes run` is: a process of gateways, or a broker; "" for others."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text("utf-8").split("\0")
    except OSError:
        return ""
    if "--process" in words:
        return words[words.index("--process") + 1]
    if "-c" in words:
        return "broker " + Path(words[words.index("-c") + 1]).stem
    return ""


class Meter:
    """Reads the CPU time of several processes between two moments.

    Args:
        processes: Role to process.
    """

    def __init__(self, processes: Mapping[str, int]) -> None:
        self._processes = dict(processes)
        self._begun = self._read()

    def restart(self) -> None:
        """Count from now on."""
        self._begun = self._read()

    def used_s(self) -> dict[str, float]:
        """Return role to the CPU time since the start; seconds."""
        return {role: now - self._begun[role] for role, now in self._read().items()}

    def _read(self) -> dict[str, float]:
        return {role: cpu_s(pid) for role, pid in self._processes.items()}
