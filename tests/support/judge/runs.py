"""Synthetic run folders: what a federation that keeps its promises would leave.

python -m support.judge.runs FOLDER    (from the folder `tests`)
"""

import csv
import json
import math
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

START_US = 1_700_000_000_000_000
READY_US = START_US + 4_000_000
METRES_A_DEGREE = 111_195.08
LAT, LON = 50.0, 11.5

Line = dict[str, Any]


@dataclass(frozen=True)
class Post:
    """A monitor: metres east of the origin, its range and its limits (from second, limit)."""

    name: str
    east_m: float
    range_m: float
    limits: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Plan:
    """What run to make."""

    vehicles: int = 5
    seconds: int = 40
    seed: int = 1
    posts: tuple[Post, ...] = (
        Post("M01", 200, 150, ((0, 50.0),)),
        Post("M02", 380, 150, ((0, 70.0),)),
        Post("M03", 900, 120, ((0, 70.0), (20, 50.0))),
    )
    quiet_s: int = 6
    kill: tuple[str, int, int] | None = None
    lost_in_kill: bool = True
    processes: tuple[str, str] = ("fleet", "city")
    sample: float = 1.0


@dataclass
class Run:
    """A run as it is made: the lines of each of its files."""

    plan: Plan
    truth: list[Line] = field(default_factory=list)
    commands: list[Line] = field(default_factory=list)
    deliveries: list[Line] = field(default_factory=list)
    outages: list[Line] = field(default_factory=list)
    logs: dict[str, list[Line]] = field(default_factory=dict)
    trace: list[Line] = field(default_factory=list)


def make_run(folder: Path, plan: Plan | None = None) -> Path:
    """Write a run folder and return it."""
    run = Run(plan or Plan())
    _control(run)
    for second in range(run.plan.seconds):
        for number in range(1, run.plan.vehicles + 1):
            _frame(run, second, number)
    _kill(run)
    _write(folder, run)
    return folder


def federation(plan: Plan) -> dict[str, Any]:
    """Return the federation of a plan."""
    services: dict[str, Any] = {"siena-m": {"kind": "siena", "brokers": ["siena-1", "siena-2"]}}
    gateways: dict[str, Any] = {}
    requests = []
    for key in (licence(number) for number in range(1, plan.vehicles + 1)):
        bus, air = f"cns-v-{key}", f"steam-v-{key}"
        services[bus] = {"kind": "cns", "brokers": ["cns"], "settings": {"channel": key}}
        location = {"trace": "trace.csv", "vehicle": key}
        settings = {"range_m": 300, "location": location}
        services[air] = {"kind": "steam", "brokers": ["air"], "settings": settings}
        adapters = {bus: {"mappings": ["can-speed"]}, air: {"mappings": ["air-speed"]}}
        gateways[f"g-v-{key}"] = {"adapters": adapters}
        request = {"gateway": f"g-v-{key}", "type": "subscription", "source": air}
        requests.append({**request, "dist_list": bus, "filter": "subject = 'Speed'"})
    for post in plan.posts:
        lat, lon = place(post.east_m, 0)
        settings = {"range_m": post.range_m, "location": {"lat": lat, "lon": lon}}
        air = f"steam-m-{post.name}"
        services[air] = {"kind": "steam", "brokers": ["air"], "settings": settings}
        gateways[f"g-m-{post.name}"] = {"adapters": {air: {}, "siena-m": {}}}
    proximity = {"Proximity": {"constant": "0,1,0,0,300"}}
    return {
        "version": 1,
        "system": "traffic",
        "clock": {"start": 0.0, "speed": 1.0, "wall_start_us": START_US},
        "media": {"air": {}},
        "brokers": {
            "cns": {"kind": "nats"},
            "air": {"kind": "mqtt"},
            "siena-1": {"kind": "nats", "cluster": "siena"},
            "siena-2": {"kind": "nats", "cluster": "siena"},
        },
        "event_services": services,
        "gateways": gateways,
        "mappings": {"air-speed": [{"subject": "Speed", "attributes": proximity}]},
        "requests": requests,
        "applications": {"traffic-control": {}, "can-sim": {}},
        "event_log": {"sample": plan.sample},
    }


def licence(number: int) -> str:
    """Return a vehicle's licence."""
    return f"FES{number:04d}"


def place(east_m: float, north_m: float) -> tuple[float, float]:
    """Return latitude and longitude, degrees, of a place given in metres."""
    shrink = math.cos(math.radians(LAT))
    return LAT + north_m / METRES_A_DEGREE, LON + east_m / METRES_A_DEGREE / shrink


