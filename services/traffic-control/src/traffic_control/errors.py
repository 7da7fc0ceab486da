"""The errors of traffic-control.

ControlError
├── InputError   (ValueError)       a file, an option or a limit is not valid
├── UnknownError (KeyError)         there is no such monitor
├── BusyError    (RuntimeError)     too much is in progress; a retry helps
└── AwayError    (ConnectionError)  what was asked cannot be reached
"""

from typing import Final

import msgspec

UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What reading bytes that are not the JSON expected raises."""


class ControlError(Exception):
    """Is the base of every error of traffic-control."""


class InputError(ControlError, ValueError):
    """States that a file, an option or a limit is not valid; the message names the place."""


class UnknownError(ControlError, KeyError):
    """States that there is no such monitor.

    Args:
        monitor: The name that was given.
    """

    def __init__(self, monitor: str) -> None:
        super().__init__(monitor)
        self.monitor = monitor

    def __str__(self) -> str:
        """Return the message; a KeyError's own would be quoted."""
        return f"no monitor {self.monitor[:100]!r}"


class BusyError(ControlError, RuntimeError):
    """States that too many commands for a monitor are in progress."""


class AwayError(ControlError, ConnectionError):
    """States that the event service, or the running traffic-control, cannot be reached."""
