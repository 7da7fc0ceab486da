"""Errors of the judge.

AnalyticsError
└── CannotJudgeError (ValueError)    an input is missing or says nothing that can be judged
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

    def __init__(self, path: Path, line: int, message: str) -> None:
        place = f"{path}:{line}" if line else str(path)
        super().__init__(f"{place}: {message}")
        self.path = path
        self.line = line
