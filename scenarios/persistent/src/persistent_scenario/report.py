"""What a judged run is reported as: a table of figures, a line a promise, the verdict."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from persistent_scenario.judging import Evidence, Promise
from persistent_scenario.kills import LEADERS, How
from persistent_scenario.records import VERDICT, Received
from persistent_scenario.story import is_asked_for


def passed(promises: Sequence[Promise]) -> bool:
    """Return whether every promise was kept."""
    return not any(promise.breaches for promise in promises)


def figures(evidence: Evidence) -> dict[str, int | float]:
    """Return the figures of a run, by name."""
    tried, stored = evidence.tried, evidence.stored
    arrivals = sorted(each.at_us for got in evidence.received.values() for each in got)
    begun_us = min((each.at_us for each in tried.values()), default=0)
    lasted_s = max(0.0, (arrivals[-1] - begun_us) / 1e6) if arrivals else 0.0
    crossed = len({each.identity for got in evidence.received.values() for each in got})
    silence_us = max((b - a for a, b in pairwise(arrivals)), default=0)
    return {
        "readings published and acknowledged": len(stored),
        "of them requested": sum(
            is_asked_for(tried[each].value) for each in stored if each in tried
        ),
        "readings that crossed": crossed,
        "seconds": round(lasted_s, 1),
        "readings a second": round(crossed / lasted_s, 1) if lasted_s else 0.0,
        "longest silence, seconds": round(silence_us / 1e6, 1),
        "kills": sum(len(kill.parts) for kill in evidence.kills if kill.how is How.KILLED),
        **{
            f"leaders that {how.value}": sum(kill.how is how for kill in evidence.kills)
            for how in LEADERS
        },
    }


def table(evidence: Evidence, promises: Sequence[Promise]) -> str:
    """Return what people see of a judged run."""
    rows = [(name, f"{value:,}") for name, value in figures(evidence).items()]
    killed = Counter(part for kill in evidence.kills for part in kill.parts)
    rows += [(f"  of {part}", str(times)) for part, times in sorted(killed.items())]
    for name, got in evidence.received.items():
        rows.append((f"deliveries to {name}", _deliveries(got, evidence.suppressed.get(name, 0))))
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:<{width}}  {value}" for name, value in rows]
    width = max(len(each.name) for each in promises)
    lines += ["", f"{'promise':<{width}}  {'status':<6}  detail"]
    lines += [
        f"{each.name:<{width}}  {'broken' if each.breaches else 'held':<6}  {each.detail}"
        for each in promises
    ]
    return "\n".join([*lines, "", f"verdict: {'pass' if passed(promises) else 'fail'}"])


def write_verdict(folder: Path, evidence: Evidence, promises: Sequence[Promise]) -> None:
    """Write the verdict into the run folder, for programs."""
    told = {
        "verdict": "pass" if passed(promises) else "fail",
        "figures": figures(evidence),
        "promises": [
            {"name": each.name, "held": not each.breaches, "breaches": list(each.breaches[:100])}
            for each in promises
        ],
    }
    text = msgspec.json.format(msgspec.json.encode(told), indent=2)
    (folder / VERDICT).write_bytes(text + b"\n")


def _deliveries(got: Sequence[Received], suppressed: int) -> str:
    kept = f"; {suppressed:,} copies kept from it by its native API" if suppressed else ""
    return f"{len(got):,}{kept}"