def apart_m(here: tuple[float, float], there: tuple[float, float]) -> float:
    """Return the great-circle distance, metres, by the spherical law of cosines."""
    (lat_1, lon_1), (lat_2, lon_2) = ([math.radians(x) for x in at] for at in (here, there))
    across = math.cos(lat_1) * math.cos(lat_2) * math.cos(lon_2 - lon_1)
    return 6_371_008.8 * math.acos(min(1.0, math.sin(lat_1) * math.sin(lat_2) + across))


def _log(run: Run, at_us: int, name: str, decision: str, **members: Any) -> None:
    process = run.plan.processes[0 if name.startswith("g-v-") else 1]
    component = "adapter" if "." in name else "gateway"
    line = {"v": 1, "wall_us": at_us, "system": "traffic", "component": component, "name": name}
    run.logs.setdefault(process, []).append({**line, "decision": decision, **members})


def _names(plan: Plan) -> Iterator[str]:
    for gateway, settings in federation(plan)["gateways"].items():
        yield gateway
        yield from (f"{gateway}.{service}" for service in settings["adapters"])


def _end_us(plan: Plan) -> int:
    return READY_US + (plan.seconds + plan.quiet_s) * 1_000_000


def _control(run: Run) -> None:
    plan = run.plan
    for name in _names(plan):
        _log(run, START_US, name, "started")
        _log(run, _end_us(plan) + 200_000, name, "stopped")
    for number in range(1, plan.vehicles + 1):
        _native(run, f"g-v-{licence(number)}.cns-v-{licence(number)}", START_US + 500_000, None)
    for post in plan.posts:
        _limits(run, post)


def _native(run: Run, name: str, from_us: int, to_us: int | None, what: str = "Speed") -> None:
    _log(run, from_us, name, "subscribed", what=what)
    _log(run, to_us or _end_us(run.plan) + 100_000, name, "unsubscribed", what=what)


def _limits(run: Run, post: Post) -> None:
    changes = [*post.limits, (None, None)]
    for (second, limit), (until, _) in pairwise(changes):
        from_us = START_US + 1_000_000 if second == 0 else READY_US + (second or 0) * 1_000_000
        _command(run, post, "subscribe", limit, from_us)
        _command(run, post, "renew", limit, from_us + 5_000_000)
        to_us = None if until is None else READY_US + until * 1_000_000 + 200_000
        if to_us is not None:
            _command(run, post, "unsubscribe", limit, to_us)
        name = f"g-m-{post.name}.steam-m-{post.name}"
        end_us = None if to_us is None else to_us + 50_000
        _native(run, name, from_us + 50_000, end_us, f"rate > {limit}")


def _command(run: Run, post: Post, action: str, limit: float | None, sent_us: int) -> None:
    request = f"city/1/{len(run.commands) + 1}"
    run.commands.append(
        {
            "v": 1,
            "action": action,
            "monitor": post.name,
            "destination": f"steam-m-{post.name}",
            "limit": limit,
            "filter": f"subject = 'Speed' AND rate > {limit:g}",
            "request": request,
            "sent_us": sent_us,
            "applied_us": sent_us + 60_000,
        }
    )
    kind = "unsubscription" if action == "unsubscribe" else "subscription"
    members = {"request": request, "type": kind, "to": f"steam-m-{post.name}"}
    _log(run, sent_us + 40_000, f"g-m-{post.name}", "applied", **members)


def _frame(run: Run, second: int, number: int) -> None:
    chance = random.Random(f"{run.plan.seed}/{second // 8}/{number}")
    speed = round(chance.uniform(20, 110), 1)
    lat, lon = place((second * speed / 3.6 + 150 * number) % 1400 - 100, 6.0 * number)
    key, sent = licence(number), READY_US + second * 1_000_000 + number * 1000
    frame = {
        "v": 1,
        "wall_us": sent,
        "time_us": second * 1_000_000,
        "vehicle": f"veh{number}",
        "licence": key,
        "lat": lat,
        "lon": lon,
        "speed_kmh": speed,
        "rate": math.floor(speed + 0.5),
        "id": f"can-sim/{key}/7/{second + 1}",
    }
    run.truth.append(frame)
    columns = ("time_us", "vehicle", "licence", "lat", "lon", "speed_kmh")
    run.trace.append({name: frame[name] for name in columns})
    _travel(run, frame)
    if speed > 105:
        run.truth.append({**frame, "id": "", "sent": False, "reason": "late"})


