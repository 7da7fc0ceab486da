"""Witnesses: what native observers saw, which the judged parts cannot write.

Two observers run beside the traffic scenario. On the air every node says itself, as STEAM has it,
which groups it joins and with which content filter; the observer there notes who joins and leaves.
In the city a native SIENA client counts control events. `fes run` notes when it began to stop the
gateways, the applications having ended before: what is subscribed natively then was not withdrawn.

A promise that a witness can tell of is broken where the witness says so, whatever the event log
says; where nobody looked, the event log is all there is, and the verdict states that.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from analytics.inputs.federation import Federation
from analytics.inputs.folder import RunFolder
from analytics.promises.findings import LEFTOVERS, SOURCE, STORM
from analytics.traffic.found import Found
from analytics.verdict import EXAMPLES

AIR: Final = "seen-air.jsonl"
CITY: Final = "seen-city.jsonl"
MOMENTS: Final = "moments.jsonl"
GATEWAYS_STOP: Final = "gateways stop"

LOOKS_US: Final = 3_000_000
"""An observer writes once a second; one that wrote nothing for so long did not look."""

COUNTED_US: Final = 1_000_000
"""Time between two lines of an observer."""

HELLOS: Final = 8
"""Most hellos an interval that all gateways of an event service send together (rule H2)."""

CROWD: Final = 2.0
"""So many times what the protocol sends in silence may come: hellos of what changed, renewals."""

A_COMMAND: Final = 4
"""Control events that a command makes at the city: the client's, a repetition, their renewals."""

ANYTHING: Final = 20
"""Control events that may come beside: an exchange of tables that was in progress."""

SUBJECT: Final = "Speed"
MEASURED: Final = "rate"


@dataclass(frozen=True, slots=True)
class Membership:
    """One native subscription, as its node announced it on the air.

    Attributes:
        left_us: When it was withdrawn; None where it never was.
        content: Its content filter: parameter, operator, value, ….
    """

    node: str
    number: int
    joined_us: int
    left_us: int | None
    content: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Span:
    """A time for which a limit may have been active at a monitor; wall clock."""

    limit: float
    from_us: int
    to_us: int


@dataclass(slots=True)
class Witnesses:
    """What was seen.

    Attributes:
        memberships: Of nodes on the air, for speeds.
        air_looked: When the observer on the air looked, as spans of the wall clock.
        control: When control events were counted in the city, and how many.
        city_looked: When the observer in the city looked.
        gateways_stop_us: When `fes run` began to stop the gateways; None where nobody noted it.
    """

    memberships: list[Membership] = field(default_factory=list)
    air_looked: list[tuple[int, int]] = field(default_factory=list)
    control: list[tuple[int, int]] = field(default_factory=list)
    city_looked: list[tuple[int, int]] = field(default_factory=list)
    gateways_stop_us: int | None = None


@dataclass(frozen=True, slots=True)
class Testimony:
    """What the observers saw, held against the promises.

    Attributes:
        findings: What breaks a promise, by its name.
        who_looked: By the name of a promise, whether an observer looked.
    """

    findings: dict[str, Found] = field(default_factory=dict)
    who_looked: dict[str, str] = field(default_factory=dict)


def read_witnesses(folder: RunFolder) -> Witnesses:
    """Read what observers of a run wrote; files that are not there were not written."""
    seen = Witnesses()
    air = list(_lines(folder.path / AIR))
    city = list(_lines(folder.path / CITY))
    seen.memberships = _memberships(air)
    seen.air_looked = _looked(air)
    seen.control = [(line["wall_us"], line["notifications"]) for line in city if _counts(line)]
    seen.city_looked = _looked(city)
    stops = [
        line["wall_us"]
        for line in _lines(folder.path / MOMENTS)
        if line.get("moment") == GATEWAYS_STOP
    ]
    seen.gateways_stop_us = min(stops, default=None)
    return seen


def judge_filters(
    seen: Witnesses, federation: Federation, limits: Mapping[str, list[Span]]
) -> Found:
    """Find native subscriptions of monitors that no active limit explains.

    Args:
        seen: By the observer on the air.
        federation: Names the monitors' nodes.
        limits: Those that may have been active, by monitor; a negative one lets all pass.
    """
    nodes = _nodes(federation)
    wrong = []
    for one in seen.memberships:
        monitor = nodes.get(one.node)
        if monitor is None:
            continue
        asked = [
            span.limit
            for span in limits.get(monitor, [])
            if span.from_us - LOOKS_US <= one.joined_us <= span.to_us + LOOKS_US
        ]
        least = _least(one.content)
        if asked and (min(asked) < 0 or (least is not None and least >= min(asked))):
            continue
        told = f"passes every {MEASURED}" if least is None else f"passes {MEASURED} above {least:g}"
        wanted = f"asked for is {MEASURED} above {min(asked):g}" if asked else "nobody asked"
        wrong.append((monitor, f"the native subscription on the air {told}; {wanted}"))
    return _found(wrong)


def judge_leftovers(
    seen: Witnesses, federation: Federation, limits: Mapping[str, list[Span]]
) -> Found:
    """Find native subscriptions of monitors that were there still when the gateways were stopped.

    Args:
        seen: By the observer on the air.
        federation: Names the monitors' nodes.
        limits: As of `judge_filters`: what somebody still requests may be there.
    """
    stop_us = seen.gateways_stop_us
    if stop_us is None:
        return Found(0, ())
    nodes = _nodes(federation)
    wrong = [
        (nodes[one.node], f"native subscription {one.number} on the air was never withdrawn")
        for one in seen.memberships
        if one.node in nodes
        and one.joined_us < stop_us
        and (one.left_us is None or one.left_us >= stop_us)
        and not any(span.to_us > stop_us for span in limits.get(nodes[one.node], []))
    ]
    return _found(wrong)


