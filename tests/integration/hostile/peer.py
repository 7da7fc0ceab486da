"""Whoever dials the link server and does not keep to the protocol, or does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fes.link.end import Hello, Message
from fes.link.frames import Frame, decode_frame, encode_frame
from fes.link.messages import Counted, Heard, Refuse
from fes.model import Event, Stamp, binary
from fes.testing.eventually import eventually
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

GOOD = Event.of("Speed", rate=40.0)
"""What a good peer says."""


class Peer:
    """Speaks frames by hand.

    Args:
        socket: The WebSocket.
        acknowledges: Whether it acknowledges what comes.
    """

    def __init__(self, socket: ClientConnection, *, acknowledges: bool = True) -> None:
        self.socket = socket
        self.got: list[Message] = []
        self.closed = asyncio.Event()
        self._acknowledges = acknowledges
        self._number = 0
        self._received = 0

    async def read(self) -> None:
        """Read until the link is closed."""
        with suppress(ConnectionClosed):
            async for data in self.socket:
                frame = decode_frame(data)
                self._received = frame.number or self._received
                self.got += frame.messages
                if self._acknowledges and frame.number:
                    await self.socket.send(encode_frame(Frame(0, self._received)))
        self.closed.set()

    async def say(self, *messages: Message) -> None:
        """Send the next frame."""
        self._number += 1
        seen = self._received if self._acknowledges else 0
        await self.socket.send(encode_frame(Frame(self._number, seen, messages)))

    async def hello(self, adapter: str, service: str, version: int = 1) -> None:
        """Say hello."""
        await self.say(Hello(adapter, service, 1, {}, version))

    async def join(self, adapter: str, service: str) -> None:
        """Say hello, wait for the desired state, and tell that all is well."""
        await self.hello(adapter, service)
        await eventually(lambda: self.got, what="the desired state")
        await self.say(Counted(ready=True, reason="", counters={}))

    @property
    def refusals(self) -> list[str]:
        """Reasons why the gateway refused the link."""
        return [message.reason for message in self.got if isinstance(message, Refuse)]


@asynccontextmanager
async def dialled(port: int, *, acknowledges: bool = True) -> AsyncIterator[Peer]:
    """Dial a link server."""
    url = f"ws://127.0.0.1:{port}/link"
    socket = await connect(url, compression=None, max_size=None)
    peer = Peer(socket, acknowledges=acknowledges)
    reading = asyncio.create_task(peer.read())
    yield peer
    if not peer.closed.is_set():
        await socket.close()
    await reading


def heard(sequence: int, matched: tuple[int, ...], body: bytes | None = None) -> Heard:
    """Return a message that an event was heard."""
    stamp = Stamp("far/car", 1, sequence, 1_700_000_000_000_000, "far")
    told = binary.encode(GOOD) if body is None else body
    return Heard(stamp, (), "Speed", matched, 1, 0, 0, False, told)
