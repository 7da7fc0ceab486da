"""A whole federation in processes of its own: planned, started, asked, watched and ended."""

import csv
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml
from support.runs import Line, place, read_lines

STEAM, SIENA, CNS = "steam", "siena", "cns"
VEHICLES = ("FES0001", "FES0002", "FES0003", "FES0004")
MONITORS = (("M01", 0.0, 50.0), ("M02", 180.0, 70.0), ("M03", 900.0, 60.0))
"""Name, metres east, and limit. The first two overlap: each hears 150 m far."""

START_S = 60.0
STOP_S = 20.0
SPEEDUP = 4.0
_TRACE_S = 900


class Federation:
    """A federation that `fes run` runs.

    Args:
        folder: Its run folder, planned.
        own: Gateways and adapters that get a process of their own.
    """

    def __init__(self, folder: Path, own: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.began_s = time.monotonic()
        apart = [word for name in own for word in ("--own-process", name)]
        with (folder / "fes-run.log").open("wb") as log:
            self._process = subprocess.Popen(
                (*_program("fes.cli.main"), "run", folder / "federation.yaml")
                + ("--run", folder, *apart),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def said(self) -> str:
        """What `fes run` told."""
        return (self.folder / "fes-run.log").read_text()

    @property
    def processes(self) -> dict[int, str]:
        """Every process of the federation that lives, brokers too: its id and command line."""
        return {self._process.pid: "fes run"} | descendants(self._process.pid)

    def lines(self, name: str) -> list[Line]:
        """Return the whole lines of a log of the run."""
        path = self.folder / name
        text = path.read_text() if path.exists() else ""
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]

    def broker(self, name: str) -> str:
        """Return a broker's address."""
        federation = yaml.safe_load((self.folder / "federation.yaml").read_text())
        return str(federation["brokers"][name]["url"])

    def pid(self, part: str) -> int:
        """Return the process id of a gateway, an adapter set apart, or a broker."""
        told = self._endpoints()
        if part in told["gateways"]:
            return int(told["gateways"][part]["pid"])
        if part in told["processes"]:
            return int(told["processes"][part])
        return next(pid for pid, command in self.processes.items() if f"/{part}.conf" in command)

    def kill(self, part: str) -> int:
        """End the process of a part without warning; return its process id."""
        pid = self.pid(part)
        os.kill(pid, signal.SIGKILL)
        return pid

    def get(self, gateway: str, path: str) -> Any:
        """Ask a gateway."""
        return self._ask("GET", gateway, path).json()

    def subscriptions(self, gateway: str) -> dict[str, Line]:
        """Return the subscriptions that a gateway lists, by filter."""
        return {one["filter"]: one for one in self.get(gateway, "/v1/subscriptions")}

    def announcements(self, gateway: str) -> dict[str, Line]:
        """Return the announcements that a gateway lists, by subject."""
        return {one["event"]["subject"]: one for one in self.get(gateway, "/v1/announcements")}

    def decisions(self, gateway: str, request: str) -> set[str]:
        """Return what a gateway says that it did with a request."""
        return {step["decision"] for step in self.get(gateway, f"/v1/requests/{request}")["steps"]}

    def faults(self, gateway: str) -> dict[str, str]:
        """Return the parts that keep a gateway from being ready, and why."""
        found: dict[str, str] = self._ask("GET", gateway, "/readyz").json()["faults"]
        return found

    def accepted(self, monitor: str) -> int:
        """Return how many events a monitor's access point to the air has let in so far."""
        adapters = self.get(f"g-m-{monitor}", "/v1/adapters")
        counters = next(one["counters"] for one in adapters if one["service"].startswith(STEAM))
        return int(counters.get("accepted", 0))

    def inject(self, gateway: str, **request: Any) -> str:
        """Inject a request into a gateway; return its id."""
        answer = self._ask("POST", gateway, "/v1/requests", request)
        assert answer.status_code == httpx.codes.ACCEPTED, answer.text
        return str(answer.json()["id"])

    def set_limit(self, monitor: str, limit_kmh: float) -> list[str]:
        """Have the city change a limit; return the ids of its requests."""
        city = json.loads((self.folder / "traffic-control.json").read_text())["url"]
        answer = httpx.put(f"{city}/v1/limits/{monitor}", json={"limit_kmh": limit_kmh})
        assert answer.status_code == httpx.codes.ACCEPTED, answer.text
        requests: list[str] = answer.json()["requests"]
        return requests

    def reported(self, monitor: str = "") -> int:
        """Return how many offenders the city has heard of, from one monitor or all."""
        return sum(monitor in ("", one["monitor"]) for one in self.lines("offenders.jsonl"))

    def stop(self) -> int:
        """Interrupt it, as Ctrl-C does, and return its exit status; what does not end is killed."""
        own = self.processes
        if self.alive:
            self._process.send_signal(signal.SIGINT)
        try:
            return self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            for pid in own:
                _kill(pid)
            raise
        finally:
            self._process.kill()
            self._process.wait()

    def _endpoints(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads((self.folder / "endpoints.json").read_text())
        return told

    def _ask(self, method: str, gateway: str, path: str, body: Any = None) -> httpx.Response:
        url = self._endpoints()["gateways"][gateway]["url"]
        return httpx.request(method, url + path, json=body, timeout=10.0)


@dataclass(frozen=True)
class Observer:
    """A native observer of one event service, that knows nothing of the federation."""

    out: Path

    def seen(self) -> list[Line]:
        """Return what it has seen so far."""
        text = self.out.read_text()
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]

    def saw(self, what: str, about: str) -> int:
        """Return how often it saw something of a kind that speaks of a word."""
        return sum(
            what in line.values() and about in json.dumps(line, ensure_ascii=False)
            for line in self.seen()
        )


def plan(folder: Path, **urls: str) -> Path:
    """Plan a run: vehicles that pass the monitors all the time, now fast, now slow.

    Args:
        folder: Where; made.
        urls: Addresses of brokers that are there already, by name with `_` for `-`.
    """
    folder.mkdir()
    trace, monitors = folder / "drives.csv", folder / "places.csv"
    _write(trace, ("time", "vehicle", "lat", "lon", "speed_kmh"), _drives())
    spots = [(name, *place(east, 0.0), 150, limit) for name, east, limit in MONITORS]
    _write(monitors, ("monitor", "lat", "lon", "radius_m", "limit_kmh"), spots)
    subprocess.run(
        (*_program("traffic_scenario"), "plan", "--out", folder, "--trace", trace)
        + ("--monitors", monitors, "--speedup", str(SPEEDUP)),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    file = folder / "federation.yaml"
    federation = yaml.safe_load(file.read_text())
    for name, url in urls.items():
        federation["brokers"][name.replace("_", "-")]["url"] = url
    file.write_text(yaml.safe_dump(federation, sort_keys=False))
    return folder


@contextmanager
def running(folder: Path, *own: str) -> Iterator[Federation]:
    """Run a planned federation; give it once offenders are reported, and end it at the end."""
    federation = Federation(folder, own)
    try:
        while not federation.reported():
            assert federation.alive, federation.said
            assert time.monotonic() < federation.began_s + START_S, federation.said
            time.sleep(0.05)
        yield federation
    finally:
        if federation.alive:
            federation.stop()


@contextmanager
def observing(federation: Federation, kind: str, *options: str) -> Iterator[Observer]:
    """Start a native observer, and end it at the end.

    Args:
        federation: Tells where brokers are.
        kind: Of the event service.
        options: What the observer of that kind needs to know beside its broker.
    """
    url = federation.broker({CNS: "cns", SIENA: "siena-2", STEAM: "air"}[kind])
    out = federation.folder / f"observer-{kind}.jsonl"
    command = (*_program(f"eventservices.{kind}"), "observe", "--url", url, *options)
    with out.open("wb") as file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file)
    try:
        yield Observer(out)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(10)


def descendants(pid: int) -> dict[int, str]:
    """Return the processes that a process has started, and those that they have."""
    found: dict[int, str] = {}
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in file.read_text().split():
            found[int(child)] = _command_line(int(child))
            found |= descendants(int(child))
    return found


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that ended and was not waited for does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def event_log(folder: Path) -> list[Line]:
    """Return the lines of all event logs of a run."""
    return [line for path in folder.glob("logs/eventlog-*.jsonl") for line in read_lines(path)]


def _drives() -> Iterator[tuple[Any, ...]]:
    """Yield where each vehicle is in each second: two stay between monitors, one crosses all."""
    for second in range(_TRACE_S):
        around = (math.cos(second / 5) * 60, math.sin(second / 5) * 60)
        speed = 62.0 + 40.0 * math.sin(second / 3)
        far = 450.0 - 1100.0 * math.cos(second / 25)
        for vehicle, (east, north) in zip(
            VEHICLES,
            ((90.0, around[0]), (-60 + around[0], around[1]), (900 + around[0], 0.0), (far, 20.0)),
            strict=True,
        ):
            yield (1_767_268_800 + second, vehicle, *place(east, north), f"{speed:.1f}")


def _write(path: Path, header: tuple[str, ...], rows: Any) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def _program(module: str) -> tuple[str, ...]:
    return (sys.executable, "-m", module)


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except FileNotFoundError:
        return ""


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
