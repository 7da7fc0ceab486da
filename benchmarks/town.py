"""A town: many gateways at one event service, with the city that sets and renews their limits."""

import csv
import math
from pathlib import Path

import msgspec
from eventservices.ports import free_port
from federation import LAT, LON, plan_of
from fes.federation.bounds import EventLog
from fes.federation.file.dump import dump
from traffic_scenario.federation import describe
from traffic_scenario.runfolder import MONITORS, Monitor

STEP_DEG = 0.004
"""Between two monitors: out of one another's range."""

CITY_PROGRAM = "traffic-control"


def write_town(folder: Path, gateways: int) -> Path:
    """Write a town with a monitor at each corner, hence as many gateways at one event service.

    The city keeps every monitor's limit in force; nobody drives, so that all that is done is
    control traffic.

    Returns:
        The federation file.
    """
    monitors = tuple(_monitor(number, math.isqrt(gateways - 1) + 1) for number in range(gateways))
    plan = plan_of(folder, 1, monitors)
    with (folder / MONITORS).open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("monitor", "lat", "lon", "radius_m", "limit_kmh"))
        rows.writerows(
            (one.name, one.lat, one.lon, one.radius_m, one.limit_kmh) for one in monitors
        )
    described = describe(plan, 1.0, free_port())
    federation = msgspec.structs.replace(
        described,
        applications={CITY_PROGRAM: described.applications[CITY_PROGRAM]},
        event_log=EventLog(),
    )
    path = folder / "town.yaml"
    path.write_text(dump(federation), "utf-8")
    return path


def _monitor(number: int, width: int) -> Monitor:
    return Monitor(
        f"M{number + 1:03}",
        LAT + STEP_DEG * (number // width),
        LON + STEP_DEG * (number % width),
        radius_m=150.0,
        limit_kmh=30.0 + 5 * (number % 5),
    )
