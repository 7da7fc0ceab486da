"""Outages: when which gateway was cut off, by the record of whoever cut.

Whoever ends a part on purpose writes a line (`by` is `harness` or `operator`). `fes run` writes
how long the part was away (`by` is `supervisor`), whatever it ended from: a crash, too, ends by a
signal. So that a line of its own excuses nothing: only one that begins where somebody else's does.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analytics.errors import CannotJudgeError
from analytics.inputs.federation import Federation
from analytics.inputs.folder import RunFolder, json_lines

CUTTERS = ("harness", "operator")
"""Who may specify that a part was cut on purpose: not the product, nor what runs it."""

CUT_US = 2_000_000
"""A part whose end is seen so long after it was cut at most was gone by that cut."""

FOREVER_US = 2**62
"""A time that never comes."""


@dataclass(frozen=True, slots=True)
class Outage:
    """One time for which a gateway was cut off.

    Attributes:
        from_us: Wall clock, µs since 1970 UTC.
        to_us: Wall clock; `FOREVER_US` where it never ended.
        killed: The gateway itself was killed, not something that it needs.
    """

    gateway: str
    from_us: int
    to_us: int
    killed: bool


def load_outages(
    folder: RunFolder, federation: Federation, processes: dict[str, frozenset[str]]
) -> tuple[Outage, ...]:
    """Return the outages that excuse a loss.

    A crash of the product excuses nothing: only what somebody cut does.

    Args:
        folder: The run.
        federation: States what a part represents.
        processes: The components of each process, from the event logs.

    Raises:
        CannotJudgeError: A line of `outages.jsonl` cannot be understood.
    """
    if not folder.outages.exists():
        return ()
    return outages_of(folder.outages, json_lines(folder.outages), federation, processes)


def outages_of(
    path: Path,
    records: Iterable[tuple[int, dict[str, Any]]],
    federation: Federation,
    processes: dict[str, frozenset[str]],
) -> tuple[Outage, ...]:
    """Return the outages that records tell of; `path` and their numbers name a wrong one.

    Raises:
        CannotJudgeError: A record cannot be understood.
    """
    found: list[_Line] = []
    for number, record in records:
        try:
            found.append(_line(record))
        except KeyError as error:
            raise CannotJudgeError(path, number, f"lacks {error}") from error
        except (TypeError, ValueError, OverflowError) as error:
            raise CannotJudgeError(path, number, f"holds no time: {error}") from error
    cuts = [line for line in found if line.on_purpose]
    excused = [line for line in found if any(_by_cut(line, cut, processes) for cut in cuts)]
    return tuple(each for line in excused for each in _outages(line, federation, processes))


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of `outages.jsonl`."""

    part: str
    from_us: int
    to_us: int
    on_purpose: bool


def _line(record: dict[str, Any]) -> _Line:
    end = FOREVER_US if record["to_us"] is None else int(record["to_us"])
    part, from_us, _ = str(record["part"]), int(record["from_us"]), record["cause"]
    return _Line(part, from_us, end, record["by"] in CUTTERS)


def _by_cut(line: _Line, cut: _Line, processes: dict[str, frozenset[str]]) -> bool:
    """Return whether an end is what somebody's cut led to: of the part, or of its process."""
    if line is cut:
        return True
    gone = {cut.part} | processes.get(cut.part, frozenset())
    for name, inside in processes.items():
        if cut.part in inside:
            gone |= {name} | inside
    # A clock is read by both, and the one who cuts may write before or after it has.
    soon = -CUT_US <= line.from_us - cut.from_us <= CUT_US
    return not line.on_purpose and line.part in gone and soon


def _outages(
    line: _Line, federation: Federation, processes: dict[str, frozenset[str]]
) -> list[Outage]:
    killed, cut = _cut(line.part, federation, processes)
    return [Outage(gateway, line.from_us, line.to_us, killed) for gateway in sorted(cut)]


def _cut(
    part: str, federation: Federation, processes: dict[str, frozenset[str]]
) -> tuple[bool, set[str]]:
    """Return whether `part` holds gateways, and the gateways that its loss cuts off."""
    inside = {part} | processes.get(part, frozenset())
    adapters = federation.adapters
    own = {one.gateway for one in adapters if one.gateway in inside or one.name in inside}
    if own:
        return True, own
    if part in federation.applications:
        return False, _city(federation) if part == "traffic-control" else set()
    needs = federation.brokers
    return False, {
        one.gateway
        for one in adapters
        if one.service == part or part in needs.get(one.service, frozenset())
    }


def _city(federation: Federation) -> set[str]:
    return {monitor.gateway for monitor in federation.monitors}
