"""A native client of JMS by STOMP, which knows nothing of the federation."""

import time
from collections import deque
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Self

import stomp


class JmsClient(stomp.ConnectionListener):  # type: ignore[misc] # the library has no types
    """Sends and receives frames; what came is in `messages`, errors in `errors`.

    Args:
        port: Of the broker.
        client_id: Name for durable subscriptions.
        user: Name and password.
    """

    def __init__(self, port: int, client_id: str = "", user: tuple[str, str] | None = None) -> None:
        self.messages: deque[tuple[dict[str, str], bytes]] = deque()
        self.errors: list[str] = []
        self.receipts: set[str] = set()
        self._receipt = 0
        self._connection = stomp.StompConnection12(
            [("127.0.0.1", port)],
            try_loopback_connect=False,
            reconnect_attempts_max=1,
            auto_decode=False,
            auto_content_length=False,
        )
        self._connection.set_listener("", self)
        headers = {"client-id": client_id} if client_id else {}
        self._connection.connect(*(user or (None, None)), wait=True, headers=headers)

    def __enter__(self) -> Self:
        """Begin; it is connected."""
        return self

    def __exit__(self, *_: object) -> None:
        """Disconnect."""
        self.close()

    def close(self) -> None:
        """Disconnect."""
        if self._connection.is_connected():
            self._connection.transport.disconnect_socket()

    def send(self, destination: str, body: bytes = b"", /, **headers: str) -> None:
        """Send a message with headers."""
        self.send_as(destination, body, headers)

    def send_as(self, destination: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a message with headers of any name."""
        self._connection.send(destination, body, headers=dict(headers))

    def subscribe(
        self,
        destination: str,
        number: str = "1",
        selector: str = "",
        more: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Subscribe; return when it is active, or refused."""
        headers = {**({"selector": selector} if selector else {}), **more, **self._asked()}
        self._connection.subscribe(destination, number, ack="auto", headers=headers)
        self.flush()

    def unsubscribe(self, number: str) -> None:
        """End a subscription."""
        self._connection.unsubscribe(number, headers=self._asked())
        self.flush()

    def flush(self) -> None:
        """Return when the broker has processed all that was sent before."""
        self._connection.send("/topic/flush", b"", headers=self._asked())
        end_s = time.monotonic() + 30
        while f"f{self._receipt}" not in self.receipts and self._connection.is_connected():
            assert time.monotonic() < end_s, "the broker does not answer"
            time.sleep(0.005)

    def _asked(self) -> dict[str, str]:
        self._receipt += 1
        return {"receipt": f"f{self._receipt}"}

    def on_message(self, frame: Any) -> None:
        """Note a message."""
        self.messages.append((frame.headers, frame.body or b""))

    def on_receipt(self, frame: Any) -> None:
        """Note a receipt."""
        self.receipts.add(frame.headers["receipt-id"])

    def on_error(self, frame: Any) -> None:
        """Note an error."""
        self.errors.append(frame.headers.get("message", ""))
