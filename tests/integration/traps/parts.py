"""Parts of a federation as processes of their own, which are told to stop."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.gateways.kept import FEDERATION

ENDS_S = 15.0
"""Longest that a part takes to stop; containers are given as much."""

How = tuple[str, Path, Sequence[object]]
"""The module of a part, the folder of its run, and its words on the command line."""


@dataclass
class Part:
    """A process that was started, and where what it says goes."""

    process: subprocess.Popen[bytes]
    output: Path

    def tell(self, number: int = signal.SIGTERM) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def ends(self) -> int:
        """Return its status once it has ended."""
        return self.process.wait(ENDS_S)

    def says(self, what: str, within_s: float = 30.0) -> None:
        """Wait until it has said something."""
        deadline = time.monotonic() + within_s
        while what not in self.said:
            assert self.process.poll() is None, self.said
            assert time.monotonic() < deadline, self.said
            time.sleep(0.02)

    @property
    def said(self) -> str:
        """What it has said so far."""
        return self.output.read_text("utf-8", "replace")


@contextmanager
def started(module: str, folder: Path, options: Sequence[object]) -> Iterator[Part]:
    """Start a part; in the end it is gone."""
    output = folder / f"{module}.{time.monotonic_ns()}.out"
    with output.open("wb") as sink:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *map(str, options)],
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
    try:
        yield Part(process, output)
    finally:
        process.kill()
        process.wait()


def gateway(folder: Path, url: str) -> How:
    """Return how the gateway is started, for `started`."""
    file = folder / "federation.yaml"
    file.write_text(FEDERATION % url, "utf-8")
    return "fes_gateway", folder, ["--federation", file, "--run", folder]


def adapter(folder: Path, url: str) -> How:
    """Return how one of its adapters is, apart from a gateway that is not there."""
    _, _, options = gateway(folder, url)
    apart = ["--gateway", "g", "--event-service", "north", "--link", "ws://127.0.0.1:1/link"]
    return "adapter_cns", folder, [*options, *apart]


CITY = """
version: 1
system: stopping
brokers: {siena: {kind: nats, url: "%s"}}
event_services:
  steam-m-M01: {kind: memory}
  siena-m: {kind: siena, brokers: [siena], settings: {index: FES_Subject}}
gateways:
  g-m-M01: {adapters: {steam-m-M01: {}, siena-m: {}}}
"""


def city(folder: Path, url: str) -> How:
    """Return how the city is started."""
    (folder / "federation.yaml").write_text(CITY % url, "utf-8")
    lines = "monitor,lat,lon,radius_m,limit_kmh\nM01,50.02,11.49,150,70\n"
    (folder / "monitors.csv").write_text(lines, "utf-8")
    return "traffic_control", folder, ["serve", "--run", folder, "--port", 0]
