"""The process that ends what its parent started, once the parent is gone; see `lifeline`.

It imports none of our modules, so that it starts at once.
"""

import contextlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import Final

GRACE_S: Final = 5.0
"""How long children have to end by themselves."""

KILL_S: Final = 5.0
LOOK_S: Final = 0.05

SURE_S: Final = 0.5
"""How long no child must be found: one that is being started has no variable yet."""


def main(mark: str) -> None:
    """Read what the parent reports until it is gone; then end its children."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    sessions: set[int] = set()
    for line in sys.stdin.buffer:
        if line == b".\n":
            return
        if line.endswith(b"\n"):  # the last one may be torn
            (sessions.add if line[:1] == b"+" else sessions.discard)(int(line[1:]))
    _end(sessions, f"FES_LIFELINE={mark}".encode())


def _end(sessions: set[int], mark: bytes) -> None:
    asked: set[int] = set()
    begun_s = seen_s = time.monotonic()
    while time.monotonic() - seen_s < SURE_S:
        alive = {pid for pid in sessions if _signal(-pid, 0)} | _marked(mark)
        past_s = time.monotonic() - begun_s
        if alive:
            seen_s = time.monotonic()
        if past_s > GRACE_S + KILL_S:
            return
        number = signal.SIGKILL if past_s > GRACE_S else signal.SIGTERM
        for pid in alive - (set() if number is signal.SIGKILL else asked):
            _signal(-pid if pid in sessions else pid, number)
        asked |= alive
        time.sleep(LOOK_S)


def _signal(pid: int, number: int) -> bool:
    """Send a signal; return False where there is no such process, or it is not ours."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _marked(mark: bytes) -> set[int]:
    """Return the processes with the variable; none where there is no /proc."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                found.add(int(folder.name))
    return found


if __name__ == "__main__":
    main(sys.argv[1])
