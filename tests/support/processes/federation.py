"""A whole federation in processes of its own: planned, started, asked, watched and ended."""

import csv
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml
from support.judge.runs import Line, place

MONITORS = (("M01", 0.0, 50.0), ("M02", 180.0, 70.0), ("M03", 900.0, 60.0))
"""Name, metres east, and limit. Each hears 150 m far, so that the first two overlap."""

NATIVELY = {
    "cns": ("--channel", "FES0001"),
    "siena": ("--service", "siena-m", "--index", "FES_Subject"),
    "steam": ("--air", "traffic.air", "--cell", "300"),
}
"""What a native observer must know of each event service, beside its broker."""

SPEEDUP = 4.0
TRACE_S = 900
START_S = 60.0
STOP_S = 20.0


class Federation:
    """A federation that `fes run` runs.

    Args:
        folder: Its run folder, planned.
        own: Gateways and adapters that get a process of their own.
    """

    def __init__(self, folder: Path, own: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.began_s = time.monotonic()
        command = [*_program("fes.cli.main"), "run", str(folder / "federation.yaml")]
        command += ["--run", str(folder)]
        command += [word for name in own for word in ("--own-process", name)]
        with (folder / "fes-run.log").open("wb") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    @property
    def alive(self) -> bool:
        """Whether `fes run` runs."""
        return self._process.poll() is None

    @property
    def said(self) -> str:
        """What `fes run` told."""
        return (self.folder / "fes-run.log").read_text()

    @property
    def processes(self) -> dict[int, str]:
        """Its processes that live, brokers too: id to command line."""
        return {self._process.pid: "fes run"} | _descendants(self._process.pid)

    def lines(self, name: str) -> list[Line]:
        """Return the whole lines of a log of the run."""
        return whole_lines(self.folder / name)

    def broker(self, name: str) -> str:
        """Return the address of a broker."""
        federation = yaml.safe_load((self.folder / "federation.yaml").read_text())
        return str(federation["brokers"][name]["url"])

    def pid(self, part: str) -> int:
        """Return the process id of a gateway, of a process of the run, or of a broker."""
        told = self._endpoints()
        if part in told["gateways"]:
            return int(told["gateways"][part]["pid"])
        if part in told["processes"]:
            return int(told["processes"][part])
        return next(pid for pid, command in self.processes.items() if f"/{part}.conf" in command)

    def kill(self, part: str) -> int:
        """End the process of a part without warning, and say so; return its process id."""
        pid = self.pid(part)
        now_us = time.time_ns() // 1000
        note = {"v": 1, "part": part, "from_us": now_us, "to_us": now_us, "by": "harness"}
        with (self.folder / "outages.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({**note, "cause": "signal 9"}) + "\n")
        os.kill(pid, signal.SIGKILL)
        return pid

    def ask(self, gateway: str, path: str) -> Any:
        """Return what a gateway answers."""
        return self._request("GET", gateway, path).json()

    def inject(self, gateway: str, **request: Any) -> str:
        """Inject a request into a gateway; return its id."""
        answer = self._request("POST", gateway, "/v1/requests", request)
        assert answer.status_code == httpx.codes.ACCEPTED, answer.text
        return str(answer.json()["id"])

    def subscriptions(self, gateway: str) -> dict[str, set[str]]:
        """Return a gateway's subscriptions: filter to the services where it is applied."""
        return {one["filter"]: _applied(one) for one in self.ask(gateway, "/v1/subscriptions")}

    def announcements(self, gateway: str) -> dict[str, set[str]]:
        """Return a gateway's announcements: subject to the services where it is applied."""
        listed = self.ask(gateway, "/v1/announcements")
        return {one["event"]["subject"]: _applied(one) for one in listed}

    def decisions(self, gateway: str, request: str) -> list[str]:
        """Return what a gateway did with a request."""
        return [one["decision"] for one in self.ask(gateway, f"/v1/requests/{request}")["steps"]]

    def faults(self, gateway: str) -> dict[str, str]:
        """Return the parts that keep a gateway from being ready, and why."""
        found: dict[str, str] = self.ask(gateway, "/readyz")["faults"]
        return found

    def ear(self, monitor: str) -> Line:
        """Return what a monitor's gateway knows of its access point to the air."""
        adapters = self.ask(f"g-m-{monitor}", "/v1/adapters")
        return next(one for one in adapters if one["service"] == f"steam-m-{monitor}")

    def set_limit(self, monitor: str, limit_kmh: float) -> None:
        """Have the city change a limit, by REST."""
        city = json.loads((self.folder / "traffic-control.json").read_text())["url"]
        answer = httpx.put(f"{city}/v1/limits/{monitor}", json={"limit_kmh": limit_kmh})
        assert answer.status_code == httpx.codes.ACCEPTED, answer.text

    def reports(self, monitor: str) -> int:
        """Return how many offenders the city has heard of from a monitor."""
        return sum(one["monitor"] == monitor for one in self.lines("offenders.jsonl"))

    def stop(self) -> int:
        """Interrupt it, as Ctrl-C does; return its exit status.

        Raises:
            TimeoutExpired: It did not end in time; all of its processes were killed.
        """
        own = self.processes
        self._process.send_signal(signal.SIGINT)
        try:
            return self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            for pid in own:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._process.wait()
            raise

    def _endpoints(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads((self.folder / "endpoints.json").read_text())
        return told

    def _request(self, method: str, gateway: str, path: str, body: Any = None) -> httpx.Response:
        url = self._endpoints()["gateways"][gateway]["url"]
        return httpx.request(method, url + path, json=body, timeout=10.0)


def plan(folder: Path, urls: dict[str, str] | None = None) -> Path:
    """Plan a run: vehicles that pass the monitors all the time, now fast, now slow.

    Args:
        folder: Where; made.
        urls: Addresses of brokers that are there already; the others are the federation's.
    """
    folder.mkdir()
    trace, monitors = folder / "drives.csv", folder / "places.csv"
    _write(trace, ("time", "vehicle", "lat", "lon", "speed_kmh"), _drives())
    spots = [(name, *place(east, 0.0), 150, limit) for name, east, limit in MONITORS]
    _write(monitors, ("monitor", "lat", "lon", "radius_m", "limit_kmh"), spots)
    command = [*_program("traffic_scenario"), "plan", "--out", str(folder)]
    command += ["--trace", str(trace), "--monitors", str(monitors), "--speedup", str(SPEEDUP)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    file = folder / "federation.yaml"
    federation = yaml.safe_load(file.read_text())
    for name, url in (urls or {}).items():
        federation["brokers"][name]["url"] = url
    file.write_text(yaml.safe_dump(federation, sort_keys=False))
    return folder


@contextmanager
def running(folder: Path, *own: str) -> Iterator[Federation]:
    """Run a planned federation; give it once the city hears of offenders, and end it at the end."""
    federation = Federation(folder, own)
    try:
        said, since_s = "", time.monotonic()
        while not federation.lines("offenders.jsonl"):
            assert federation.alive, federation.said
            if federation.said != said:
                said, since_s = federation.said, time.monotonic()
            assert time.monotonic() < since_s + START_S, said
            time.sleep(0.05)
        yield federation
    finally:
        if federation.alive:
            federation.stop()


@dataclass(frozen=True)
class Observer:
    """A native client of an event service that tells of all that it sees there."""

    out: Path

    def saw(self, what: str, about: str) -> int:
        """Return how often it saw a kind of thing that speaks of something."""
        seen = whole_lines(self.out)
        return sum(what in line.values() and about in json.dumps(line) for line in seen)


@contextmanager
def observing(kind: str, url: str, out: Path) -> Iterator[Observer]:
    """Start a native observer of the run's event services of a kind, and end it at the end.

    Args:
        kind: A key of `NATIVELY`.
        url: Its broker.
        out: Takes what it tells.
    """
    command = (*_program(f"eventservices.{kind}"), "observe", "--url", url, *NATIVELY[kind])
    with out.open("wb") as file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file)
    try:
        yield Observer(out)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(10)


def whole_lines(path: Path) -> list[Line]:
    """Return the whole lines of a file of JSON lines that may still be written; [] without it."""
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and waits for its parent does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def _drives() -> Iterator[tuple[Any, ...]]:
    """Yield where each vehicle is in each second: three stay near monitors, one passes them all."""
    for second in range(TRACE_S):
        time_s = 1_767_268_800 + second
        east, north = math.cos(second / 5) * 60, math.sin(second / 5) * 60
        speed = 62.0 + 40.0 * math.sin(second / 3)
        yield time_s, "FES0001", *place(90.0, north), f"{speed:.1f}"
        yield time_s, "FES0002", *place(east - 60.0, north), f"{speed:.1f}"
        yield time_s, "FES0003", *place(900.0 + east, north), f"{speed:.1f}"
        far = 450.0 - 1100.0 * math.cos(second / 25)
        away = not -250.0 < far < 1150.0
        yield time_s, "FES0004", *place(far, 20.0), f"{130.0 if away else speed:.1f}"


def _applied(listed: Line) -> set[str]:
    return {one["service"] for one in listed["applied"] if one["state"] == "applied"}


def _descendants(pid: int) -> dict[int, str]:
    found: dict[int, str] = {}
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # a thread, or a process, may end while it is looked at
            for child in map(int, file.read_text().split()):
                command = Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
                found |= {child: command} | _descendants(child)
    return found


def _write(path: Path, header: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def _program(module: str) -> tuple[str, ...]:
    return (sys.executable, "-m", module)
