"""The errors of traffic-control.

ControlError
├── InputError   (ValueError)       a file, an option or a limit is not valid
├── UnknownError (KeyError)         there is no such monitor
├── BusyError    (RuntimeError)     too much is in progress; a retry helps
└── AwayError    (ConnectionError)  a service or program cannot be reached
"""

from typing import Final

import msgspec

UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Errors of reading bytes that are not the expected JSON."""


class ControlError(Exception):
    """Base of every error of traffic-control."""


class InputError(ControlError, ValueError):
    """Raised when a file, an option or a limit is not valid; the message names the place."""


class UnknownError(ControlError, KeyError):
    """Raised when there is no such monitor.

    Args:
        monitor: The unknown name.
    """

    def __init__(self, monitor: str) -> None:
        super().__init__(monitor)
        self.monitor = monitor

    def __str__(self) -> str:
        """Return the message; a KeyError's own would be quoted."""
        return f"no monitor {self.monitor[:100]!r}"


class BusyError(ControlError, RuntimeError):
    """Raised when too many commands for a monitor are in progress."""


class AwayError(ControlError, ConnectionError):
    """Raised when the event service, or the running traffic-control, cannot be reached."""
