"""One connection of `stomp.py`, and its threads: whatever happens is handed to the event loop.

Nothing else of the adapter runs in another thread. What the threads pass on is bounded by what the
broker sends before it is acknowledged; what is sent waits in a bounded queue.
"""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote

import stomp
import stomp.exception

from eventservices.addresses import split_url
from eventservices.errors import NotConnectedError
from eventservices.secure import (
    Bridge,
    client_context,
    ended_early,
    handshake_fault,
    late,
    split_access,
)
from eventservices.slices import SLICE_S

if TYPE_CHECKING:
    import socket

OPEN_S: Final = 5.0
"""Longest that connecting lasts; the runtime tries again."""

HEARTBEAT_MS: Final = 10_000
"""How often each side proves that it is there; half as long again, and the connection is lost."""

UNSENT: Final = 4096
"""Most frames that wait to be sent; above it nothing is published."""

UNSENT_BYTES: Final = 64 * 1024 * 1024
"""Most bytes of bodies that wait to be sent; a larger body is sent where none waits."""

CLOSE_S: Final = 2.0

log = logging.getLogger(__name__)

# The library's log repeats what is reported by errors, and frames with credentials in them.
logging.getLogger("stomp.py").setLevel(logging.CRITICAL + 1)


class Frame(NamedTuple):
    """A frame that came, or the end of the connection, which has no command.

    Attributes:
        command: `CONNECTED`, `MESSAGE`, `RECEIPT`, `ERROR`; "" where the connection ended.
        headers: Its headers.
        body: Its bytes.
    """

    command: str
    headers: dict[str, str]
    body: bytes


ENDED: Final = Frame("", {}, b"")


