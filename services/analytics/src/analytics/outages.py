"""Outages: when which gateway was cut off, from the words of whoever cut."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analytics.errors import CannotJudgeError
from analytics.federation import Federation
from analytics.folder import RunFolder, json_lines

_CUTTERS = ("harness", "operator")

FOREVER_US = 2**62
"""Stands for a time that never comes."""


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

    A crash of the product excuses nothing: only what somebody cut does, or a signal.

    Args:
        folder: The run.
        federation: Tells what a part stands for.
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
    found: list[Outage] = []
    for number, record in records:
        try:
            found.extend(_outages(record, federation, processes))
        except KeyError as error:
            raise CannotJudgeError(path, number, f"lacks {error}") from error
        except (TypeError, ValueError, OverflowError) as error:
            raise CannotJudgeError(path, number, f"holds no time: {error}") from error
    return tuple(found)


def _outages(
    record: dict[str, Any], federation: Federation, processes: dict[str, frozenset[str]]
) -> list[Outage]:
    by_signal = str(record["cause"]).startswith("signal")
    if record["by"] not in _CUTTERS and not by_signal:
        return []
    end = FOREVER_US if record["to_us"] is None else int(record["to_us"])
    killed, cut = _cut(str(record["part"]), federation, processes)
    return [Outage(gateway, int(record["from_us"]), end, killed) for gateway in sorted(cut)]


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
