"""Test files of rules: questions, and what has to be decided.

Each case names `user`, `event`, maybe `device`, `place`, `time` (HH:MM) and `weekday`, and expects
`permit` or `forbid`, maybe by a `rule`, and of `passes` and `stops` each event's values.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from eventservices.bus.filters import Subject, compile_filter
from eventservices.bus.wire.policy import Question
from msgspec import Meta

from fes_policy.building import Building, read_yaml
from fes_policy.engine import Engine
from fes_policy.errors import PolicyError
from fes_policy.rules import Rules
from fes_policy.whereabouts import Whereabouts

MONDAY = datetime(2001, 1, 1, tzinfo=UTC)


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question, and the decision that is expected."""

    user: str
    event: str
    expect: Literal["permit", "forbid"]
    device: str = "desk"
    place: str = ""
    time: Annotated[str, Meta(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$")] = "12:00"
    weekday: Annotated[int, Meta(ge=1, le=7)] = 1
    rule: str = ""
    passes: tuple[dict[str, Any], ...] = ()
    stops: tuple[dict[str, Any], ...] = ()


class Cases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A test file."""

    cases: Annotated[tuple[Case, ...], Meta(min_length=1, max_length=100_000)]


def load_cases(path: Path) -> tuple[Case, ...]:
    """Return the cases of a file.

    Raises:
        PolicyError: It cannot be read, or is not valid; the message names file and key.
    """
    found: Cases = read_yaml(path, Cases)
    return found.cases


def failures(cases: tuple[Case, ...], rules: Rules, building: Building) -> list[str]:
    """Return what was decided otherwise than expected, in words.

    Raises:
        PolicyError: A case names a place without a station, or a user without a badge.
    """
    return [
        f"case {number} ({case.user}, {case.event}): {wrong}"
        for number, case in enumerate(cases, 1)
        for wrong in _wrongs(case, rules, building)
    ]


def _wrongs(case: Case, rules: Rules, building: Building) -> list[str]:
    moment = MONDAY.replace(day=case.weekday, hour=int(case.time[:2]), minute=int(case.time[3:]))
    now_us = int(moment.timestamp() * 1e6)
    whereabouts = Whereabouts(building)
    if case.place:
        _put(whereabouts, building, case, now_us)
    question = Question(case.user, case.event, case.device, "")
    found = Engine(rules, building, whereabouts).decide(question, now_us)
    decided = "permit" if found.decision.permit else "forbid"
    if decided != case.expect:
        return [f"expected {case.expect}, decided {decided} by {found.decision.rule}"]
    wrongs = []
    if case.rule and case.rule not in {each.id for each in found.rules}:
        wrongs.append(f"expected by {case.rule}, decided by {found.decision.rule}")
    test = compile_filter(found.decision.filter)
    for values, passes in [*((v, True) for v in case.passes), *((v, False) for v in case.stops)]:
        if (test(Subject(values, {}, case.user, case.device)) is True) is not passes:
            wrongs.append(f"{values} {'is stopped' if passes else 'passes'}")
    return wrongs


def _put(whereabouts: Whereabouts, building: Building, case: Case, now_us: int) -> None:
    place, user = building.places.get(case.place), building.users.get(case.user)
    if place is None or not place.stations or user is None or not user.badges:
        raise PolicyError(f"{case.user} cannot be at {case.place!r}: no station, or no badge")
    whereabouts.sighted(place.stations[0], user.badges[0], now_us)
