"""One connection of `stomp.py`, and its threads: whatever happens is handed to the event loop.

Nothing else of the adapter runs in another thread. What the threads pass on is bounded by what the
broker sends before it is acknowledged; what is sent waits in a bounded queue.
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import Empty, Full, Queue
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

import stomp
import stomp.exception

from eventservices.addresses import split_url
from eventservices.errors import NotConnectedError

OPEN_S: Final = 5.0
"""Longest that connecting lasts; the runtime tries again."""

HEARTBEAT_MS: Final = 10_000
"""How often each side proves that it is there; half as long again, and the connection is lost."""

UNSENT: Final = 4096
"""Most frames that wait to be sent; above it nothing is published."""

CLOSE_S: Final = 2.0

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
        url: `stomp://[user:password@]host:port`, or `stomp+ssl://…`.
        client_id: Name of the connection, which durable subscriptions belong to; "" for none.
        receive: Receives what comes, on the event loop.
    """

    def __init__(self, url: str, client_id: str, receive: Callable[[Frame], None]) -> None:
        found = split_url(url)
        self._host = (found.hostname or "", found.port or 61613)
        self._user = unquote(found.username) if found.username else None
        self._password = unquote(found.password or "") if found.username else None
        self._is_tls = found.scheme.endswith("+ssl")
        self._client_id = client_id
        self._receive = receive
        self._arrived: deque[Frame] = deque()
        self._is_waking = False
        self._lock = threading.Lock()
        self._unsent: Queue[tuple[str, dict[str, str], bytes] | None] = Queue(UNSENT)
        self._writer: threading.Thread | None = None
        self._ended = threading.Event()

    @property
    def unsent(self) -> int:
        """How many frames wait to be sent."""
        return self._unsent.qsize()

    def open(self) -> None:
        """Connect, and send the first frame; what the broker answers is received as any frame.

        It blocks, so it is called from a thread; `begin` comes before it.

        Raises:
            NotConnectedError: Nobody listens.
        """
        self._native = stomp.StompConnection12(
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
            self._native.set_ssl([self._host])
        self._native.set_listener("fes", self)
        headers = {"client-id": self._client_id} if self._client_id else {}
        try:
            self._native.connect(self._user, self._password, headers=headers)
        except (stomp.exception.StompException, OSError) as error:
            host, port = self._host
            raise NotConnectedError(f"no broker answers at {host}:{port}") from error
        self._writer = threading.Thread(target=self._write, name="stomp write", daemon=True)
        self._writer.start()

    def begin(self) -> None:
        """Note the event loop that receives."""
        self._loop = asyncio.get_running_loop()

    def send(self, command: str, headers: Mapping[str, str], body: bytes = b"") -> None:
        """Have a frame sent, in its turn.

        Raises:
            NotConnectedError: Too many wait, or the connection has ended.
        """
        if self._ended.is_set():
            raise NotConnectedError("the connection to the broker has ended")
        try:
            self._unsent.put_nowait((command, dict(headers), body))
        except Full:
            raise NotConnectedError(f"{UNSENT} frames wait for the broker to read") from None

    def close(self) -> None:
        """Disconnect; what was sent before is written, as long as the broker reads.

        It blocks for a moment, so it is called from a thread.
        """
        writer = self._writer
        if writer is not None and not self._ended.is_set():
            with suppress(Full):
                self._unsent.put_nowait(None)
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
        """Receive what has come, some at a time, so that others have their turn."""
        with self._lock:
            some = [self._arrived.popleft() for _ in range(min(64, len(self._arrived)))]
            self._is_waking = bool(self._arrived)
        for frame in some:
            self._receive(frame)
        if self._is_waking:
            self._loop.call_soon(self._take)

    def _write(self) -> None:
        while not self._ended.is_set():
            try:
                frame = self._unsent.get(timeout=0.5)
            except Empty:
                continue
            if frame is None:
                return
            command, headers, body = frame
            try:
                self._native.send_frame(command, headers, body)
            except (stomp.exception.StompException, OSError):
                self.on_disconnected()

    def _end(self) -> None:
        self._ended.set()
        native = getattr(self, "_native", None)
        if native is not None:
            with suppress(stomp.exception.StompException, OSError):
                native.transport.disconnect_socket()
