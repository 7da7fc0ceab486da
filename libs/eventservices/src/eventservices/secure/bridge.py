"""TLS for a library that speaks through a plain socket of its own in threads.

`stomp.py` does not notice, over TLS, that a broker has ended a connection. So the event loop speaks
TLS, and what passes goes to and from one end of a pair of sockets, whose other end the library has.
"""

import asyncio
import socket
import ssl
from contextlib import suppress
from typing import Final

from eventservices.ending import ended

CHUNK_BYTES: Final = 64 * 1024
"""Most that is passed at once; neither side is read while the other does not read."""


class Bridge:
    """A connection with TLS, as a plain socket; ends when either side does.

    Args:
        context: How TLS is spoken.
        host, port: Of the broker.
    """

    def __init__(self, context: ssl.SSLContext, host: str, port: int) -> None:
        self._context = context
        self._place = host, port
        self._passing: asyncio.Task[None] | None = None

    async def open(self) -> socket.socket:
        """Connect, and return the library's end, which blocks.

        Raises:
            OSError: Nobody listens, or the handshake fails.
        """
        far_reader, far_writer = await asyncio.open_connection(*self._place, ssl=self._context)
        own, other = socket.socketpair()
        try:
            other.setblocking(False)
            reader, writer = await asyncio.open_connection(sock=other)
        except BaseException:
            far_writer.transport.abort()
            own.close()
            other.close()
            raise
        passing = self._pass(far_reader, far_writer, reader, writer)
        self._passing = asyncio.create_task(passing, name="tls bridge")
        return own

    async def close(self, within_s: float = 0.0) -> None:
        """End it; idempotent.

        Args:
            within_s: Longest wait for the broker to read what the library sent before its end was
                closed; seconds.
        """
        if self._passing is not None:
            await asyncio.wait({self._passing}, timeout=within_s)
            await ended(self._passing)

    async def _pass(
        self,
        far_reader: asyncio.StreamReader,
        far_writer: asyncio.StreamWriter,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        out = asyncio.create_task(_copy(reader, far_writer), name="tls bridge out")
        back = asyncio.create_task(_copy(far_reader, writer), name="tls bridge in")
        try:
            await asyncio.wait({out, back}, return_when=asyncio.FIRST_COMPLETED)
            if out.done():  # the library has closed its end, and all that it sent was passed
                far_writer.close()
                with suppress(OSError):
                    await far_writer.wait_closed()
        finally:
            await ended(out, back)
            far_writer.transport.abort()
            writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass bytes on until one side has ended."""
    with suppress(OSError):
        while data := await reader.read(CHUNK_BYTES):
            writer.write(data)
            await writer.drain()
