"""The errors of can-sim.

CanSimError
├── InputError   (ValueError)       a file or setting is not valid
└── BusError     (ConnectionError)  a frame could not be put on its bus
"""


class CanSimError(Exception):
    """Base of every error of can-sim."""


class InputError(CanSimError, ValueError):
    """Raised when a file or a setting is not valid.

    Args:
        reason: What is wrong.
        file: Name of the file; empty where no file is meant.
        line: Line, counted from 1; 0 where the whole file is meant.
        column: Name of the column, or its number from 1; empty where the whole line is meant.
    """

    def __init__(self, reason: str, file: str = "", line: int = 0, column: str = "") -> None:
        where = ":".join(part for part in (file, str(line) if line else "") if part)
        place = f"column {column}: " if column else ""
        super().__init__(" ".join(f"{where}{': ' if where else ''}{place}{reason}".split()))
        self.reason = reason
        self.file = file
        self.line = line
        self.column = column


class BusError(CanSimError, ConnectionError):
    """Raised when a frame could not be put on its bus.

    Args:
        reason: One word, for counters.
        detail: The cause in words.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
