"""A broker that speaks just enough MQTT 3.1.1 to misbehave."""

import asyncio
from collections.abc import Callable
from typing import Self

CONNECT, PUBLISH, SUBSCRIBE, PINGREQ = 1, 3, 8, 12


class FakeBroker:
    """Answers as it is told to.

    Args:
        code: Return code of each topic of a SUBSCRIBE; None leaves it unanswered.
        accept: Return code of a CONNECT; None ends the connection instead.
        refuse: Tells which topics get return code 128 whatever `code` says.
    """

    def __init__(
        self,
        code: int | None = 0,
        accept: int | None = 0,
        refuse: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.code = code
        self.accept = accept
        self.refuse = refuse
        self.connections = 0
        self._server: asyncio.Server | None = None
        self._writers: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> Self:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        """End all connections."""
        for writer in self._writers:
            writer.close()
        if self._server is not None:
            self._server.close()

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"mqtt://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def send(self, packet: bytes) -> None:
        for writer in self._writers:
            writer.write(packet)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.append(writer)
        try:
            while True:
                await self._answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        (head,) = await reader.readexactly(1)
        body = await reader.readexactly(await _length(reader))
        if head >> 4 == CONNECT and self.accept is None:
            raise ConnectionError
        if head >> 4 == CONNECT:
            writer.write(bytes([0x20, 2, 0, self.accept or 0]))
        elif head >> 4 == SUBSCRIBE and self.code is not None:
            codes = [0x80 if self.refuse(topic) else self.code for topic in _topics(body[2:])]
            writer.write(bytes([0x90, 2 + len(codes), *body[:2], *codes]))
        elif head >> 4 == PINGREQ:
            writer.write(b"\xd0\x00")


async def _length(reader: asyncio.StreamReader) -> int:
    length, shift = 0, 0
    while True:
        (byte,) = await reader.readexactly(1)
        length |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return length


def _topics(body: bytes) -> list[str]:
    topics = []
    while body:
        size = int.from_bytes(body[:2], "big")
        topics.append(body[2 : 2 + size].decode())
        body = body[3 + size :]
    return topics
