"""Diagnostics: one line of JSON on standard output for each thing that happened."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Final, TextIO

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
    """Writes the event's name and its fields."""

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


def set_up(level: str = "INFO", stream: TextIO | None = None) -> None:
    """Have every logger of the process write lines of JSON.

    Args:
        level: Least level that is written.
        stream: Where to; standard output where None.
    """
    handler = logging.StreamHandler(stream or sys.stdout)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
