"""The judge's twin: expected and received compared in plain Python, of another make than Spark's.

It shares nothing with the judge but the formats. It knows vehicles, monitors, limits and outages of
gateways, and stops there: order, paths and logs are the judge's alone.
"""

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from support.judge.runs import Line, read_lines

SLACK_US = 1_000_000
PATIENCE_US = 10_000_000
RADIUS_M = 6_371_008.8


@dataclass(frozen=True)
class Limit:
    """A speed limit: in force for certain within `must`, perhaps within `may`."""

    limit: float
    may: tuple[float, float]
    must: tuple[float, float]


def judge(folder: Path) -> dict[str, int]:
    """Return the six numbers of a run's reports."""
    federation: dict[str, Any] = yaml.safe_load((folder / "federation.yaml").read_text("utf-8"))
    limits = _limits(read_lines(folder / "commands.jsonl"))
    outages = folder / "outages.jsonl"
    cuts = _on_purpose(read_lines(outages)) if outages.exists() else []
    frames = read_lines(folder / "ground_truth.jsonl")
    truth = {line["id"]: line for line in frames if line.get("sent", True)}
    lines = read_lines(folder / "offenders.jsonl")
    delivered = Counter(line["id"] for line in lines)
    counts = Counter[str](received=len(delivered), duplicate=len(lines) - len(delivered))
    admissible = {}
    for identity, frame in truth.items():
        may = {m for m in limits if _allows(federation, limits[m], frame, m, certain=False)}
        must = {m for m in may if _allows(federation, limits[m], frame, m, certain=True)}
        admissible[identity] = may
        owed = {m for m in must if not _cut(cuts, frame, m)}
        counts.update(_count(may, must, owed, delivered=identity in delivered))
    counts["unexpected"] = sum(not _right(line, truth, admissible) for line in lines)
    names = ("expected", "received", "missing", "unexpected", "duplicate", "outage")
    return {name: counts[name] for name in names}


def _on_purpose(lines: list[Line]) -> list[Line]:
    """Return the lines of those who cut, and of what was away by such a cut."""
    cutters = [line for line in lines if line["by"] in ("harness", "operator")]
    return [
        line
        for line in lines
        if any(
            line is cut
            or (line["part"] == cut["part"] and abs(line["from_us"] - cut["from_us"]) <= 2_000_000)
            for cut in cutters
        )
    ]


def _count(may: set[str], must: set[str], owed: set[str], *, delivered: bool) -> dict[str, int]:
    if delivered:
        return {"expected": int(bool(may))}
    if owed:
        return {"expected": 1, "missing": 1}
    return {"expected": 1, "outage": 1} if must else {}


def _right(line: Line, truth: dict[str, Line], admissible: dict[str, set[str]]) -> bool:
    frame = truth.get(line["id"])
    if frame is None or line["monitor"] not in admissible[line["id"]]:
        return False
    same = (line["vehicle"], line["rate"], line["time_us"])
    return same == (frame["licence"], frame["rate"], frame["time_us"])


def _limits(commands: list[Line]) -> dict[str, list[Limit]]:
    found: dict[str, list[Limit]] = {}
    pending: dict[tuple[str, float], list[Line]] = {}
    for line in sorted(commands, key=lambda command: command["sent_us"]):
        key = (line["monitor"], line["limit"])
        if line["action"] != "unsubscribe":
            pending.setdefault(key, []).append(line)
        elif key in pending:
            found.setdefault(key[0], []).append(_span(pending.pop(key), line))
    for key, asked in pending.items():
        found.setdefault(key[0], []).append(_span(asked, None))
    return found


def _span(asked: list[Line], ended: Line | None) -> Limit:
    begin = min(_applied(line) for line in asked) + SLACK_US
    may = (asked[0]["sent_us"] - SLACK_US, _applied(ended) + SLACK_US if ended else math.inf)
    must = (begin, ended["sent_us"] - SLACK_US if ended else math.inf)
    return Limit(asked[0]["limit"], may, must)


def _applied(line: Line) -> float:
    applied = line["applied_us"]
    return float(line["sent_us"] + PATIENCE_US if applied is None else applied)


def _allows(
    federation: dict[str, Any], limits: list[Limit], frame: Line, monitor: str, *, certain: bool
) -> bool:
    services = federation["event_services"]
    air = services.get(f"steam-v-{frame['licence']}")
    if air is None or not _asked(federation, frame["licence"]):
        return False
    post = services[f"steam-m-{monitor}"]["settings"]
    proximity = federation["mappings"]["air-speed"][0]["attributes"]["Proximity"]["constant"]
    reach = min(air["settings"]["range_m"], post["range_m"], float(proximity.split(",")[4]))
    if _apart_m(frame, post["location"]) > reach:
        return False
    spans = [(one.limit, one.must if certain else one.may) for one in limits]
    return any(frame["rate"] > x and a <= frame["wall_us"] <= b for x, (a, b) in spans)


def _asked(federation: dict[str, Any], licence: str) -> bool:
    wanted = (f"steam-v-{licence}", f"cns-v-{licence}")
    return any((r["source"], r["dist_list"]) == wanted for r in federation["requests"])


def _apart_m(frame: Line, location: dict[str, float]) -> float:
    """Return the distance by the chord between two points of the sphere."""
    here, there = _vector(frame["lat"], frame["lon"]), _vector(location["lat"], location["lon"])
    return 2 * RADIUS_M * math.asin(math.dist(here, there) / 2)


def _vector(lat: float, lon: float) -> tuple[float, float, float]:
    phi, lam = math.radians(lat), math.radians(lon)
    return math.cos(phi) * math.cos(lam), math.cos(phi) * math.sin(lam), math.sin(phi)


def _cut(cuts: list[Line], frame: Line, monitor: str) -> bool:
    parts = {f"g-m-{monitor}", f"g-v-{frame['licence']}"}
    return any(
        cut["part"] in parts
        and cut["from_us"] - SLACK_US <= frame["wall_us"]
        and (cut["to_us"] is None or frame["wall_us"] <= cut["to_us"] + SLACK_US)
        for cut in cuts
    )
