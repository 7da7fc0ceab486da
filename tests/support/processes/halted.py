"""Servers that are halted, and are known to be: a signal that has not landed looks like a pass."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eventservices.servers import NatsServer


@contextmanager
def halted(server: NatsServer) -> Iterator[None]:
    """Halt a server meanwhile."""
    halt(server)
    try:
        yield
    finally:
        resume(server)


def halt(server: NatsServer) -> None:
    """Halt a server, and return when every thread of it has halted."""
    assert server.pid is not None
    os.kill(server.pid, signal.SIGSTOP)
    deadline = time.monotonic() + 5
    while not all(
        (task / "stat").read_text().rsplit(")", 1)[1].split()[0] == "T"
        for task in Path(f"/proc/{server.pid}/task").iterdir()
    ):
        assert time.monotonic() < deadline


def resume(server: NatsServer) -> None:
    """Let a server go on that was halted."""
    assert server.pid is not None
    os.kill(server.pid, signal.SIGCONT)
