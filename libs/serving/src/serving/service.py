"""A small service as a process: it serves one HTTP application until it is requested to end."""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, Final

from fastapi import FastAPI

from serving.command import told
from serving.ending import until_asked
from serving.output import quiet_output
from serving.server import HttpServer

BAD_INPUT: Final = 2


def run_service(
    name: str, serving: Coroutine[Any, Any, None], faults: tuple[type[Exception], ...]
) -> int:
    """Run a service until it is requested to end; return its exit status.

    Args:
        name: As it is called; is before the line that reports an error.
        serving: What it does, until it is cancelled.
        faults: Errors of its input, or of what it needs: each ends it with status 2 and one line.
    """
    with quiet_output():
        try:
            asyncio.run(until_asked(serving))
        except faults as error:
            reason = told(error) if isinstance(error, OSError) else error
            sys.stderr.write(f"{name}: {reason}\n")
            return BAD_INPUT
    return 0


async def serve_http(app: FastAPI, host: str, port: int) -> None:
    """Serve an application until cancelled; a line `ready URL` on standard output states where.

    Args:
        app: The application.
        host: Address to listen at.
        port: 0 for a free one.

    Raises:
        OSError: The port is in use.
    """
    http = HttpServer(app, host, port)
    await http.start()
    sys.stdout.write(f"ready {http.url}\n")
    sys.stdout.flush()
    try:
        await asyncio.Event().wait()
    finally:
        await http.stop()
