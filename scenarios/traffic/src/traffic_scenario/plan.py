"""`fes-traffic plan`: a run folder with everything that a run needs."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eventservices.ports import free_port
from fes.federation import check, dump, examine, has_errors, installed_kinds
from fes.mapping.rules.model import Rule
from scenario_kit.programs import Programs
from scenario_kit.run_folder import FEDERATION
from serving.children import started
from serving.files import write_whole
from serving.output import print_line

from traffic_scenario.errors import InputError
from traffic_scenario.federation import describe
from traffic_scenario.onboard import CNS, COSMIC, CanBus, can_buses, write_buses
from traffic_scenario.runfolder import Plan, read_plan

FINDINGS = 10
"""Most findings that are notified of a federation that is not valid."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to plan.

    Attributes:
        inputs: Arguments of `can-sim plan`.
        speedup: Seconds of the trace in a second of the wall clock.
        port: Where traffic-control listens; None for a free port.
        bus: What vehicles have on board: `cns`, or `cosmic` for a CAN bus each.
    """

    inputs: Sequence[str]
    speedup: float
    port: int | None = None
    bus: str = CNS


def plan(folder: Path, wanted: Wanted, programs: Programs) -> Plan:
    """Write a run's trace, monitors and federation file.

    Args:
        folder: The run folder.
        wanted: What to plan.
        programs: How `can-sim` is called.

    Raises:
        InputError: An input is not valid, or makes a federation that is not.
    """
    summary = plan_fleet(folder, wanted.inputs, programs)
    planned = read_plan(folder)
    buses = can_buses(planned.vehicles) if wanted.bus == COSMIC else ()
    write_buses(folder, buses)
    write_federation(folder, planned, wanted.speedup, wanted.port or free_port(), buses)
    _tell(folder, planned, summary)
    return planned


def write_federation(
    folder: Path, planned: Plan, speedup: float, port: int, buses: Sequence[CanBus] = ()
) -> None:
    """Write the federation file of a run.

    Raises:
        InputError: The federation would not be valid, e.g. too large.
    """
    path = folder / FEDERATION
    text = dump(describe(planned, speedup, port, buses))
    findings = check(examine(text, str(path), {}), installed_kinds(), Rule)
    if has_errors(findings):
        raise InputError("\n".join(str(finding) for finding in findings[:FINDINGS]))
    write_whole(path, text)


def plan_fleet(folder: Path, inputs: Sequence[str], programs: Programs) -> dict[str, Any]:
    """Run `can-sim plan`, which writes the trace and the monitors; return its summary.

    Raises:
        InputError: An input is not valid; states what `can-sim` reported.
    """
    command = (*programs.can_sim, "plan", "--out", str(folder), *inputs)
    pipe = subprocess.PIPE
    with started(command, stdout=pipe, stderr=pipe, text=True) as process:
        out, error = process.communicate()
    if process.returncode != 0:
        raise InputError(error.strip().removeprefix("can-sim: "))
    summary: dict[str, Any] = json.loads(out)
    return summary


def _tell(folder: Path, planned: Plan, summary: dict[str, Any]) -> None:
    fleet = f"{len(planned.vehicles)} vehicles, {len(planned.monitors)} monitors"
    lines = [f"planned: {fleet}, {planned.duration_s:.0f} s of trace, in {folder}"]
    first = summary.get("first", {})
    for word, counts in (("left out", summary["skipped"]), ("noticed", summary.get("noticed", {}))):
        for reason, count in counts.items():
            place = f" (first: {first[reason]})" if reason in first else ""
            lines.append(f"{word}: {count} {reason}{place}")
    told = set(first.values())
    lines += [f"note: {note}" for note in summary["notes"] if note not in told]
    print_line("\n".join(lines))
