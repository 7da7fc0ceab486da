"""One trial of the match index: builds it, asks it, and verifies it."""

import gc
import random
import statistics
import time
from bisect import bisect
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from fes.filter.index import MatchIndex
from fes.filter.language.tree import And, Comparison, Condition, Constant, Parameter, Subject
from fes.model import Event

DESTINATIONS = 1_000
"""Event services that events go to; a filter is of one of them."""

SUBJECTS, ZONES = 10, 5
LICENCES_OF = 10
"""Filters for each licence number."""

EVENTS, ROUNDS = 400, 5
VERIFY = 3_000_000
"""Comparisons of events with filters that verifying may take."""

SUBJECT = Subject()
ZONE, LICENCE, RATE = Parameter("zone"), Parameter("licence"), Parameter("rate")

Draw = Callable[[int], int]


class Asked(NamedTuple):
    """A filter, as plain values."""

    destination: int
    subject: int
    key: int
    limit: float


def uniform(chance: random.Random) -> Draw:
    """Return a function that draws each of so many numbers equally often."""
    return chance.randrange


def zipf(chance: random.Random) -> Draw:
    """Return a function that draws the n-th of so many numbers with a share of 1 / n."""
    known: dict[int, list[float]] = {}

    def draw(many: int) -> int:
        if many not in known:
            known[many] = [*accumulate(1 / rank for rank in range(1, many + 1))]
        return min(many - 1, bisect(known[many], chance.random() * known[many][-1]))

    return draw


SPREADS: dict[str, Callable[[random.Random], Draw]] = {"uniform": uniform, "zipf": zipf}
WORKLOADS = ("equality", "range")
"""A licence number of many; or one of a few zones, and a limit: one filter in a hundred matches."""


def run(workload: str, spread: str, size: int) -> dict[str, Any]:
    """Return what an index of so many filters costs.

    Raises:
        AssertionError: It told other destinations than asking every filter does.
    """
    chance = random.Random(7)
    draw = SPREADS[spread](chance)
    keys = ZONES if workload == "range" else max(1, size // LICENCES_OF)
    asked = [
        Asked(chance.randrange(DESTINATIONS), draw(SUBJECTS), draw(keys), chance.random() * 100)
        for _ in range(size)
    ]
    name = ZONE if workload == "range" else LICENCE
    gc.collect()
    before = resident_mib()
    index, build_s = _built(asked, name, limits=workload == "range")
    mib = resident_mib() - before
    events = [(draw(SUBJECTS), draw(keys), chance.random() * 100) for _ in range(EVENTS)]
    costs = _asked(index, [_event(*each, name) for each in events])
    matching, goes = _verified(index, asked, events, name)
    return {
        "workload": workload,
        "spread": spread,
        "filters": size,
        "build_s": build_s,
        "mib": mib,
        "matching": matching,
        "destinations": goes,
        "us": statistics.median(costs),
        "us_p99": statistics.quantiles(costs, n=100)[98],
        "verified": min(EVENTS, VERIFY // size),
    }


def resident_mib() -> float:
    """Return the memory of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def _built(
    asked: Sequence[Asked], name: Parameter, *, limits: bool
) -> tuple[MatchIndex[int], float]:
    index = MatchIndex[int]()
    begun = time.perf_counter()
    for each in asked:
        index.add(each.destination, _filter(each, name, limits=limits))
    index.destinations(_event(0, 0, 50.0, name))  # which sorts what is new
    return index, time.perf_counter() - begun


def _filter(asked: Asked, name: Parameter, *, limits: bool) -> Condition:
    tests: list[Condition] = [
        Comparison(SUBJECT, "=", Constant(f"S{asked.subject}")),
        Comparison(name, "=", Constant(asked.key)),
    ]
    if limits:
        tests.append(Comparison(RATE, ">", Constant(asked.limit)))
    return And(tuple(tests))


def _event(subject: int, key: int, rate: float, name: Parameter) -> Event:
    return Event.of(f"S{subject}", {name.name: key, "rate": rate, "note": "none"})


def _asked(index: MatchIndex[int], events: Sequence[Event]) -> list[float]:
    """Return the least time of each event over all rounds, microseconds."""
    costs = [float("inf")] * len(events)
    for _ in range(ROUNDS):
        for at, event in enumerate(events):
            begun = time.perf_counter_ns()
            index.destinations(event)
            costs[at] = min(costs[at], (time.perf_counter_ns() - begun) / 1000)
    return costs


def _verified(
    index: MatchIndex[int],
    asked: Sequence[Asked],
    events: Sequence[tuple[int, int, float]],
    name: Parameter,
) -> tuple[float, float]:
    """Return which share of the filters matches an event, and how many places it goes to."""
    chosen = events[: max(1, VERIFY // len(asked))]
    matching = goes = 0
    for subject, key, rate in chosen:
        met = [
            each.destination
            for each in asked
            if each.subject == subject
            and each.key == key
            and (name is LICENCE or rate > each.limit)
        ]
        found = index.destinations(_event(subject, key, rate, name))
        if found != {*met}:
            raise AssertionError(f"of {len(asked)} filters, for {subject, key, rate}")
        matching += len(met)
        goes += len(found)
    return matching / len(asked) / len(chosen), goes / len(chosen)
