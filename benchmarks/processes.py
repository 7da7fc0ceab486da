"""The processes of a measurement, each started here and ended by its id."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from federation import air_of
from fes.federation.load import load
from fes.federation.model import Federation
from measure import children_of, role_of
from msgspec import UNSET
from serving.lifeline import LIFELINE

START_S = 60.0
STOP_S = 20.0
ANSWER_S = 20.0
TAIL = 2000
"""Characters of a log that an error shows."""

_LOOK_S = 0.05
_BESIDE = Path(sys.executable).parent


class NotStartedError(RuntimeError):
    """A process did not start, or did not answer in time."""


class Child:
    """One process.

    Args:
        command: Program and arguments.
        log: Where its diagnostics go.
        talks: Whether it is given commands and answers.
    """

    def __init__(self, command: list[str], log: Path, *, talks: bool = False) -> None:
        self.log = log
        pipe = subprocess.PIPE if talks else subprocess.DEVNULL
        with log.open("ab") as stream:
            self._process = subprocess.Popen(
                command,
                stdin=pipe,
                stdout=subprocess.PIPE if talks else stream,
                stderr=stream,
                # Ctrl-C reaches the benchmark only, which ends all in order.
                start_new_session=True,
                env=LIFELINE.begin_child(),
            )
        LIFELINE.add(self.pid)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it runs; one that ended is not waited for, so that its times can be read."""
        ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return ended is None

    def ask(self, command: str = "") -> dict[str, int]:
        """Send a line and return the answer.

        Raises:
            NotStartedError: It does not answer in time.
        """
        into, out = self._streams()
        if command:
            into.write(command.encode() + b"\n")
            into.flush()
        ready, _, _ = select.select([out], [], [], ANSWER_S)
        line = out.readline() if ready else b""
        if not line:
            tail = self.log.read_text("utf-8", "replace")[-TAIL:]
            raise NotStartedError(f"process {self.pid} does not answer:\n{tail}")
        answer: dict[str, int] = json.loads(line)
        return answer

    def stop(self, within_s: float = STOP_S) -> None:
        """End it: ask it, and kill it and what it started where it does not listen."""
        if self._process.returncode is not None:
            return
        below = children_of(self.pid)
        if self.running:
            self._process.terminate()
        try:
            self._process.wait(within_s)
        except subprocess.TimeoutExpired:
            for pid in (*below, self.pid):
                _kill(pid)
            self._process.wait()
        finally:
            LIFELINE.remove(self.pid)
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()

    def _streams(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process.stdin is None or self._process.stdout is None:
            raise NotStartedError(f"process {self.pid} takes no commands")
        return self._process.stdin, self._process.stdout


class Stage:
    """A federation under `fes run`, and the native client at its far end.

    Args:
        file: The federation file; the run's folder is the file's.
        service: What the far client speaks, `siena` or `steam`.

    Attributes:
        consumer: The far client.
        roles: Role to process, of all but can-sim.
    """

    def __init__(self, file: Path, service: str) -> None:
        self._file = file
        self._service = service
        self.run = file.parent / "run"
        self.roles: dict[str, int] = {}
        self.consumer: Child
        self._children: list[Child] = []

    def __enter__(self) -> Self:
        """Start both.

        Raises:
            NotStartedError: One does not start in time.
        """
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End both, the client first."""
        self._stop()

    def can_sim(self, rate: float, frames: int, truth: Path) -> Child:
        """Start can-sim in rate mode.

        Args:
            rate: Frames a second in all.
            frames: How many.
            truth: Where its ground truth goes.
        """
        command = [
            *(str(_BESIDE / "can-sim"), "run", "--run", str(self._file.parent)),
            *("--url", self._url("cns"), "--ground-truth", str(truth)),
            *("--rate", repr(rate), "--frames", str(frames)),
        ]
        child = Child(command, self._file.parent / "can-sim.log")
        self._children.append(child)
        return child

    def ended(self, child: Child) -> None:
        """Wait for a process that ended, and forget it."""
        child.stop()
        self._children.remove(child)

    def _start(self) -> None:
        command = [str(_BESIDE / "fes"), "run", str(self._file), "--run", str(self.run)]
        federation = self._begin(command)
        ready = self.run / "endpoints.json"
        _until(lambda: ready.exists() and self._all_started(), federation)
        urls = [self._url("air")]
        if self._service == "siena":
            urls = [self._url("siena-1"), self._url("siena-2")]
        script = str(Path(__file__).with_name("consumer.py"))
        air = air_of(self._described)
        self.consumer = self._begin(
            [sys.executable, script, self._service, *urls, "--air", air], talks=True
        )
        self.consumer.ask()
        self.roles |= {"consumer": self.consumer.pid, "fes run": federation.pid}

    def _begin(self, command: list[str], *, talks: bool = False) -> Child:
        name = Path(command[1]).stem if talks else "fes-run"
        child = Child(command, self._file.parent / f"{name}.log", talks=talks)
        self._children.append(child)
        return child

    def _all_started(self) -> bool:
        log = (self._file.parent / "fes-run.log").read_text("utf-8", "replace")
        if "fes run: gateways:" not in log:
            return False
        pids = children_of(self._children[0].pid)
        self.roles = {role: pid for pid in pids if (role := role_of(pid))}
        return True

    @property
    def _described(self) -> Federation:
        return load(self.run / "federation.yaml", {})

    def _url(self, broker: str) -> str:
        url = self._described.brokers[broker].url
        if url is UNSET:
            raise NotStartedError(f"broker {broker} was not started")
        return url

    def _stop(self) -> None:
        while self._children:
            self._children.pop().stop()


def _until(done: Callable[[], bool], child: Child) -> None:
    deadline_s = time.monotonic() + START_S
    while not done():
        if not child.running or time.monotonic() > deadline_s:
            tail = child.log.read_text("utf-8", "replace")[-TAIL:]
            raise NotStartedError(f"did not start:\n{tail}")
        time.sleep(_LOOK_S)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
