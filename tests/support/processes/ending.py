"""A command that is started, ended in every way that there is, and looked for afterwards.

What it starts is known by a variable in its environment, which children inherit.
"""

import asyncio
import os
import pty
import random
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from fes.testing.eventually import eventually

MARK = "FES_TEST_MARK"
WAYS = (
    *("SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"),
    *("pipe", "errors", "terminal", "Ctrl-C", "twice"),
)
"""How a command is ended.

By a signal; nobody reads its output any more, or nobody its errors (then it goes on, and SIGTERM
ends it); its terminal is closed; Ctrl-C at its terminal, which every process in the foreground
receives; two Ctrl-C one after the other.
"""

AT_A_TERMINAL = ("terminal", "Ctrl-C", "twice")
CTRL_C = b"\x03"

END_S = 60.0


@dataclass
class Command:
    """A command that runs.

    Args:
        words: Its words, behind the interpreter's `-m`, or `make` and what follows it.
        folder: Where it runs; `tmp` in it is for temporary files.
        at_a_terminal: Whether its output is a terminal.
    """

    words: Sequence[str]
    folder: Path
    at_a_terminal: bool = False
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    def __post_init__(self) -> None:
        """Start it."""
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir(exist_ok=True)
        self._ours, theirs = pty.openpty() if self.at_a_terminal else os.pipe()
        self._out = b""
        os.set_blocking(self._ours, False)
        environment = {**os.environ, MARK: self.mark, "TMPDIR": str(self.temporary)}
        environment["PYTHONUNBUFFERED"] = "1"
        self.process = subprocess.Popen(
            self.words if self.words[0] == "make" else [sys.executable, "-m", *self.words],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.STDOUT if self.at_a_terminal else subprocess.PIPE,
            start_new_session=True,
            preexec_fn=_own_terminal if self.at_a_terminal else _hung_up,  # noqa: PLW1509 - no threads
        )
        os.close(theirs)
        self._errors = b""
        if self.process.stderr is not None:
            os.set_blocking(self.process.stderr.fileno(), False)

    @property
    def said(self) -> str:
        """What it has printed."""
        with suppress(BlockingIOError, OSError):
            while chunk := os.read(self._ours, 65536):
                self._out += chunk
        return self._out.decode()

    @property
    def errors(self) -> str:
        """What it has written to standard error, where that is not its terminal."""
        if self.process.stderr is not None and not self.process.stderr.closed:
            with suppress(BlockingIOError):
                while chunk := os.read(self.process.stderr.fileno(), 65536):
                    self._errors += chunk
        return self._errors.decode()

    @property
    def lines(self) -> int:
        """How many lines it has printed."""
        return self.said.count("\n")

    async def end(self, way: str) -> str:
        """End it, and return what it wrote to standard error, or to its terminal."""
        if way in ("pipe", "terminal"):
            os.close(self._ours)
            self._ours = -1
        elif way in ("Ctrl-C", "twice"):
            os.write(self._ours, CTRL_C)
            if way == "twice":  # the second one comes amid the work of ending
                await asyncio.sleep(random.uniform(0.0, 1.0))
                os.write(self._ours, CTRL_C)
        elif way == "errors":
            assert self.process.stderr is not None
            self.process.stderr.close()
            self.process.terminate()
        else:
            self.send(signal.Signals[way])
        await eventually(self.has_ended, within_s=END_S)
        if self.process.stderr is None:
            return self.said
        return self.errors

    def send(self, number: signal.Signals) -> None:
        """Send it a signal; `make` passes on no other than SIGTERM, so its group receives those."""
        if self.words[0] == "make" and number in (signal.SIGINT, signal.SIGHUP):
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)

    def has_ended(self) -> bool:
        """Return whether it has ended; what it writes meanwhile is read."""
        _ = self.said, self.errors  # which are read, so that it never waits for a reader
        return self.process.poll() is not None

    def left(self) -> dict[int, str]:
        """Return the processes of it that live: id to command line."""
        found = {}
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                environment = (place / "environ").read_bytes().split(b"\0")
                if f"{MARK}={self.mark}".encode() in environment:
                    found[int(place.name)] = (place / "cmdline").read_text().replace("\0", " ")
        return found

    def close(self) -> None:
        """Kill what is left of it."""
        for pid in self.left():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        if self._ours != -1:
            os.close(self._ours)
            self._ours = -1
        if self.process.stderr:
            self.process.stderr.close()

    def ports(self) -> set[int]:
        """Return the ports of TCP that its processes listen on."""
        listening = _listening()
        found = set()
        for pid in self.left():
            with suppress(OSError):
                for entry in Path(f"/proc/{pid}/fd").iterdir():
                    with suppress(OSError):
                        found |= {listening.get(str(entry.readlink()), 0)}
        return found - {0}


def is_free(port: int) -> bool:
    """Tell whether a port of loopback can be listened on."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            probe.listen()
        except OSError:
            return False
    return True


def unwanted(folder: Path) -> list[str]:
    """Return files that a command leaves behind and that are no result of it."""
    kept = [path for path in folder.rglob("*") if path.parent.name != "__pycache__"]
    patterns = (".latest-*", "*.new", ".traffic-control.json.*", "*.tmp")
    names = [path for path in kept if any(path.match(pattern) for pattern in patterns)]
    return [str(path.relative_to(folder)) for path in names] + [
        f"tmp/{path.name}" for path in (folder / "tmp").iterdir() if path.name != "hsperfdata_root"
    ]


async def nothing_left(command: Command, ports: set[int], within_s: float = END_S) -> None:
    """Wait until no process of a command lives; then no port and no temporary file may be left."""
    await eventually(lambda: not command.left(), within_s=within_s)
    assert [port for port in ports if not is_free(port)] == []
    left = unwanted(command.folder)
    assert left == [], left


async def at_moment(command: Command, reached: Callable[[], bool]) -> None:
    """Wait until a command has come so far, or has ended before."""
    await eventually(lambda: reached() or command.has_ended(), within_s=END_S)


def _hung_up() -> None:
    """Have SIGHUP end what is started, also where the tests themselves run under `nohup`."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _own_terminal() -> None:
    """Make the terminal that is standard output the session's own, so that it is hung up."""
    _hung_up()
    import fcntl  # noqa: PLC0415 - in the child
    import termios  # noqa: PLC0415 - in the child

    fcntl.ioctl(1, termios.TIOCSCTTY, 0)


def _listening() -> dict[str, int]:
    """Return the sockets that listen, as /proc names them, to their ports."""
    found = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A":
                found[f"socket:[{words[9]}]"] = int(words[1].rpartition(":")[2], 16)
    return found
