"""CAN logs: candump's text, Vector's ASC and BLF, PEAK's TRC."""

from eventservices.canlog.frame import Kind, LogFrame
from eventservices.canlog.reader import LogNotes, Watch, kind_of, read_frames
from eventservices.canlog.writer import LogWriter

__all__ = ["Kind", "LogFrame", "LogNotes", "LogWriter", "Watch", "kind_of", "read_frames"]