def judge_storm(
    seen: Witnesses, federation: Federation, first_us: int, last_us: int, commands: int
) -> Found:
    """Find more control events in the city than silence has.

    Args:
        seen: By the observer in the city.
        federation: States how often gateways send a hello.
        first_us: From when the publishers were silent, wall clock.
        last_us: Until when.
        commands: Given meanwhile.
    """
    if last_us - first_us < COUNTED_US:
        return Found(0, ())
    # A line counts what came in the second before it.
    counted = [n for at_us, n in seen.control if first_us + COUNTED_US <= at_us <= last_us]
    allowed = storm_bound(federation, (last_us - first_us) / 1e6, commands)
    if sum(counted) <= allowed:
        return Found(0, ())
    reason = f"{sum(counted)} control events in silence in the city, {allowed:.0f} allowed"
    return _found([("", reason)])


def storm_bound(federation: Federation, silent_s: float, commands: int) -> float:
    """Return how many control events may come in the city while publishers are silent."""
    there = sum(adapter.role == "city" for adapter in federation.adapters)
    hellos = min(there, HELLOS) / federation.hello_s * silent_s
    return CROWD * hellos + A_COMMAND * (commands + 1) + ANYTHING


def looked(spans: Iterable[tuple[int, int]], from_us: int, to_us: int) -> bool:
    """Return whether an observer looked all the time between two moments."""
    return any(first <= from_us and to_us <= last for first, last in spans)


def weigh_witnesses(
    seen: Witnesses,
    federation: Federation,
    limits: Mapping[str, list[Span]],
    silence: tuple[int, int],
    commands: int,
) -> Testimony:
    """Keep what the observers saw against the promises.

    Args:
        seen: What they wrote.
        federation: As it was run.
        limits: By monitor, which limits may have been active, and when.
        silence: First and last moment without commands, wall clock (µs).
        commands: How many commands were given in the silence.
    """
    findings = {
        SOURCE: judge_filters(seen, federation, limits),
        LEFTOVERS: judge_leftovers(seen, federation, limits),
        STORM: judge_storm(seen, federation, *silence, commands),
    }
    return Testimony(findings, _who_looked(seen, silence))


def _who_looked(seen: Witnesses, silence: tuple[int, int]) -> dict[str, str]:
    """Return what the verdict says, promise by promise, of who looked."""
    first_us, last_us = silence
    stop_us = seen.gateways_stop_us
    on_air = bool(seen.air_looked)
    nobody = "by the event log alone: no native observer looked"
    at_end = stop_us is not None and any(one <= stop_us <= two for one, two in seen.air_looked)
    in_city = first_us < last_us and looked(seen.city_looked, first_us, last_us - COUNTED_US)
    return {
        SOURCE: "seen natively too" if on_air else nobody,
        LEFTOVERS: "seen natively too" if at_end else nobody,
        STORM: "counted natively too" if in_city else nobody,
    }


def _nodes(federation: Federation) -> dict[str, str]:
    """Return the monitors by the names of their nodes on the air: those of their adapters."""
    return {f"{one.gateway}.{one.service}": one.name for one in federation.monitors}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the complete lines of a file that are JSON objects with a time."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict) and isinstance(value.get("wall_us"), int):
                yield value


def _looked(lines: Iterable[dict[str, Any]]) -> list[tuple[int, int]]:
    """Return when an observer looked: while its lines follow one another closely enough."""
    spans: list[tuple[int, int]] = []
    for line in lines:
        at_us = line["wall_us"]
        if spans and 0 <= at_us - spans[-1][1] <= LOOKS_US:
            spans[-1] = (spans[-1][0], at_us)
        else:
            spans.append((at_us, at_us))
    return spans


def _counts(line: dict[str, Any]) -> bool:
    return line.get("seen") == "alive" and isinstance(line.get("notifications"), int)


def _memberships(lines: Iterable[dict[str, Any]]) -> list[Membership]:
    found: dict[tuple[str, int], Membership] = {}
    ended: list[Membership] = []
    for line in lines:
        if line.get("subject") != SUBJECT or line.get("seen") not in ("join", "leave"):
            continue
        key = (str(line.get("node")), int(line.get("number") or 0))
        content = tuple(tuple(term) for term in line.get("content") or [])
        known = found.pop(key, None)
        if line["seen"] == "join":
            joined_us = known.joined_us if known is not None else line["wall_us"]
            found[key] = Membership(*key, joined_us, None, content)
        elif known is not None and not line.get("silent"):
            ended.append(Membership(*key, known.joined_us, line["wall_us"], known.content))
    return sorted([*ended, *found.values()], key=lambda one: (one.joined_us, one.node, one.number))


def _least(content: Iterable[tuple[Any, ...]]) -> float | None:
    """Return what a content filter's speeds exceed or equal; None where they need not."""
    bounds = [
        float(term[2])
        for term in content
        if term[0] == MEASURED
        and term[1] in (">", ">=", "=", "range")
        and isinstance(term[2], int | float)
    ]
    return max(bounds, default=None)


def _found(wrong: list[tuple[str, str]]) -> Found:
    first = tuple((0, "", monitor, reason) for monitor, reason in wrong[:EXAMPLES])
    return Found(len(wrong), first)