def _travel(run: Run, frame: Line) -> None:
    key, sent = frame["licence"], frame["wall_us"]
    bus, air, gateway = f"cns-v-{key}", f"steam-v-{key}", f"g-v-{key}"
    about = {"id": frame["id"], "subject": "Speed", "home": bus}
    _log(run, sent + 1000, f"{gateway}.{bus}", "received", **about, **{"from": bus})
    _log(run, sent + 1500, gateway, "matched", **about)
    _log(run, sent + 2000, f"{gateway}.{air}", "published", **about, to=air, path=[bus])
    for index, post in enumerate(run.plan.posts):
        if _hears(run, frame, post):
            _report(run, frame, post, sent + 3000 + 50 * index, about)


def _report(run: Run, frame: Line, post: Post, at_us: int, about: Line) -> None:
    own, gateway = f"steam-m-{post.name}", f"g-m-{post.name}"
    if _killed(run, gateway, frame["wall_us"]):
        return
    path = [about["home"], f"steam-v-{frame['licence']}", own]
    _log(run, at_us, f"{gateway}.{own}", "received", **about, **{"from": own}, path=path[:2])
    _log(run, at_us + 1000, f"{gateway}.siena-m", "published", **about, to="siena-m", path=path)
    if run.deliveries and run.deliveries[-1]["id"] == frame["id"]:
        return
    run.deliveries.append(
        {
            "v": 1,
            "wall_us": at_us + 2000,
            "time_us": frame["time_us"],
            "id": frame["id"],
            "monitor": post.name,
            "vehicle": frame["licence"],
            "rate": float(frame["rate"]),
            "path": path,
        }
    )


def _hears(run: Run, frame: Line, post: Post) -> bool:
    far = apart_m((frame["lat"], frame["lon"]), place(post.east_m, 0)) > min(300, post.range_m)
    own = [line for line in run.commands if line["monitor"] == post.name]
    began = {line["limit"]: line["applied_us"] for line in own if line["action"] == "subscribe"}
    ended = {line["limit"]: line["applied_us"] for line in own if line["action"] == "unsubscribe"}
    in_force = [
        limit
        for limit, at_us in began.items()
        if at_us <= frame["wall_us"] < ended.get(limit, math.inf)
    ]
    return not far and any(frame["rate"] > limit for limit in in_force)


def _killed(run: Run, gateway: str, at_us: int) -> bool:
    if run.plan.kill is None or run.plan.kill[0] != gateway or not run.plan.lost_in_kill:
        return False
    _, first, last = run.plan.kill
    return READY_US + first * 1_000_000 <= at_us <= READY_US + last * 1_000_000


def _kill(run: Run) -> None:
    if run.plan.kill is None:
        return
    gateway, first, last = run.plan.kill
    from_us, to_us = READY_US + first * 1_000_000, READY_US + last * 1_000_000
    cut = {"v": 1, "part": gateway, "from_us": from_us, "to_us": to_us}
    run.outages.append({**cut, "cause": "signal 9", "by": "harness"})
    for name in [name for name in _names(run.plan) if name.split(".")[0] == gateway]:
        _log(run, to_us - 500_000, name, "started")
    for post in run.plan.posts:
        if gateway == f"g-m-{post.name}":
            name = f"{gateway}.steam-m-{post.name}"
            what = f"rate > {post.limits[0][1]}"
            _log(run, to_us - 100_000, name, "subscribed", what=what)


def _write(folder: Path, run: Run) -> None:
    (folder / "logs").mkdir(parents=True)
    text = yaml.safe_dump(federation(run.plan), sort_keys=False)
    (folder / "federation.yaml").write_text(text, encoding="utf-8")
    with (folder / "trace.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, run.trace[0])
        rows.writeheader()
        rows.writerows(run.trace)
    write_lines(folder / "ground_truth.jsonl", run.truth)
    write_lines(folder / "commands.jsonl", sorted(run.commands, key=lambda line: line["sent_us"]))
    write_lines(folder / "offenders.jsonl", sorted(run.deliveries, key=lambda x: x["wall_us"]))
    if run.outages:
        write_lines(folder / "outages.jsonl", run.outages)
    for process, lines in run.logs.items():
        ordered = sorted(lines, key=lambda line: line["wall_us"])
        write_lines(folder / "logs" / f"eventlog-{process}.1.jsonl", ordered)


def write_lines(path: Path, lines: list[Line]) -> None:
    """Write objects as JSON lines."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def read_lines(path: Path) -> list[Line]:
    """Read JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    sys.stdout.write(f"{make_run(Path(sys.argv[1]))}\n")
