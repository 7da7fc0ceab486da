"""A proxy between a client and its broker, which goes deaf, swallows and kicks as it is told to."""

import asyncio
import contextlib
from typing import Self

CHUNK = 65_536


class Way:
    """One connection through the proxy: from a client to the broker, and back."""

    def __init__(
        self, proxy: "Proxy", near: asyncio.StreamWriter, far: asyncio.StreamWriter
    ) -> None:
        self.deaf = False
        self._proxy = proxy
        self._near = near
        self._far = far

    def abort(self) -> None:
        """End the connection at once, at both ends."""
        for writer in (self._near, self._far):
            writer.transport.abort()

    async def carry(self, near: asyncio.StreamReader, far: asyncio.StreamReader) -> None:
        """Pass on what both ends say until one of them has gone."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pass_on(near, self._far, back=False))
                group.create_task(self._pass_on(far, self._near, back=True))
        except* ConnectionError:
            pass
        finally:
            self.abort()

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, back: bool
    ) -> None:
        while data := await reader.read(CHUNK):
            if self._proxy.silent or (back and self.deaf):
                self._proxy.swallowed += len(data)
                continue
            writer.write(data)
            await writer.drain()
        raise ConnectionResetError("one end has gone")


class Proxy:
    """Listens on a port of its own, and passes on to a broker's.

    Args:
        port: The broker's, on loopback.

    Attributes:
        silent: Whether what either end says is thrown away, on every connection.
        kick_s: How long a new connection lasts, seconds; None for as long as its ends want.
        connections: Connections that were made so far.
        swallowed: Bytes that were thrown away.
    """

    def __init__(self, port: int) -> None:
        self.silent = False
        self.kick_s: float | None = None
        self.connections = 0
        self.swallowed = 0
        self.port = 0
        self._broker = port
        self._server: asyncio.Server | None = None
        self._ways: set[Way] = set()

    async def __aenter__(self) -> Self:
        """Listen."""
        self._server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        """End every connection, and listen no more."""
        self.cut()
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def deafen(self) -> None:
        """Have the connections that there are bring nothing back any more, and stay open."""
        for way in self._ways:
            way.deaf = True

    def cut(self) -> None:
        """End the connections that there are."""
        for way in tuple(self._ways):
            way.abort()

    async def _take(self, near: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            far, out = await asyncio.open_connection("127.0.0.1", self._broker)
        except OSError:
            writer.transport.abort()
            return
        way = Way(self, writer, out)
        self._ways.add(way)
        if self.kick_s is not None:
            asyncio.get_running_loop().call_later(self.kick_s, way.abort)
        try:
            await way.carry(near, far)
        finally:
            self._ways.discard(way)
            for each in (writer, out):
                with contextlib.suppress(ConnectionError):
                    await each.wait_closed()
