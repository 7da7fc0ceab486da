"""The control plane of a town: how its costs grow with the gateways at one event service.

A town of 10, 20, 50, 100 and 200 monitors, each with a gateway at the city's one event service, all
in one process; the city sets their limits, and renews each three times in its lease.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import httpx
from measure import children_of, cpu_s, role_of
from processes import Child, NotStartedError
from report import keep
from town import write_town

GATEWAYS: Final = (10, 20, 50, 100, 200)
SETTLE_S: Final = 5.0
WATCH_S: Final = 20.0
"""How long the town is left alone, and then watched, once all limits are applied."""

START_S: Final = 300.0
CITY: Final = "gateways-siena-steam"
"""Process of the monitors' gateways."""

_LOOK_S: Final = 0.05
_BESIDE: Final = Path(sys.executable).parent


@dataclass(frozen=True, slots=True)
class Cost:
    """What a town costs.

    Attributes:
        gateways: At one event service.
        started_s: From the start of `fes run` until every gateway was ready; seconds.
        applied_s: Until every limit was applied; seconds.
        start_cpu_s: Processor time of the gateways' process until then; seconds.
        idle_percent: Processor time of that process afterwards; percent of a core.
        start_turn_ms: Longest turn of its loop until all limits were applied, milliseconds.
        idle_turn_ms: Longest turn afterwards.
        turn_cpu_ms: What the loop itself spent at most in a long turn; more than that, the machine
            was busy with something else.
        dropped: Control events that were dropped.
    """

    gateways: int
    started_s: float
    applied_s: float
    start_cpu_s: float
    idle_percent: float
    start_turn_ms: float
    idle_turn_ms: float
    turn_cpu_ms: float
    dropped: int


def cost_of(gateways: int) -> Cost:
    """Run a town and measure it.

    Raises:
        NotStartedError: It was not ready in time.
    """
    with TemporaryDirectory(prefix="fes-bench-") as folder:
        file = write_town(Path(folder), gateways)
        begun_s = time.monotonic()
        command = [str(_BESIDE / "fes"), "run", str(file), "--run", folder]
        child = Child(command, Path(folder) / "fes-run.log")
        try:
            started_s = _until(child, "fes run: gateways:") - begun_s
            applied_s = _until(child, "application: traffic-control") - begun_s
            return _watched(gateways, child, Path(folder), (started_s, applied_s))
        finally:
            child.stop()


def _watched(gateways: int, child: Child, run: Path, times: tuple[float, float]) -> Cost:
    pid = next(pid for pid in children_of(child.pid) if role_of(pid) == CITY)
    url = next(
        url
        for point in json.loads((run / "endpoints.json").read_text("utf-8"))["gateways"].values()
        if point["process"] == CITY
        for url in [point["url"].partition("/gateways/")[0]]
    )
    started = dict(_metrics(url))
    start_cpu_s = cpu_s(pid)
    time.sleep(SETTLE_S)
    before_s, begun_s = cpu_s(pid), time.monotonic()
    turns_ms = []
    while time.monotonic() - begun_s < WATCH_S:
        time.sleep(WATCH_S / 4)
    used = (cpu_s(pid) - before_s) / (time.monotonic() - begun_s)
    ended = dict(_metrics(url))
    turns_ms.append(1000 * ended["fes_loop_turn_seconds_recent_max"])
    return Cost(
        gateways,
        round(times[0], 1),
        round(times[1], 1),
        round(start_cpu_s, 1),
        round(100 * used, 1),
        round(1000 * started["fes_loop_turn_seconds_max"], 1),
        round(max(turns_ms), 1),
        round(1000 * ended["fes_loop_turn_seconds_cpu_max"], 1),
        _dropped(run),
    )


def _metrics(url: str) -> Iterator[tuple[str, float]]:
    text = httpx.get(f"{url}/metrics", timeout=20, trust_env=False).raise_for_status().text
    for line in text.splitlines():
        if line.startswith("fes_loop_turn_seconds"):
            name, _, value = line.partition(" ")
            yield name, float(value)


def _dropped(run: Path) -> int:
    found = 0
    for path in run.glob("logs/eventlog-*.jsonl"):
        with path.open(encoding="utf-8") as lines:
            found += sum('"decision":"dropped"' in line for line in lines)
    return found


def _until(child: Child, text: str) -> float:
    """Return when `fes run` said something."""
    deadline_s = time.monotonic() + START_S
    while text not in (said := child.log.read_text("utf-8", "replace")):
        if not child.running or time.monotonic() > deadline_s:
            raise NotStartedError(f"did not come so far: {text}\n{said[-2000:]}")
        time.sleep(_LOOK_S)
    return time.monotonic()


def table(costs: Sequence[Cost]) -> str:
    """Return the costs as a table, a line a town."""
    head = ["gateways", "ready s", "applied s", "CPU s", "idle %", "% per 10"]
    head += ["turn ms", "idle turn ms", "own CPU ms", "dropped"]
    lines = [head] + [
        [
            *(str(one.gateways), f"{one.started_s:.1f}", f"{one.applied_s:.1f}"),
            *(f"{one.start_cpu_s:.1f}", f"{one.idle_percent:.1f}"),
            f"{10 * one.idle_percent / one.gateways:.2f}",
            *(f"{one.start_turn_ms:.0f}", f"{one.idle_turn_ms:.0f}", f"{one.turn_cpu_ms:.0f}"),
            str(one.dropped),
        ]
        for one in costs
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )


def show(gateways: Sequence[int] = GATEWAYS) -> int:
    """Measure, print a table and write a file; return the exit status."""
    costs: list[Cost] = []
    print("Control plane: gateways at one event service, in one process, with the city's limits.")
    try:
        for number in gateways:
            costs.append(cost_of(number))
            print(table(costs).splitlines()[-1], flush=True)
    except NotStartedError as error:
        sys.stderr.write(f"{error}\n")
    path = keep("control-plane", {"costs": [asdict(one) for one in costs]})
    print(table(costs))
    print(f"written to {path}\n")
    return 0 if len(costs) == len(gateways) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure the control plane of a town.")
    parser.add_argument("--gateways", type=int, nargs="*", default=GATEWAYS, metavar="N")
    sys.exit(show(parser.parse_args().gateways))
