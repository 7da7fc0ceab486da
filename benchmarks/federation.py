"""The federations that are measured: the traffic scenario's own, with everybody within hearing."""

import csv
from pathlib import Path

import msgspec
from fes.federation.bounds import EventLog
from fes.federation.file.dump import dump
from fes.federation.model import Federation, Request
from traffic_scenario.federation import AIR, CITY, describe, receiver_of
from traffic_scenario.runfolder import TRACE, Monitor, Plan

START_US = 1_767_268_800_000_000
"""First moment of the trace, 2026-01-01 12:00 UTC."""

SECONDS = 120
"""Length of the trace; in rate mode each vehicle goes round in it."""

LAT, LON = 49.9456, 11.5713
MONITOR = Monitor("M01", LAT, LON, radius_m=300.0, limit_kmh=0.0)
SAMPLE = 0.01
"""Share of event identities in the event log."""


def write_traffic(folder: Path, vehicles: int) -> Path:
    """Write the traffic path for a number of vehicles, all heard by one monitor without a limit.

    Returns:
        The federation file.
    """
    plan = plan_of(folder, vehicles, (MONITOR,))
    described = _bare(plan)
    every_speed = Request(
        gateway=f"g-m-{MONITOR.name}",
        type="subscription",
        source=CITY,
        dist_list=receiver_of(MONITOR.name),
        filter=f"subject = 'Speed' AND rate > {MONITOR.limit_kmh:g}",
    )
    requests = (*described.requests, every_speed)
    return _write(folder, msgspec.structs.replace(described, requests=requests))


def write_passthrough(folder: Path) -> Path:
    """Write one gateway between NATS and MQTT: the bus of one vehicle, and the air.

    Returns:
        The federation file.
    """
    described = _bare(plan_of(folder, 1, ()))
    services = {name: one for name, one in described.event_services.items() if name != CITY}
    brokers = {name: one for name, one in described.brokers.items() if one.cluster != "siena"}
    return _write(
        folder, msgspec.structs.replace(described, event_services=services, brokers=brokers)
    )


def air_of(federation: Federation) -> str:
    """Return the name of the air, the first level of its topics."""
    return f"{federation.system}.{AIR}"


def _bare(plan: Plan) -> Federation:
    """Return the scenario's federation without its applications, which are the benchmark's part."""
    return msgspec.structs.replace(
        describe(plan, 1.0, 0), applications={}, event_log=EventLog(sample=SAMPLE)
    )


def plan_of(folder: Path, vehicles: int, monitors: tuple[Monitor, ...]) -> Plan:
    """Write the trace of some vehicles, and return the plan of a run with some monitors."""
    names = tuple(f"FES{number:04}" for number in range(1, vehicles + 1))
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / TRACE).open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("time_us", "vehicle", "licence", "lat", "lon", "speed_kmh"))
        for second in range(SECONDS):
            for index, name in enumerate(names):
                speed_kmh = 1 + (second * 7 + index * 13) % 250
                place = (LAT + second * 1e-6, LON + index * 1e-5)
                rows.writerow((START_US + second * 1_000_000, name, name, *place, speed_kmh))
    end_us = START_US + (SECONDS - 1) * 1_000_000
    return Plan(names, monitors, START_US, end_us, SECONDS * vehicles)


def _write(folder: Path, federation: Federation) -> Path:
    path = folder / "measured.yaml"
    path.write_text(dump(federation), "utf-8")
    return path
