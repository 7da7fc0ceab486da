"""Output of a command that nobody may read: a closed pipe is not an error.

In `fes filter explain … | head -1`, `head` closes the pipe when it has its line. Python reports
that as a BrokenPipeError, and once more at its end; a shell's own commands end quietly.
"""

import contextlib
import errno
import io
import os
import select
import stat
import sys
from collections.abc import Iterator
from typing import Final, TextIO

CLOSED: Final = 141
"""Exit status of a command whose output nobody reads any more: 128 and the number of SIGPIPE."""


GONE: Final = (errno.EPIPE, errno.EIO)
"""Errors of a write once the reader of a pipe, or a terminal, is gone."""


class OutputClosedError(SystemExit):
    """Raised by a write to standard output once nobody reads it; ends the command.

    It is a SystemExit, so that handlers of bad input, e.g. of an OSError, do not catch it.
    """

    def __init__(self) -> None:
        super().__init__(CLOSED)


class _Guarded:
    """A stream that raises OutputClosedError, or drops the text, where it cannot be written.

    Args:
        stream: The stream.
        ends: Whether a failed write ends the command, as for standard output.

    Attributes:
        reader_left: Whether a write has failed.
    """

    def __init__(self, stream: TextIO, *, ends: bool) -> None:
        self.reader_left = False
        self._stream = stream
        self._ends = ends

    def write(self, text: str) -> int:
        """Write a text."""
        try:
            return self._stream.write(text)
        except OSError as error:
            self._closed(error)
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        """Write texts one after the other."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Write what is buffered."""
        try:
            self._stream.flush()
        except OSError as error:
            self._closed(error)

    def __getattr__(self, name: str) -> object:
        """Return whatever else the stream has."""
        return getattr(self._stream, name)

    def _closed(self, error: OSError) -> None:
        if self._ends and error.errno not in GONE:
            error.filename = "standard output"
            raise error  # e.g. a full disk, which the command reports
        self.reader_left = True
        discard(self._stream)
        if self._ends:
            raise OutputClosedError


@contextlib.contextmanager
def quiet_output() -> Iterator[None]:
    """End a command quietly, with status 141, once nobody reads what it prints.

    What cannot be written to standard error is dropped, and so is what is written to a stream that
    was closed before the command began.

    Raises:
        OutputClosedError: From a write to standard output, or when the rest of it is written.
    """
    before = sys.stdout, sys.stderr
    _open_what_is_closed()
    streams = (sys.stdout or _opened(1), sys.stderr or _opened(2))
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):  # nor is a locale that lacks a character
            stream.reconfigure(errors="backslashreplace")
    out = _Guarded(streams[0], ends=True)
    sys.stdout, sys.stderr = out, _Guarded(streams[1], ends=False)
    try:
        yield
        out.flush()
    finally:
        with contextlib.suppress(OutputClosedError):
            out.flush()  # a command that raised keeps its own status
        sys.stdout, sys.stderr = before


def _open_what_is_closed() -> None:
    """Open the null device for each standard stream that is closed.

    Else the next file that the command opens would have its number, and contain what is printed.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # has the lowest number that is free


def _opened(number: int) -> TextIO:
    """Return a standard stream that Python did not open; it outlasts whoever requests it."""
    return open(number, "w", encoding="utf-8", closefd=False)


def print_line(line: str) -> None:
    """Print a line at once, also where standard output is a pipe.

    Raises:
        OutputClosedError: Nobody reads it any more.
    """
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def show(line: str) -> None:
    """Print a line from a callback of a loop; what nobody reads is dropped, and the loop continues.

    `serving.ending` ends the loop then.
    """
    with contextlib.suppress(OutputClosedError):
        print_line(line)


def discard(stream: TextIO) -> None:
    """Discard what is written to a stream from now on, also what Python flushes at its end."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, stream.fileno())
        finally:
            os.close(nowhere)


def is_closed(stream: TextIO) -> bool:
    """Return whether a stream is a pipe that nobody reads, or a terminal that is gone.

    A socket never counts as closed: a journal's daemon may open it again.
    """
    if getattr(stream, "reader_left", False):
        return True
    try:
        number = stream.fileno()
        mode = os.fstat(number).st_mode
    except (OSError, ValueError):
        return False
    if not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
        return False
    poll = select.poll()
    poll.register(number, 0)
    return any(state & (select.POLLERR | select.POLLHUP) for _, state in poll.poll(0))
