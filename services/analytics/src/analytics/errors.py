"""Errors of the judge.

AnalyticsError
├── CannotJudgeError (ValueError)    an input is missing or contains nothing that can be judged
├── SettingError     (ValueError)    a setting is unknown or not valid
└── RunReplacedError                 a file is not the one that was read
"""

from pathlib import Path


class AnalyticsError(Exception):
    """Whatever the judge raises on purpose."""


class CannotJudgeError(AnalyticsError, ValueError):
    """An input is missing, or cannot be understood; no verdict is possible.

    Attributes:
        path: The file at fault.
        line: Its line, counted from 1; 0 where no single line is at fault.
    """

    def __init__(self, path: Path | str, line: int, message: str) -> None:
        place = f"{path}:{line}" if line else str(path)
        super().__init__(f"{place}: {message}")
        self.path = path
        self.line = line


class SettingError(AnalyticsError, ValueError):
    """A setting is unknown or not valid; the message names it."""


class RunReplacedError(AnalyticsError):
    """A file is not the one that was read: another run lies in the folder now."""
