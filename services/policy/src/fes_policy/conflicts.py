"""What is reported when rules are loaded: permits without effect, filters that exclude others."""

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

from fes.filter import Filter, covers

from fes_policy.building import Building, event_entities, user_entity
from fes_policy.engine import request_of
from fes_policy.rules import Rule, Rules

MOST_CASES: Final = 50_000
"""Most combinations that are tried; beyond, the report mentions it."""

MINUTES: Final = (0, 8 * 60, 12 * 60, 17 * 60, 23 * 60 + 59)
DAYS: Final = (1, 6)


def conflicts(rules: Rules, building: Building) -> list[str]:
    """Return what of the rules can have no effect, in words.

    Every permit is tried with users of every combination of groups, with all events, devices,
    places and some times: one that is never part of a permission has no effect here. Which buses
    there are nobody states, so that nothing is reported of a permit that reads the bus.
    """
    found = [
        f"rule {rule.id!r}: its filter accepts nothing"
        for rule in rules.rules
        if rule.filter is not None and _accepts_nothing(rule.filter)
    ]
    effective: set[str] = set()
    pairs: dict[tuple[str, str], tuple[Rule, Rule]] = {}
    faulty: set[str] = set()
    for tried, (request, entities) in enumerate(_cases(rules, building)):
        if tried >= MOST_CASES:
            found.append(f"only the first {MOST_CASES} combinations were tried")
            break
        permit, reasons = rules.decide(request, entities)
        faulty |= set(rules.faults(request, entities)) if tried % 97 == 0 else set()
        if permit:
            effective |= {each.id for each in reasons if each.permits}
            for one, other in product(reasons, reasons):
                if one.permits and not other.permits:
                    pairs[one.id, other.id] = (one, other)
    found += [
        f"permit {rule.id!r} has no effect: no user of this building gets anything by it"
        for rule in rules.rules
        if rule.permits and rule.id not in effective and not rule.reads("bus")
    ]
    for one, other in pairs.values():
        if other.filter is not None and _is_withheld(one, other):
            found.append(
                f"permit {one.id!r} and forbid {other.id!r} exclude each other: nothing passes"
            )
    return [*found, *(f"cannot be evaluated: {each}" for each in sorted(faulty)[:20])]


def _cases(
    rules: Rules, building: Building
) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    named = {text for rule in rules.rules for text in _users_of(rule.policy)}
    users: dict[object, str] = {}
    for name, user in building.users.items():
        users.setdefault(name if name in named else frozenset(user.groups), name)
    places: tuple[str | None, ...] = (None, *building.places)
    for name, event, device, place in product(
        users.values(), building.events, building.devices, places
    ):
        entities = [user_entity(building, name), *event_entities(event)]
        for minute, weekday in product(MINUTES, DAYS):
            context: dict[str, Any] = {
                "device": device,
                "bus": "",
                "minute": minute,
                "weekday": weekday,
            }
            if place is not None:
                context |= {"place": place, "places": list(building.around(place))}
            yield request_of(name, event, context), entities


def _users_of(policy: dict[str, Any]) -> set[str]:
    entity = policy.get("principal", {}).get("entity", {})
    return {entity["id"]} if entity.get("type") == "User" else set()


def _accepts_nothing(filter_: Filter) -> bool:
    return covers(Filter.of("FALSE").tree, filter_.tree)


def _is_withheld(permit: Rule, forbid: Rule) -> bool:
    assert forbid.filter is not None  # noqa: S101 - looked at by the caller
    if permit.filter is None:
        return covers(forbid.filter.tree, Filter.of("TRUE").tree)
    return covers(forbid.filter.tree, permit.filter.tree)
