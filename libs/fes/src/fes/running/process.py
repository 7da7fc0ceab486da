"""One child process of a run: started, watched, started again."""

import asyncio
import contextlib
import json
import os
import signal
from hashlib import sha256
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, urlsplit

from serving.clocks import wall_us
from serving.lifeline import LIFELINE

from fes.running.plan import Part

STOP_S = 15.0

LINE_BYTES = 1024 * 1024
"""Longest line of a process's output that is written into its log."""

LAST_BYTES = 2000
LOG_NAME = 200
"""Longest name of a log, without `.log`; file systems accept 255 bytes."""

PORTS = {"http": "--http-port", "link": "--link-port"}
"""What a gateway's process reports at its start, and the option for it."""


class Child:
    """Runs one part.

    Args:
        part: What to run.
        logs: Folder for its diagnostics.
    """

    def __init__(self, part: Part, logs: Path) -> None:
        self.part = part
        self.started: dict[str, Any] = {}
        self.starts = 0
        self.started_us = 0
        self._logs = logs
        self._process: asyncio.subprocess.Process | None = None
        self._announced = asyncio.Event()
        self._told = False
        self._reading: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """Process id while it runs."""
        running = self._process is not None and self._process.returncode is None
        return self._process.pid if running and self._process else None

    @property
    def log(self) -> Path:
        """Path of its log."""
        return self._logs / log_name(self.part.name)

    @property
    def is_announced(self) -> bool:
        """Whether the present process has reported where it listens."""
        return self._told and self.pid is not None

    @property
    def ever_announced(self) -> bool:
        """Whether any of its processes, over restarts, has reported where it listens."""
        return bool(self.started)

    def last_line(self) -> str:
        """Return the last line of its log, which may state why the process ended."""
        try:
            lines = self.log.read_bytes()[-LAST_BYTES:].decode("utf-8", "replace").splitlines()
        except OSError:
            return ""
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    async def start(self) -> None:
        """Start the process."""
        self.starts += 1
        self.started_us = wall_us()
        self._announced.clear()
        self._told = False
        log = self.log.open("ab")
        self._process = await asyncio.create_subprocess_exec(
            *self.part.command,
            *self._where(),
            stdout=asyncio.subprocess.PIPE,
            limit=LINE_BYTES,
            stderr=log,
            env={**LIFELINE.begin_child(), **self.part.environment},
            start_new_session=True,
        )
        LIFELINE.add(self._process.pid)
        self._reading = asyncio.create_task(self._read(self._process, log))

    async def announced(self, within_s: float) -> bool:
        """Wait until the process reported where it listens.

        Return False where it did not in time.
        """
        try:
            async with asyncio.timeout(within_s):
                await self._announced.wait()
        except TimeoutError:
            return False
        return self._told

    async def wait(self) -> int:
        """Wait until the process ended; return its status, negative for a signal."""
        if self._process is None:
            return 0
        status = await self._process.wait()
        self._end_session(self._process.pid)
        if self._reading is not None:
            await asyncio.wait((self._reading,))
        return status

    async def stop(self, number: signal.Signals = signal.SIGTERM, within_s: float = STOP_S) -> int:
        """End the process by a signal, and kill it where it does not end in time.

        Return its status.
        """
        if self._process is None or self._process.returncode is not None:
            return await self.wait()
        with contextlib.suppress(ProcessLookupError):  # it ended just now
            self._process.send_signal(number)
        try:
            async with asyncio.timeout(within_s):
                return await self.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            return await self.wait()

    @staticmethod
    def _end_session(pid: int) -> None:
        """End what an application started and left behind: it would keep our pipe open."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        LIFELINE.remove(pid)

    def _where(self) -> tuple[str, ...]:
        """Return the options for a gateway to listen where it did before: adapters dial that."""
        if not self.part.gateways:
            return ()
        known = [(option, self.started.get(name)) for name, option in PORTS.items()]
        return tuple(
            word for option, url in known if url for word in (option, str(urlsplit(url).port))
        )

    async def _read(self, process: asyncio.subprocess.Process, log: IO[bytes]) -> None:
        with log:
            while process.stdout is not None and (line := await _next_line(process.stdout)):
                with contextlib.suppress(OSError):  # a full disk must not block the process
                    log.write(line)
                    log.flush()
                if line.startswith(b'{"started"'):
                    self.started = json.loads(line)
                    self._told = True
                    self._announced.set()
        self._announced.set()


def log_name(part: str) -> str:
    """Return the name of a part's log, for any name that a part may have.

    Characters that are not valid in file names, or special to a shell, are percent-encoded; a name
    too long for a file is cut and made unique by a digest.
    """
    name = quote(part, safe=" @+=~()[]{}!")
    if name.startswith("."):
        name = "%2E" + name[1:]
    if len(name) > LOG_NAME:
        name = f"{name[: LOG_NAME - 17]}-{sha256(part.encode()).hexdigest()[:16]}"
    return f"{name}.log"


async def _next_line(stream: asyncio.StreamReader) -> bytes:
    """Return the next line, a note in place of one that is too long, or nothing at the end."""
    try:
        return await stream.readline()
    except ValueError:
        return b"(a line too long for this log)\n"
