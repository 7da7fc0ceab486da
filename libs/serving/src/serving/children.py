"""Programs that a process starts and that end with it, however it ends."""

import asyncio
import contextlib
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from serving.lifeline import LIFELINE

STOP_S = 40.0
"""Longest wait for a program that was requested to end; `fes run` has its parts to end first."""


@contextmanager
def started(command: Sequence[str], **how: Any) -> "Iterator[subprocess.Popen[Any]]":
    """Start a program, and wait for its end when the block is left; by an error, end it.

    It ends with this process, however that ends.

    Args:
        command: Program and arguments.
        how: What `subprocess.Popen` accepts besides.
    """
    process = subprocess.Popen(command, start_new_session=True, env=LIFELINE.begin_child(), **how)
    LIFELINE.add(process.pid)
    with process:
        try:
            yield process
        except BaseException:
            end(process)
            raise
    LIFELINE.remove(process.pid)


def end(process: "subprocess.Popen[Any]", within_s: float = STOP_S) -> None:
    """End a program by a signal, and kill it where it does not end in time."""
    process.terminate()
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@asynccontextmanager
async def running(
    command: Sequence[str], **how: Any
) -> "AsyncIterator[asyncio.subprocess.Process]":
    """Start a program, and end it when the block is left, where it has not ended by then.

    It ends with this process, however that ends.

    Args:
        command: Program and arguments.
        how: What `asyncio.create_subprocess_exec` accepts besides.
    """
    process = await asyncio.create_subprocess_exec(
        *command, start_new_session=True, env=LIFELINE.begin_child(), **how
    )
    LIFELINE.add(process.pid)
    try:
        yield process
    finally:
        await _end(process)
    LIFELINE.remove(process.pid)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):  # it ended just now
            process.terminate()
    try:
        async with asyncio.timeout(STOP_S):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
