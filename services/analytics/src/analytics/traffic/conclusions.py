"""The ruling: what is said of each promise, once everything is counted."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields

from analytics.promises import findings as names
from analytics.traffic.checks import Silence
from analytics.traffic.found import Findings, Found
from analytics.traffic.run import RunData
from analytics.traffic.tally import Tally, percentile
from analytics.transforms.latency import HOPS
from analytics.verdict import (
    BROKEN,
    EXAMPLES,
    HELD,
    NOT_TESTABLE,
    Example,
    Hop,
    Promise,
    Reports,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted.

    Attributes:
        tally: Counts and latencies.
        found: What was found against each promise.
        cut_short: What is missing of the logs.
        quiet: When the publishers were silent.
        commands: How many commands were given meanwhile.
        kills: How many restarts could be judged.
        files: How many files of logs there are.
        witnessed: What native observers tell against each promise.
        who_looked: Of promises that they can tell of, who looked.
        scopes: What became of the promises about scopes, where there are any.
    """

    tally: Tally
    found: Findings
    cut_short: list[Example]
    quiet: Silence
    commands: int
    kills: int
    files: int
    witnessed: Findings = field(default_factory=dict)
    who_looked: dict[str, str] = field(default_factory=dict)
    scopes: tuple[Promise, ...] = ()


def rule(data: RunData, counted: Counted) -> Verdict:
    """Return the verdict."""
    counts = counted.tally.counts
    hops = tuple(map(_hop, HOPS, counted.tally.hops))
    return Verdict(
        reports=Reports(**{each.name: counts[each.name] for each in fields(Reports)}),
        end_to_end=hops[-1],
        hops=hops,
        promises=(
            *(_promise(data, counted, name) for name in names.PROMISES),
            *counted.scopes,
        ),
    )


def _hop(name: str, times: dict[int, int]) -> Hop:
    p50, p99 = (
        None if us is None else us / 1000
        for us in (percentile(times, 0.5), percentile(times, 0.99))
    )
    return Hop(name, p50, p99, sum(times.values()))


def _promise(data: RunData, counted: Counted, name: str) -> Promise:
    found = _against(counted, name)
    examples, offending = found.examples, found.offending
    if name == names.LOGS:
        examples, offending = counted.cut_short + examples, offending + len(counted.cut_short)
    untestable = _UNTESTABLE[name](data, counted) if name in _UNTESTABLE else ""
    if name == names.STORM and (untestable or offending <= _bound(data, counted)):
        examples, offending = [], 0
    seen = counted.witnessed.get(name, Found(0, ()))
    examples, offending = seen.examples + examples, offending + seen.offending
    if offending:
        detail = f"{offending} offending, e.g. {_told(examples[0])}"
        return Promise(name, BROKEN, offending, detail, tuple(examples[:EXAMPLES]))
    status = NOT_TESTABLE if untestable else HELD
    looked = counted.who_looked.get(name, "")
    held = "; ".join(part for part in (_held(data, counted, name), looked) if part)
    return Promise(name, status, 0, untestable or held)


def _against(counted: Counted, name: str) -> Found:
    nothing = Found(0, ())
    clock = counted.found.get(names.BY_CLOCK, nothing) if name == names.ORDER else nothing
    return counted.found.get(name, clock)


def _told(example: Example) -> str:
    return " ".join(part for part in (example.id, example.monitor, example.reason) if part)


def _bound(data: RunData, counted: Counted) -> int:
    """Return how many requests may be passed on in silence: each command once an adapter."""
    return (counted.commands + 1) * len(data.federation.adapters)


def _undelivered(_: RunData, counted: Counted) -> str:
    return "" if counted.tally.counts["received"] else "nothing was delivered"


def _unexpected(_: RunData, counted: Counted) -> str:
    return "" if counted.tally.counts["expected"] else "nothing was expected"


def _loud(_: RunData, counted: Counted) -> str:
    quiet = counted.quiet
    span_s = max(0.0, (quiet.last_us - quiet.first_us) / 1e6)
    return "" if quiet.testable else f"the run ended {span_s:.1f} s after publishers fell silent"


def _running(data: RunData, _: Counted) -> str:
    adapters = [data.summary.components.get(one.name) for one in data.federation.adapters]
    stopped = any(one is not None and one.stopped for one in adapters)
    return "" if stopped else "no adapter stopped gracefully"


def _unkilled(data: RunData, counted: Counted) -> str:
    if counted.kills:
        return ""
    killed = any(one.killed for one in data.outages)
    return (
        "limits changed about each kill, or the run ended too soon after it"
        if killed
        else "no gateway was killed in this run"
    )


def _unheard(data: RunData, counted: Counted) -> str:
    if not data.whole:
        return "the event log holds only a sample of the events"
    return "" if counted.tally.counts["heard"] else "the event log has no event heard by a monitor"


_UNTESTABLE: dict[str, Callable[[RunData, Counted], str]] = {
    names.AT_MOST_ONCE: _undelivered,
    names.UNASKED: _undelivered,
    names.LOST: _unexpected,
    names.ORDER: _undelivered,
    names.STORM: _loud,
    names.LEFTOVERS: _running,
    names.RESTART: _unkilled,
    names.PATH: _undelivered,
    names.SOURCE: _unheard,
}
"""For each promise, why it cannot be tested, or nothing."""


def _held(data: RunData, counted: Counted, name: str) -> str:
    row = counted.tally.counts
    received = f"{row['received']} deliveries"
    details = {
        names.AT_MOST_ONCE: f"{received}, each once",
        names.UNASKED: f"{received}, each asked for",
        names.LOST: f"{row['expected']} expected, {row['outage']} of them lost in an outage",
        names.ORDER: f"{received} in order",
        names.STORM: f"{_against(counted, names.STORM).offending} requests passed on in silence, "
        f"{_bound(data, counted)} allowed",
        names.LEFTOVERS: "all that was subscribed natively was withdrawn",
        names.RESTART: f"{counted.kills} restarts, each as before",
        names.PATH: f"{received} by their path",
        names.SOURCE: f"{row['heard']} heard by monitors, each above a limit",
        names.LOGS: f"{counted.files} files, {len(data.summary.components)} components",
    }
    return details[name]
