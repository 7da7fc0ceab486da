"""Something that is no broker, and listens where one should."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager


@asynccontextmanager
async def somebody_else(port: int, say: Callable[[int], bytes]) -> AsyncIterator[list[int]]:
    """Have something listen on a port; gives a number for each caller.

    Args:
        port: On loopback.
        say: Returns what a caller is told before it is hung up on, by its number from 1.
    """
    callers: list[int] = []

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        callers.append(len(callers))
        writer.write(say(len(callers)))
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", port)
    try:
        yield callers
    finally:
        server.close()
        await server.wait_closed()
