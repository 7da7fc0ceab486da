"""The errors that the native client APIs raise.

EventServiceError
├── MalformedError      (ValueError)       what came from the broker or the caller is not valid
├── TooLargeError       (ValueError)       an event is larger than the broker accepts
├── NotConnectedError   (ConnectionError)  the client is closed or its broker is away
└── RefusedError        (PermissionError)  the broker refused what was requested of it
"""


class EventServiceError(Exception):
    """Base of every error of a native client API."""

    retryable = False


class MalformedError(EventServiceError, ValueError):
    """Raised when a value, filter or payload is not valid; the message names the place."""


class TooLargeError(EventServiceError, ValueError):
    """Raised when an event exceeds the size that the service accepts; nothing was sent.

    Args:
        size_bytes: Size of the encoded event.
        limit_bytes: Largest size that the service accepts.
    """

    def __init__(self, size_bytes: int, limit_bytes: int) -> None:
        super().__init__(f"event of {size_bytes} bytes exceeds the limit of {limit_bytes} bytes")
        self.size_bytes = size_bytes
        self.limit_bytes = limit_bytes


class NotConnectedError(EventServiceError, ConnectionError):
    """Raised when the client is not connected; trying again later may help."""

    retryable = True


class BehindError(NotConnectedError):
    """Raised when an answer waits behind more messages than are processed in time."""


class RefusedError(EventServiceError, PermissionError):
    """Raised when the broker refused a subscription or publication."""
