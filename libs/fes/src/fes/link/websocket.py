"""The link over a WebSocket: one adapter dials one gateway."""

import asyncio
import contextlib
import random
import time
from collections.abc import Callable
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.frames import CloseCode

from fes.errors import LinkError, LinkRefusedError
from fes.link.end import Hello, Message, Receiver
from fes.link.frames import Window, decode_frame, encode_frame
from fes.link.lanes import Lanes
from fes.link.messages import Refuse

ACK_S = 0.1
MAX_FRAME_BYTES = 2 * 1024 * 1024
"""Largest frame from an adapter."""

MAX_ORDERS_BYTES = 64 * 1024 * 1024
"""Largest frame from a gateway, which sends the whole desired state as one message."""

FIRST_DELAY_S, MOST_DELAY_S = 0.1, 5.0
MOST_REFUSED_S = 30.0
"""Longest pause after a link that was refused: another adapter has it, and keeps it."""

STEADY_S = 5.0
"""How long a link must have lasted for the pauses between dials to restart."""

CLOSE_S = 1.0
"""Longest wait for the other end to close; one that is halted does not delay a stop."""

CLOSE_REASON = 120
"""Most characters of the reason for which a link is closed; WebSocket accepts 123 bytes."""

_BREACHES = (CloseCode.PROTOCOL_ERROR, CloseCode.INVALID_DATA, CloseCode.MESSAGE_TOO_BIG)
"""Codes with which this end closes a WebSocket whose other end breaks the protocol."""


class SocketEnd:
    """One end of a link over a WebSocket that is open.

    Args:
        socket: The WebSocket.
        receiver: Accepts what the other end sends.
    """

    def __init__(self, socket: ClientConnection | ServerConnection, receiver: Receiver) -> None:
        self._socket = socket
        self._receiver = receiver
        self._lanes = Lanes()
        self._window = Window()
        self._wake = asyncio.Event()
        self._ended = False
        self.lost = 0
        self.sent = 0

    def displaced_with(self, receiver: Receiver) -> None:
        """Pass to a function each sent message that is dropped for a more urgent one."""
        self._lanes.on_displaced = receiver

    def send(self, message: Message) -> bool:
        """Queue a message for the next frame; see `LinkEnd`."""
        if self._ended:
            self.lost += 1
            return False
        taken = self._lanes.put(message)
        self._wake.set()
        return taken

    async def run(self) -> None:
        """Send and receive messages until the link breaks or is closed.

        Raises:
            LinkError: The other end broke the protocol.
        """
        broken = ""
        try:
            async with asyncio.TaskGroup() as group:
                writer = group.create_task(self._write())
                try:
                    await self._read()
                finally:
                    writer.cancel()
        except* ConnectionClosed as closed:
            broken = _breach(closed.exceptions[0])
        except* LinkError as errors:
            broken = str(errors.exceptions[0])
        finally:
            self._ended = True
            self.lost += self._window.unacknowledged_messages + self._lanes.count
        if broken:
            told = broken.encode("ascii", "replace")[:CLOSE_REASON].decode()
            await self._socket.close(CloseCode.PROTOCOL_ERROR, told)
            raise LinkError(broken)

    async def close(self) -> None:
        """Close the link; idempotent."""
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
            if self._window.must_acknowledge or self._lanes.count:
                self._wake.set()

    async def _write(self) -> None:
        while not self._lanes.cut:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ACK_S):
                    await self._wake.wait()
            self._wake.clear()
            while self._lanes.count and self._window.is_open:
                batch = self._lanes.take()
                await self._socket.send(encode_frame(self._window.frame(batch)))
                self.sent += len(batch)
            if self._window.may_acknowledge:
                await self._socket.send(encode_frame(self._window.frame(())))
        raise LinkError("the other end reads no more: too much control traffic waits for it")


def _breach(error: BaseException) -> str:
    """Return how the other end broke the WebSocket protocol; "" where the link just ended."""
    sent = error.sent if isinstance(error, ConnectionClosed) else None
    if sent is None or sent.code not in _BREACHES:
        return ""
    return f"refused by the other end: {sent.reason or CloseCode(sent.code).name}"


class Dialler:
    """Keeps an adapter's link to its gateway: dials, sends a hello, and dials again.

    Args:
        url: `ws://host:port/link`.
        hello: Returns the adapter's hello.
        on_up: Called with the end once the hello was sent.
        on_down: Called with the reason when the link broke or could not be made.
        rng: For the decorrelated jitter of the back-off.
        address: Address to dial, where the host of `url` has several; the host itself where "".
        on_refused: Called with the reason when the gateway refused the link.
        on_granted: Called when the gateway uses the link for the first time.

    Attributes:
        dials: How often it has dialled.
        linked: Whether a link is up.
    """

    def __init__(
        self,
        url: str,
        hello: Callable[[], Hello],
        on_up: Callable[[SocketEnd], None],
        on_down: Callable[[str], None],
        rng: random.Random,
        address: str = "",
        on_refused: Callable[[str], None] | None = None,
        on_granted: Callable[[], None] | None = None,
    ) -> None:
        self._on_refused = on_refused or (lambda _: None)
        self._on_granted = on_granted or (lambda: None)
        self._url = url
        self._where: dict[str, Any] = {"host": address} if address else {}
        self._hello = hello
        self._on_up = on_up
        self._on_down = on_down
        self._rng = rng
        self.dials = 0
        self.linked = False

    async def run(self, receiver: Receiver) -> None:
        """Dial until cancelled; a link that was refused is dialled again too."""
        delay_s = FIRST_DELAY_S
        while True:
            self.dials += 1
            dialled_s, most_s = time.monotonic(), MOST_DELAY_S
            try:
                await self._once(receiver)
                if time.monotonic() - dialled_s > STEADY_S:  # one that ends at once was not a link
                    delay_s = FIRST_DELAY_S
            except LinkRefusedError as error:
                most_s = MOST_REFUSED_S
                self._down(str(error))
                self._on_refused(str(error))
            except LinkError as error:
                self._down(str(error))
            except (OSError, InvalidHandshake, TimeoutError, ConnectionClosed) as error:
                self._down(f"cannot reach the gateway: {error}")
            delay_s = min(most_s, self._rng.uniform(FIRST_DELAY_S, delay_s * 3))
            await asyncio.sleep(delay_s)

    async def _once(self, receiver: Receiver) -> None:
        async with connect(
            self._url,
            compression=None,
            proxy=None,  # proxies in the environment are for the outside world
            max_size=MAX_ORDERS_BYTES,
            ping_interval=5,
            ping_timeout=5,
            close_timeout=CLOSE_S,
            **self._where,
        ) as socket:
            refused: list[str] = []
            granted = False

            def take(message: Message) -> None:
                nonlocal granted
                if isinstance(message, Refuse):
                    refused.append(message.reason)
                    return
                if not granted:
                    granted = True
                    self._on_granted()
                receiver(message)

            end = SocketEnd(socket, take)
            end.send(self._hello())
            self.linked = True
            self._on_up(end)
            await end.run()
            if refused:
                raise LinkRefusedError(f"the gateway refused the link: {refused[0]}")
            self._down("the link broke")

    def _down(self, reason: str) -> None:
        self.linked = False
        self._on_down(reason)
