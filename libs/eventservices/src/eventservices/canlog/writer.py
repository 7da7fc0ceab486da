"""Writes a CAN log, in the format that the file's name indicates."""

from pathlib import Path
from types import TracebackType
from typing import Final, Self

from eventservices.canlog.candump import format_frame
from eventservices.canlog.frame import LogFrame
from eventservices.canlog.reader import kind_of
from eventservices.errors import MalformedError

BY_LIBRARY: Final = ("asc", "blf", "trc")
"""Formats that python-can writes."""


class LogWriter:
    """Appends frames to a log that it restarts; `with` closes it.

    Candump's text is written by our own hand, so that what is read back is what was written; the
    others by python-can.

    Args:
        path: `.asc`, `.blf`, `.trc`; anything else is candump's text.

    Raises:
        OSError: The file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.frames = 0
        kind = kind_of(path.name)
        self._text = None
        self._writer = None
        if kind in BY_LIBRARY:
            from eventservices.canlog.pythoncan import PythonCanLog  # noqa: PLC0415 - slow, and adapters write none

            self._writer = PythonCanLog(path, kind)
        else:
            self._text = path.open("w", encoding="utf-8", newline="")

    def write(self, frame: LogFrame) -> None:
        """Append a frame.

        Raises:
            MalformedError: The log's format has no form for it.
        """
        if self._text is not None:
            self._text.write(format_frame(frame) + "\n")
        elif self._writer is not None:
            try:
                self._writer.write(frame)
            except (ValueError, TypeError) as error:
                raise MalformedError(f"the log has no form for a frame: {error}") from error
        self.frames += 1

    def close(self) -> None:
        """End the log; harmless where that was done."""
        if self._text is not None:
            self._text.close()
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def __enter__(self) -> Self:
        """Return the writer."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the log."""
        self.close()
