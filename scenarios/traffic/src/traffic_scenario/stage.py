"""`fes-traffic stage`: the folder of a run whose parts are started elsewhere, e.g. in containers.

The federation file is the user's. What `fes run` would fill in is filled in here: when the clock
began, and where gateways are. A run that goes on is left alone, so that its parts may be started
again in any order.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from fes.cli.validate import examine_file
from fes.federation import Federation, dump, has_errors, load
from fes.federation.file.dump import resolved
from fes.federation.model import Clock
from fes.running.folder import point_latest
from msgspec import UNSET
from msgspec.structs import replace
from scenario_kit.programs import Programs
from scenario_kit.run_folder import FEDERATION, make_folder, remove_oldest
from serving.clocks import wall_us
from serving.files import write_whole
from serving.loopback import NoAnswerError, ask

from traffic_scenario.errors import InputError
from traffic_scenario.plan import FINDINGS, plan_fleet
from traffic_scenario.runfolder import read_plan
from traffic_scenario.settings import RUNS_KEPT

CLOCK: Final = "clock.json"
ENDPOINTS: Final = "endpoints.json"
ANSWER_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Staged:
    """What is staged.

    Attributes:
        federation: The federation file; every broker needs a url, from it or from an override.
        inputs: Arguments of `can-sim plan`.
        allowance_s: How long after now the clock begins, for the parts to start.
        endpoint: Address of a gateway's REST interface, with `{gateway}` for its name.
        keep: Runs that are kept, with the new one; the oldest go.
    """

    federation: Path
    inputs: Sequence[str]
    allowance_s: float
    endpoint: str
    keep: int = RUNS_KEPT


class Clocked(NamedTuple):
    """When the clock of a run begins, by itself and by the wall clock; microseconds."""

    start_us: int
    wall_start_us: int


def stage(
    runs: Path,
    staged: Staged,
    environment: Mapping[str, str],
    programs: Programs,
    now_us: Callable[[], int] = wall_us,
) -> tuple[Path, bool]:
    """Make the folder of a run, or bring that of a run which goes on up to date.

    Args:
        runs: Folder of all runs; `latest` in it is what is staged.
        staged: What to stage.
        environment: Values of `${NAME}` and of `FES__SECTION__KEY` overrides.
        programs: How `can-sim` is called.
        now_us: The wall clock, microseconds since 1970 UTC.

    Returns:
        The folder, and whether its run was begun now.

    Raises:
        InputError: The federation file, or another input, is not valid.
    """
    federation = _read(staged.federation, environment)
    endpoints = {name: staged.endpoint.format(gateway=name) for name in federation.gateways}
    latest = runs / "latest"
    if not _goes_on(latest, endpoints.values(), now_us()):
        folder = make_folder(runs)
        plan_fleet(folder, staged.inputs, programs)
        _check_vehicles(federation, folder)
        start_us = read_plan(folder).start_us
        clock = Clocked(start_us, now_us() + round(staged.allowance_s * 1e6))
        _write(folder, federation, clock, endpoints)
        point_latest(folder)
        remove_oldest(runs, staged.keep)
        return folder, True
    told = json.loads((latest / CLOCK).read_text("utf-8"))
    _write(latest, federation, Clocked(told["start_us"], told["wall_start_us"]), endpoints)
    return latest, False


def _read(path: Path, environment: Mapping[str, str]) -> Federation:
    """Return the federation; report each fault in one line where it is not valid."""
    findings = examine_file(path, environment)
    if has_errors(findings):
        raise InputError("\n".join(str(finding) for finding in findings[:FINDINGS]))
    federation = load(path, environment)
    for name, broker in federation.brokers.items():
        if broker.url is UNSET:
            variable = f"FES__BROKERS__{name.upper().replace('-', '_')}__URL"
            raise InputError(f"{path}: brokers.{name}: has no url; write one, or set {variable}")
    return federation


def _goes_on(latest: Path, endpoints: Iterable[str], now_us: int) -> bool:
    """Return whether the trace is not over yet, or a part of the run still answers."""
    try:
        told = json.loads((latest / CLOCK).read_text("utf-8"))
    except FileNotFoundError:
        return False
    planned = read_plan(latest)
    lasts_us = (planned.end_us - planned.start_us) / told["speed"]
    if now_us < told["wall_start_us"] + lasts_us:
        return True
    return any(_answers(url) for url in endpoints)


def _answers(url: str) -> bool:
    try:
        return ask("GET", f"{url}/healthz", timeout_s=ANSWER_S).is_success
    except NoAnswerError:
        return False


def _check_vehicles(federation: Federation, folder: Path) -> None:
    """Refuse a federation with a vehicle that the trace does not have."""
    vehicles = read_plan(folder).vehicles
    for name, service in federation.event_services.items():
        location = service.settings.get("location")
        vehicle = location.get("vehicle") if isinstance(location, dict) else None
        if vehicle is not None and vehicle not in vehicles:
            raise InputError(
                f"event_services.{name}.settings.location.vehicle: {vehicle!r} is not in the trace"
            )


def _write(
    folder: Path, federation: Federation, begins: Clocked, endpoints: Mapping[str, str]
) -> None:
    """Write what every part reads; each file is whole at any time."""
    speed = federation.clock.speed
    clock = Clock(start=begins.start_us / 1e6, speed=speed)
    clocked = resolved(replace(federation, clock=clock), begins.wall_start_us)
    told = {"start_us": begins.start_us, "wall_start_us": begins.wall_start_us, "speed": speed}
    gateways = {name: {"url": url} for name, url in endpoints.items()}
    (folder / "logs").mkdir(exist_ok=True)
    write_whole(folder / FEDERATION, dump(clocked))
    write_whole(folder / CLOCK, json.dumps(told) + "\n")
    write_whole(folder / ENDPOINTS, json.dumps({"gateways": gateways}, indent=1) + "\n")
