"""Watches an SQLite file for appends, of this process or another.

An appender sends a datagram to every socket in a folder beside the file. A datagram may be lost, so
the file's `data_version` is checked, too.
"""

import contextlib
import os
import secrets
import socket
import threading
from collections.abc import Callable, Collection
from pathlib import Path

import apsw

from fes_gateway.store.bell import tell

LOOK_S = 0.05
"""How often the file is checked."""


class SqliteWatch:
    """Calls a function soon after any append, until closed.

    Args:
        path: The file.
        changed: The function, called from a thread of its own.

    Attributes:
        name: Name of its socket; empty where the system provides none, e.g. since the path is too
            long.

    Raises:
        apsw.Error: The file cannot be read.
        OSError: The folder for sockets cannot be created.
    """

    def __init__(self, path: Path, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        self._version = self._look()
        self._closed = threading.Event()
        self._socket, self._path = _bound(folder_of(path))
        self.name = self._path.name if self._path else ""
        self._thread = threading.Thread(target=self._run, name=f"{path.name} watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop calling; idempotent, also from the function itself."""
        self._closed.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        try:
            while not self._closed.is_set():
                woken = self._wait()
                version = self._look()
                if (woken or version != self._version) and not self._closed.is_set():
                    tell(self._changed)
                self._version = version
        finally:
            self._db.close()
            if self._socket is not None:
                self._socket.close()
            if self._path is not None:
                self._path.unlink(missing_ok=True)

    def _wait(self) -> bool:
        """Wait for a datagram; return whether there was one. All that wait count as one."""
        if self._socket is None:
            self._closed.wait(LOOK_S)
            return False
        try:
            self._socket.settimeout(LOOK_S)
            self._socket.recv(1)
            self._socket.setblocking(False)
            while True:
                self._socket.recv(1)
        except BlockingIOError:
            return True
        except OSError:
            return False

    def _look(self) -> int:
        try:
            version: int = self._db.execute("pragma data_version").get
        except apsw.Error:
            return -1  # once it can be read again it differs from this, which is reported
        return version


def folder_of(path: Path) -> Path:
    """Return the folder of the sockets of a file's watchers."""
    return path.with_name(f"{path.name}-watch")


def wake(path: Path, but: Collection[str] = ()) -> None:
    """Send a datagram to all watchers of a file; sockets without a process are removed.

    Args:
        path: The file.
        but: Names of sockets to skip.
    """
    try:
        found = [each for each in folder_of(path).iterdir() if each.name not in but]
    except OSError:
        return  # the file was never watched
    if not found:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.setblocking(False)
        for each in found:
            _send(sender, each)


def _send(sender: socket.socket, to: Path) -> None:
    try:
        sender.sendto(b"\0", str(to))
    except ConnectionRefusedError:
        with contextlib.suppress(OSError):
            to.unlink(missing_ok=True)
    except OSError:
        return  # its queue is full, so that it is about to wake; or it has just closed


def _bound(folder: Path) -> tuple[socket.socket | None, Path | None]:
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{os.getpid()}-{secrets.token_hex(4)}"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        listener.bind(str(path))
    except OSError:
        listener.close()
        return None, None
    return listener, path
