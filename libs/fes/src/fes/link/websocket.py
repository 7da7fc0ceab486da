"""The link over a WebSocket: one adapter dials one gateway."""

import asyncio
import contextlib
import random
from collections.abc import Callable

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from fes.errors import LinkError
from fes.link.end import Hello, Message, Receiver
from fes.link.frames import Window, decode_frame, encode_frame
from fes.link.lanes import Lanes
from fes.link.messages import Refuse

ACK_S = 0.1
MAX_FRAME_BYTES = 2 * 1024 * 1024
FIRST_DELAY_S, MOST_DELAY_S = 0.1, 5.0


class SocketEnd:
    """One end of a link over a WebSocket that is open.

    Args:
        socket: The WebSocket.
        receiver: Takes what the other end sends.
    """

    def __init__(self, socket: ClientConnection | ServerConnection, receiver: Receiver) -> None:
        self._socket = socket
        self._receiver = receiver
        self._lanes = Lanes()
        self._window = Window()
        self._wake = asyncio.Event()
        self.lost = 0
        self.sent = 0

    def send(self, message: Message) -> bool:
        """Queue a message for the next frame; see `LinkEnd`."""
        taken = self._lanes.put(message)
        self._wake.set()
        return taken

    async def run(self) -> None:
        """Carry messages both ways until the link breaks or is closed.

        Raises:
            LinkError: The other end broke the protocol.
        """
        try:
            async with asyncio.TaskGroup() as group:
                writer = group.create_task(self._write())
                try:
                    await self._read()
                finally:
                    writer.cancel()
        except* ConnectionClosed:
            pass
        except* LinkError as errors:
            await self.close()
            raise errors.exceptions[0] from None
        finally:
            self.lost += self._window.unacknowledged_messages + len(self._lanes)

    async def close(self) -> None:
        """Close the link; harmless twice."""
        await self._socket.close()

    @property
    def counters(self) -> dict[str, int]:
        """Messages sent, dropped because the queue was full, and lost when the link broke."""
        return {"link_sent": self.sent, "link_dropped": self._lanes.dropped, "link_lost": self.lost}

    async def _read(self) -> None:
        async for data in self._socket:
            frame = decode_frame(data)
            self._window.take(frame)
            for message in frame.messages:
                self._receiver(message)
            if self._window.must_acknowledge or self._lanes:
                self._wake.set()

    async def _write(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ACK_S):
                    await self._wake.wait()
            self._wake.clear()
            while self._lanes and self._window.is_open:
                batch = self._lanes.take()
                await self._socket.send(encode_frame(self._window.frame(batch)))
                self.sent += len(batch)
            if self._window.may_acknowledge:
                await self._socket.send(encode_frame(self._window.frame(())))


class Dialler:
    """Keeps an adapter's link to its gateway: dials, says hello, and dials again.

    Args:
        url: `ws://host:port/link`.
        hello: Gives the adapter's hello.
        on_up: Called with the end once the gateway took the hello; returns the receiver.
        on_down: Called when the link broke.
        rng: For the decorrelated jitter of the back-off.
    """

    def __init__(
        self,
        url: str,
        hello: Callable[[], Hello],
        on_up: Callable[[SocketEnd], None],
        on_down: Callable[[str], None],
        rng: random.Random,
    ) -> None:
        self._url = url
        self._hello = hello
        self._on_up = on_up
        self._on_down = on_down
        self._rng = rng
        self.dials = 0

    async def run(self, receiver: Receiver) -> None:
        """Dial until cancelled.

        Raises:
            LinkError: The gateway refused the link for good.
        """
        delay_s = FIRST_DELAY_S
        while True:
            self.dials += 1
            try:
                await self._once(receiver)
                delay_s = FIRST_DELAY_S
            except (OSError, InvalidHandshake, TimeoutError, ConnectionClosed) as error:
                self._on_down(f"cannot reach the gateway: {error}")
            except LinkError as error:
                self._on_down(str(error))
            delay_s = min(MOST_DELAY_S, self._rng.uniform(FIRST_DELAY_S, delay_s * 3))
            await asyncio.sleep(delay_s)

    async def _once(self, receiver: Receiver) -> None:
        async with connect(
            self._url, compression=None, max_size=MAX_FRAME_BYTES, ping_interval=5, ping_timeout=5
        ) as socket:
            refused: list[str] = []

            def take(message: Message) -> None:
                if isinstance(message, Refuse):
                    refused.append(message.reason)
                else:
                    receiver(message)

            end = SocketEnd(socket, take)
            end.send(self._hello())
            self._on_up(end)
            await end.run()
            if refused:
                raise LinkError(f"the gateway refused the link: {refused[0]}")
            self._on_down("the link broke")
