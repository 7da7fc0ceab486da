"""Writes a CAN log, in the format that the file's name indicates."""

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from eventservices.canlog.candump import format_frame
from eventservices.canlog.frame import Kind, LogFrame
from eventservices.canlog.reader import kind_of
from eventservices.errors import MalformedError

if TYPE_CHECKING:
    import can

_WRITERS: Final = {"asc": "ASCWriter", "blf": "BLFWriter", "trc": "TRCWriter"}


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
        if kind in _WRITERS:
            import can  # noqa: PLC0415 - a tenth of the start of each adapter, which writes no log

            self._writer = getattr(can, _WRITERS[kind])(path)
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
                self._writer.on_message_received(_message(frame))
            except (ValueError, TypeError) as error:
                raise MalformedError(f"the log has no form for a frame: {error}") from error
        self.frames += 1

    def close(self) -> None:
        """End the log; harmless where that was done."""
        if self._text is not None:
            self._text.close()
        if self._writer is not None:
            self._writer.stop()
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


def _message(frame: LogFrame) -> "can.Message":
    import can  # noqa: PLC0415 - it was imported with the writer

    remote = frame.kind is Kind.REMOTE
    return can.Message(
        timestamp=(frame.time_us or 0) / 1e6,
        arbitration_id=frame.can_id,
        is_extended_id=frame.extended,
        is_remote_frame=remote,
        is_error_frame=frame.kind is Kind.ERROR,
        data=None if remote else frame.data,
        dlc=frame.remote_length if remote else len(frame.data),
        is_fd=frame.fd,
        bitrate_switch=frame.bit_rate_switch,
        error_state_indicator=frame.error_state,
        is_rx=frame.direction != "T",
        channel=frame.channel or None,
    )
