"""One child process of a run: started, watched, started again."""

import asyncio
import json
import os
import signal
import time
from pathlib import Path
from typing import IO, Any

from fes.cli.running.plan import Part

STOP_S = 15.0


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
        self._reading: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """Process id while it runs."""
        running = self._process is not None and self._process.returncode is None
        return self._process.pid if running and self._process else None

    async def start(self) -> None:
        """Start the process."""
        self.starts += 1
        self.started_us = time.time_ns() // 1000
        self._announced.clear()
        log = (self._logs / f"{self.part.name}.log").open("ab")
        self._process = await asyncio.create_subprocess_exec(
            *self.part.command,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            env={**os.environ, **self.part.environment},
            start_new_session=True,
        )
        self._reading = asyncio.create_task(self._read(self._process, log))

    async def announced(self, within_s: float) -> bool:
        """Wait until the process told where it listens; False where it did not in time."""
        try:
            async with asyncio.timeout(within_s):
                await self._announced.wait()
        except TimeoutError:
            return False
        return bool(self.started)

    async def wait(self) -> int:
        """Wait until the process ended; return its status, negative for a signal."""
        if self._process is None:
            return 0
        status = await self._process.wait()
        if self._reading is not None:
            await self._reading
        return status

    async def stop(self, number: signal.Signals = signal.SIGTERM, within_s: float = STOP_S) -> int:
        """End the process: ask it, and kill it where it does not listen; return its status."""
        if self._process is None or self._process.returncode is not None:
            return await self.wait()
        self._process.send_signal(number)
        try:
            async with asyncio.timeout(within_s):
                return await self.wait()
        except TimeoutError:
            self._process.kill()
            return await self.wait()

    async def _read(self, process: asyncio.subprocess.Process, log: IO[bytes]) -> None:
        assert process.stdout is not None, "stdout is a pipe"  # noqa: S101 - asked for in start
        with log:
            async for line in process.stdout:
                log.write(line)
                log.flush()
                if line.startswith(b'{"started"'):
                    self.started = json.loads(line)
                    self._announced.set()
        self._announced.set()
