"""Diagnostics: one line of JSON on standard output for each thing that happened."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Final, TextIO

from serving.output import OutputClosedError

_OWN: Final = frozenset(vars(logging.LogRecord("", 0, "", 0, "", None, None))) | {
    "message",
    "asctime",
    "taskName",
}
_QUIET: Final = (
    "httpx",
    "httpcore",
    "uvicorn",
    "asyncio",
    "gmqtt",
    "websockets",
    "py4j",
    "pyspark",
)


class JsonFormatter(logging.Formatter):
    """Writes records as JSON: the event's name and its fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        line |= {key: value for key, value in vars(record).items() if key not in _OWN}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


class _Quiet(logging.StreamHandler[TextIO]):
    """Drops what cannot be written: a log that nobody reads is not an error of its writer."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        try:
            super().emit(record)
        except OutputClosedError:
            return

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """Report an error in a record, but not a full file or a closed pipe."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def set_up(level: str = "INFO", stream: TextIO | None = None) -> None:
    """Make every logger of the process write lines of JSON.

    Args:
        level: Lowest level that is written.
        stream: The output; standard output where None.
    """
    handler = _Quiet(stream or sys.stdout)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