class StompClient(stomp.ConnectionListener):  # type: ignore[misc] # the library has no types
    """Connects once; who needs another connection makes another client.

    Args:
        url: `stomp://[user:password@]host:port`, or `stomp+ssl://…` with files in its query
            (`eventservices.secure`).
        client_id: Name of the connection, which durable subscriptions belong to; "" for none.
        receive: Receives what comes, on the event loop.
    """

    def __init__(self, url: str, client_id: str, receive: Callable[[Frame], None]) -> None:
        bare, self._access = split_access(url, own=())
        found = split_url(bare)
        self._host = (found.hostname or "", found.port or 61613)
        self._user = unquote(found.username) if found.username else None
        self._password = unquote(found.password or "") if found.username else None
        self._is_tls = found.scheme.endswith("+ssl")
        self._client_id = client_id
        self._receive = receive
        self._loop = asyncio.get_running_loop()
        self._arrived: deque[Frame] = deque()
        self._is_waking = False
        self._lock = threading.Lock()
        self._unsent: Queue[tuple[str, dict[str, str], bytes] | None] = Queue()
        self._unsent_bytes = 0
        self._native: stomp.StompConnection12 | None = None
        self._writer: threading.Thread | None = None
        self._ended = threading.Event()
        self._bridge: Bridge | None = None
        self._socket: socket.socket | None = None

    @property
    def shown(self) -> str:
        """The address, as people read it."""
        return f"{self._host[0]}:{self._host[1]}"

    @property
    def early(self) -> str:
        """Why the broker may have ended the connection before it accepted it."""
        return ended_early(self.shown, secure=self._is_tls)

    @property
    def late(self) -> str:
        """Why the broker may not have accepted the connection in time."""
        reason = "the broker does not accept the connection in time"
        return late(reason, self.shown, secure=self._is_tls and self._socket is None)

    async def dial(self) -> None:
        """Connect with TLS, where the address requires it; `open` comes next.

        Raises:
            NotConnectedError: Nobody listens, or no handshake succeeds.
            RefusedError: A file is not what it should be.
        """
        if not self._is_tls:
            return
        self._bridge = Bridge(await client_context(self._access), *self._host)
        try:
            self._socket = await self._bridge.open()
        except OSError as error:
            fault = handshake_fault(error, self.shown, self._access.ca_file)
            raise NotConnectedError(fault or f"no broker answers at {self.shown}") from error

    def open(self) -> None:
        """Connect, and send the first frame; what the broker answers is received as any frame.

        It blocks, so it is called from a thread.

        Raises:
            NotConnectedError: Nobody listens, or the client was dropped meanwhile.
        """
        native = self._native = stomp.StompConnection12(
            [self._host],
            try_loopback_connect=False,
            prefer_localhost=False,
            reconnect_attempts_max=1,
            reconnect_sleep_initial=0.0,
            timeout=OPEN_S,
            heartbeats=(HEARTBEAT_MS, HEARTBEAT_MS),
            auto_decode=False,
            auto_content_length=False,
        )
        if self._is_tls:
            native.transport.attempt_connection = lambda: self._use_bridge(native.transport)
        native.set_listener("fes", self)
        headers = {"client-id": self._client_id} if self._client_id else {}
        try:
            native.connect(self._user, self._password, headers=headers)
        except (stomp.exception.StompException, OSError) as error:
            answered = self._socket is not None  # to the handshake of TLS
            reason = self.early if answered else f"no broker answers at {self.shown}"
            raise NotConnectedError(reason) from error
        if self._ended.is_set():  # a connection that nobody ends would keep the client's name
            self._end()
            raise NotConnectedError("the connection to the broker has ended")
        self._writer = threading.Thread(
            target=self._write, args=(native,), name="stomp write", daemon=True
        )
        self._writer.start()

    def send(self, command: str, headers: Mapping[str, str], body: bytes = b"") -> None:
        """Have a frame sent, in its turn.

        There is always room for an acknowledgement: a broker that lacks it sends no more messages.

        Raises:
            NotConnectedError: Too many wait, or the connection has ended.
        """
        if self._ended.is_set():
            raise NotConnectedError("the connection to the broker has ended")
        with self._lock:
            frames, size = self._unsent.qsize(), self._unsent_bytes
            is_full = frames >= UNSENT or (size and size + len(body) > UNSENT_BYTES)
            if is_full and command != "ACK":
                reason = f"{frames} frames of {size} bytes wait for the broker to read"
                raise NotConnectedError(reason)
            self._unsent_bytes += len(body)
        self._unsent.put((command, dict(headers), body))

    def close(self) -> None:
        """Disconnect; what was sent before is written, as long as the broker reads.

        It blocks for a moment, so it is called from a thread.
        """
        writer = self._writer
        if writer is not None and not self._ended.is_set():
            self._unsent.put(None)
            writer.join(CLOSE_S)
        self._end()

    def drop(self) -> None:
        """End the connection at once, as where the broker does not answer; from a thread."""
        self._end()

    def on_connected(self, frame: Any) -> None:
        """Pass on that the broker accepts the connection."""
        self._pass(Frame("CONNECTED", frame.headers, b""))

    def on_message(self, frame: Any) -> None:
        """Pass on a message."""
        self._pass(Frame("MESSAGE", frame.headers, frame.body or b""))

    def on_receipt(self, frame: Any) -> None:
        """Pass on a receipt."""
        self._pass(Frame("RECEIPT", frame.headers, b""))

    def on_error(self, frame: Any) -> None:
        """Pass on an error."""
        self._pass(Frame("ERROR", frame.headers, frame.body or b""))

    def on_disconnected(self) -> None:
        """Pass on that the connection has ended."""
        if not self._ended.is_set():
            self._ended.set()
            self._pass(ENDED)

    def _pass(self, frame: Frame) -> None:
        with self._lock:
            self._arrived.append(frame)
            if self._is_waking:
                return
            self._is_waking = True
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._take)

    def _take(self) -> None:
        """Receive what has come, for a moment only, so that others have their turn."""
        until_s = time.perf_counter() + SLICE_S
        while (frame := self._next()) is not None:
            try:
                self._receive(frame)
            except Exception:
                log.exception("handler_failed", extra={"command": frame.command})
            if time.perf_counter() > until_s:
                self._loop.call_soon(self._take)
                return

    def _next(self) -> Frame | None:
        with self._lock:
            self._is_waking = bool(self._arrived)
            return self._arrived.popleft() if self._arrived else None

    def _write(self, native: stomp.StompConnection12) -> None:
        while not self._ended.is_set():
            try:
                frame = self._unsent.get(timeout=0.5)
            except Empty:
                continue
            if frame is None:
                return
            command, headers, body = frame
            try:
                native.send_frame(command, headers, body)
            except (stomp.exception.StompException, OSError):
                self.on_disconnected()
            with self._lock:
                self._unsent_bytes -= len(body)

    async def hang_up(self, within_s: float = 0.0) -> None:
        """End what `dial` began, after `close` or `drop`; idempotent.

        Args:
            within_s: Longest wait for the broker to read what was sent before; seconds.
        """
        if self._bridge is not None:
            await self._bridge.close(within_s)
        if self._socket is not None:
            self._socket.close()

    def _use_bridge(self, transport: Any) -> None:
        if self._socket is None:
            raise NotConnectedError("`dial` comes before `open`")
        transport.socket = self._socket
        transport.current_host_and_port = self._host

    def _end(self) -> None:
        self._ended.set()
        if self._native is not None:
            with suppress(stomp.exception.StompException, OSError):
                self._native.transport.disconnect_socket()
