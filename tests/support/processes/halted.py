"""Servers that are halted, and are known to be: a signal not yet in force looks like a pass."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

HALT_S: Final = 30.0
"""Longest that the kernel takes to halt all threads of a process."""


class Server(Protocol):
    """What runs as a process of its own."""

    @property
    def pid(self) -> int | None:
        """Identifier of the process; None where it does not run."""


@contextmanager
def halted(server: Server) -> Iterator[None]:
    """Halt a server meanwhile."""
    halt(server)
    try:
        yield
    finally:
        resume(server)


def halt(server: Server) -> None:
    """Halt a server, and return when every thread of it has halted."""
    assert server.pid is not None
    os.kill(server.pid, signal.SIGSTOP)
    deadline = time.monotonic() + HALT_S
    while not all(
        (task / "stat").read_text().rsplit(")", 1)[1].split()[0] == "T"
        for task in Path(f"/proc/{server.pid}/task").iterdir()
    ):
        assert time.monotonic() < deadline
        time.sleep(0.001)


def resume(server: Server) -> None:
    """Let a server go on that was halted."""
    assert server.pid is not None
    os.kill(server.pid, signal.SIGCONT)
