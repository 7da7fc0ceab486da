"""`fes run` of a file, whose gateways are killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


class Run:
    """One `fes run` of a file, that is killed and started again.

    Args:
        folder: Where its run folder and its output lie.
        path: The file.
        apart: Gateways that have a process of their own.
    """

    def __init__(self, folder: Path, path: Path, apart: Sequence[str] = ()) -> None:
        self.folder = folder
        self.words = (
            *(sys.executable, "-m", "fes.cli.main", "run", str(path)),
            *("--run", str(folder / "run")),
            *(word for name in apart for word in ("--own-process", name)),
        )
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with (self.folder / "out").open("ab") as out:
            self.process = subprocess.Popen(
                self.words, stdout=out, stderr=out, cwd=self.folder, start_new_session=True
            )

    def gateways(self) -> list[int]:
        """Return the processes of gateways, which `fes run` started."""
        assert self.process is not None
        told = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text("utf-8")
        found = [int(each) for each in told.split()]
        gateways = []
        for each in found:
            with suppress(OSError):  # one may end while it is looked at
                if b"fes_gateway" in Path(f"/proc/{each}/cmdline").read_bytes():
                    gateways.append(each)
        return gateways

    def kill_gateways(self) -> int:
        """Kill them; `fes run` starts them again."""
        gateways = self.gateways()
        for each in gateways:
            os.kill(each, signal.SIGKILL)
        return len(gateways)

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)
