"""Logs that python-can writes; to import it lasts a tenth of a second."""

from pathlib import Path

import can

from eventservices.canlog.frame import Kind, LogFrame

_WRITERS = {"asc": can.ASCWriter, "blf": can.BLFWriter, "trc": can.TRCWriter}


class PythonCanLog:
    """Appends frames to a log that it restarts.

    Args:
        path: The log.
        kind: Its format: `asc`, `blf` or `trc`.

    Raises:
        OSError: The file cannot be written.
    """

    def __init__(self, path: Path, kind: str) -> None:
        self._writer = _WRITERS[kind](path)

    def write(self, frame: LogFrame) -> None:
        """Append a frame.

        Raises:
            ValueError, TypeError: The log's format has no form for it.
        """
        remote = frame.kind is Kind.REMOTE
        message = can.Message(
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
        self._writer.on_message_received(message)

    def close(self) -> None:
        """End the log."""
        self._writer.stop()
