"""`fes-traffic up` and `down`: a federation that runs in the background.

The file `up.pid` has its process id, and a lock that lives as long as the process: a process id
alone may belong to somebody else by the time that it is read.
"""

import fcntl
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from scenario_kit.programs import Command
from serving.children import end
from serving.lifeline import LIFELINE

from traffic_scenario.errors import RunningError

PID = "up.pid"
LOG = "fes-run.log"
LAST_APPLICATION = "can-sim"
START_S = 90.0
STOP_S = 60.0
POLL_S = 0.2


@contextmanager
def reserved(runs: Path) -> Iterator[IO[str]]:
    """Reserve the one place for a federation in the background.

    Args:
        runs: Folder of all runs; made where absent.

    Yields:
        The file of process id and lock, for `start`.

    Raises:
        RunningError: Another runs there.
    """
    runs.mkdir(parents=True, exist_ok=True)
    with (runs / PID).open("a+") as file:
        if not _lock(file):
            raise RunningError(f"a federation runs already (process {_pid(file)}); stop it first")
        file.truncate(0)
        yield file


def start(command: Command, folder: Path, place: IO[str]) -> "subprocess.Popen[bytes]":
    """Start a federation and wait until its applications are there.

    Args:
        command: Runs it.
        folder: Its run folder.
        place: As `reserved` returned it; the process keeps the lock.

    Returns:
        Its process.

    Raises:
        RunningError: It ended, or does not get ready in time; the message names its log.
    """
    log = folder / "logs" / LOG
    log.parent.mkdir(exist_ok=True)
    with log.open("ab") as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
            env=LIFELINE.begin_child(),
            pass_fds=(place.fileno(),),
        )
    LIFELINE.add(process.pid)
    try:
        place.write(str(process.pid))
        place.flush()
        _await_applications(process, folder, log)
    except BaseException:
        end(process)
        raise
    LIFELINE.release()
    return process


def stop(runs: Path) -> int | None:
    """Stop the federation that runs in the background, and wait for its end.

    Args:
        runs: Folder of all runs.

    Returns:
        The process id that it had; None where none ran.

    Raises:
        RunningError: It is only just being started, or does not end in time.
    """
    path = runs / PID
    if not path.exists():
        return None
    with path.open() as file:
        if _lock(file):
            path.unlink()
            return None
        pid = _pid(file)
        if pid is None:
            raise RunningError("a federation is being started just now; try again")
        os.kill(pid, signal.SIGTERM)
        deadline_s = time.monotonic() + STOP_S
        while not _lock(file):
            if time.monotonic() > deadline_s:
                raise RunningError(f"process {pid} does not end")
            time.sleep(POLL_S)
        path.unlink()
    return pid


def _await_applications(process: "subprocess.Popen[bytes]", folder: Path, log: Path) -> None:
    deadline_s = time.monotonic() + START_S
    while not _has_applications(folder):
        if process.poll() is not None:
            raise RunningError(f"it ended with status {process.returncode}; see {log}")
        if time.monotonic() > deadline_s:
            raise RunningError(f"it was not ready within {START_S:.0f} s; see {log}")
        time.sleep(POLL_S)


def _has_applications(folder: Path) -> bool:
    try:
        told = json.loads((folder / "endpoints.json").read_text("utf-8"))
    except FileNotFoundError:
        return False
    return LAST_APPLICATION in told["processes"]


def _lock(file: IO[str]) -> bool:
    """Acquire the lock; False where another process has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _pid(file: IO[str]) -> int | None:
    file.seek(0)
    text = file.read().strip()
    return int(text) if text else None
