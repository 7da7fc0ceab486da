"""Which subscriptions held where and when, by the requests of a script alone."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from fes.control import RequestType
from support.drawing.breaking import SKEW_US
from support.drawing.wishes import Wish, pattern_matches
from support.simulation.happened import Command
from support.simulation.world import SECOND

LAPSE_US = SKEW_US + 2 * SECOND
"""How much later a lease may end, as clocks are looked at now and then; and how much earlier where
a gateway ended before: while it does not run, its clock goes on as the wall clock does. While it
runs, no lease ends before its time, whatever its wall clock is set to."""


@dataclass(frozen=True)
class Interval:
    """A subscription of one event service at another.

    Attributes:
        source: Whose clients asked.
        at: Where it is applied.
        wish: What they asked for.
        from_us: When they asked.
        to_us: Until then it holds for certain.
        withdrawn_us: When it was withdrawn; 0 where it never was.
        lapsed_us: After then it surely holds no longer, since its lease ended; 0 where it has none.
    """

    source: str
    at: str
    wish: Wish
    from_us: int
    to_us: int
    withdrawn_us: int = 0
    lapsed_us: int = 0


def intervals(
    commands: Iterable[Command], services: tuple[str, ...], first_end_us: float = math.inf
) -> list[Interval]:
    """Return which subscriptions held where and when.

    Args:
        commands: The requests.
        services: Event services.
        first_end_us: When a gateway ended for the first time.
    """
    by_key: dict[tuple[str, str, str], list[Command]] = defaultdict(list)
    for command in sorted(commands, key=lambda each: each.at_us):
        by_key[command.source, command.requester, command.wish.text].append(command)
    return [
        interval
        for (source, _, _), script in by_key.items()
        for service in services
        if service != source
        for interval in _held(script, service, first_end_us)
    ]


def _held(script: list[Command], service: str, first_end_us: float) -> list[Interval]:
    """Return when one client's subscription held at one event service; a renewal is one more."""
    found, standing = [], list[Command]()
    for command in script:
        if not any(pattern_matches(pattern, service) for pattern in command.patterns):
            continue
        if command.kind is RequestType.UNSUBSCRIPTION:
            found += [_interval(each, service, command.at_us, first_end_us) for each in standing]
            standing = []
        elif command.expires_us or not standing:
            standing.append(command)
    leases = [each for each in standing if each.expires_us]
    return found + [_interval(each, service, 0, first_end_us) for each in leases]


def _interval(command: Command, service: str, withdrawn_us: int, first_end_us: float) -> Interval:
    ends_us = command.expires_us
    early_us = LAPSE_US if first_end_us < ends_us else 0
    certain = [moment for moment in (withdrawn_us, ends_us and ends_us - early_us) if moment]
    return Interval(
        command.source,
        service,
        command.wish,
        command.at_us,
        min(certain),
        withdrawn_us,
        ends_us and ends_us + LAPSE_US,
    )
