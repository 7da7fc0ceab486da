"""Child processes that end when their parent does, however it ends.

A parent that is killed ends nothing. So a small process runs beside it, which has the other end of
a pipe: the pipe closes when the parent is gone, and then the process ends what the parent started.
The parent reports each child to it; on Linux it also looks for a variable in the children's
environment, since a parent may be killed between a child's start and the report of it.

`PR_SET_PDEATHSIG` cannot replace this: it reacts to the end of the *thread* that started a child,
and does not reach grandchildren.
"""

import atexit
import contextlib
import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MARK: Final = "FES_LIFELINE"
"""Variable in the environment of children, and of their children."""

_WATCH: Final = Path(__file__).with_name("lifeline_watch.py")


class Lifeline:
    """Ends the children of this process when it ends; safe for several threads."""

    def __init__(self) -> None:
        self.mark = uuid.uuid4().hex
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._children: set[int] = set()
        self._starting = 0
        self._watch: subprocess.Popen[bytes] | None = None

    def begin_child(self) -> dict[str, str]:
        """Return the environment of a child that is about to be started; `add` comes next."""
        with self._lock:
            self._start()
            self._starting += 1
        return {**os.environ, MARK: self.mark}

    @contextlib.contextmanager
    def of_library(self) -> Iterator[None]:
        """Have what a library starts within the block end with this process.

        Such a child is known by the variable alone: nobody reports it.
        """
        before = os.environ.get(MARK)
        os.environ[MARK] = self.begin_child()[MARK]
        try:
            yield
        finally:
            if before is None:
                del os.environ[MARK]
            else:
                os.environ[MARK] = before

    def add(self, pid: int) -> None:
        """Note a child, which is to end with this process.

        Args:
            pid: Its process id; it leads a session (`start_new_session`), all of which ends.
        """
        self._children.add(pid)
        self._report(b"+", pid)
        self._starting = max(0, self._starting - 1)

    def remove(self, pid: int) -> None:
        """Forget a child that has ended."""
        if pid in self._children:
            self._children.discard(pid)
            self._report(b"-", pid)

    def release(self) -> None:
        """Let the children continue when this process ends."""
        with self._lock:
            self._write(b".\n")
            watch, self._watch = self._watch, None
        if watch is not None and watch.stdin is not None:
            watch.stdin.close()
            watch.wait()

    def close(self) -> None:
        """End the process beside this one, where no child is left for it to end.

        A signal may have come between the start of a child and the report of it.
        """
        if self._owner != os.getpid():
            return
        if not self._children and not self._starting:
            self.release()
        elif self._watch is not None:
            self._watch.returncode = 0  # it continues; Python need not warn of that

    def _report(self, sign: bytes, pid: int) -> None:
        with self._lock:
            self._start()
            self._write(b"%s%d\n" % (sign, pid))

    def _start(self) -> None:
        if self._owner != os.getpid():  # a fork of this process has children of its own
            self.mark, self._owner, self._watch = uuid.uuid4().hex, os.getpid(), None
            self._children.clear()
            self._starting = 0
        if self._watch is None or self._watch.poll() is not None:
            environment = {name: value for name, value in os.environ.items() if name != MARK}
            self._watch = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_WATCH), self.mark],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
                cwd="/",
            )

    def _write(self, line: bytes) -> None:
        if self._watch is not None and self._watch.stdin is not None:
            with contextlib.suppress(OSError):  # it was killed; the variable is what is left
                self._watch.stdin.write(line)
                self._watch.stdin.flush()


LIFELINE: Final = Lifeline()
"""The lifeline of this process."""

atexit.register(LIFELINE.close)
