"""What is reported when rules are loaded: permits without effect, filters that exclude others."""

from collections.abc import Iterator
from typing import Final

from fes.filter import Filter, covers

from fes_policy.applying import Applying, parts
from fes_policy.building import Building
from fes_policy.rules import Rule, Rules, Uid

MOST_CASES: Final = 500_000
"""Most cases that are tried; beyond, the report mentions it."""

MOST_PAIRS: Final = 10_000
"""Most pairs of a permit and a forbid whose filters are compared; likewise."""

TRUE: Final = Filter.of("TRUE")
FALSE: Final = Filter.of("FALSE")


def conflicts(rules: Rules, building: Building) -> list[str]:
    """Return what of the rules can have no effect, in words.

    Every permit is tried with users of every combination of groups, with all events, devices,
    places and some times: one that is never part of a permission has no effect here. Which buses
    there are nobody states, so that nothing is reported of a permit that reads the bus.
    """
    found = [
        f"rule {rule.id!r}: its filter accepts nothing"
        for rule in rules.rules
        if rule.filter is not None and covers(FALSE.tree, rule.filter.tree)
    ]
    applying = Applying(rules.rules, building, MOST_CASES)
    effective: set[str] = set()
    pairs: dict[tuple[str, str], tuple[Rule, Rule]] = {}
    for permit, withheld in _permitted(rules, building, applying):
        effective.add(permit.id)
        for forbid in withheld:
            if len(pairs) < MOST_PAIRS:
                pairs[permit.id, forbid.id] = permit, forbid
    if applying.complete:
        found += [
            f"permit {rule.id!r} has no effect: no user of this building gets anything by it"
            for rule in rules.rules
            if rule.permits and rule.id not in effective and not rule.reads("bus")
        ]
    else:
        found.append("too many cases: permits without effect are not reported")
    if len(pairs) >= MOST_PAIRS:
        found.append(f"only {MOST_PAIRS} pairs of a permit and a forbid were compared")
    found += [
        f"permit {permit.id!r} and forbid {forbid.id!r} exclude each other: nothing passes"
        for permit, forbid in pairs.values()
        if covers((forbid.filter or TRUE).tree, (permit.filter or TRUE).tree)
    ]
    faults = sorted(applying.faults.items())
    return [*found, *(f"rule {name!r} cannot be evaluated: {fault}" for name, fault in faults)]


def _permitted(
    rules: Rules, building: Building, applying: Applying
) -> Iterator[tuple[Rule, list[Rule]]]:
    """Return permits that are part of a permission, each with the forbids that withhold of it."""
    uids = frozenset[Uid]().union(*(each.uids() for each in rules.rules))
    users, events = parts(building, uids)
    by_principal: dict[Uid | None, list[Rule]] = {}
    for rule in rules.rules:
        by_principal.setdefault(rule.scope("principal"), []).append(rule)
    of_rule = {
        rule.id: [each for each in events if each.is_in(rule.scope("resource"))]
        for rule in rules.rules
    }
    for user in users:
        applied: dict[str, list[tuple[Rule, int]]] = {}
        for uid in (None, *sorted(user.uids)):
            for rule in by_principal.get(uid, ()):
                for event in of_rule[rule.id]:
                    if contexts := applying.contexts(rule, user, event):
                        applied.setdefault(event.name, []).append((rule, contexts))
        for each in applied.values():
            yield from _deciding(each)
        if not applying.complete:
            return


def _deciding(applied: list[tuple[Rule, int]]) -> Iterator[tuple[Rule, list[Rule]]]:
    """Return them for one user and one event, of the rules that apply, each in some contexts."""
    refused = 0
    for rule, contexts in applied:
        if not rule.permits and rule.filter is None:
            refused |= contexts
    withholding = [
        (rule, contexts) for rule, contexts in applied if not rule.permits and rule.filter
    ]
    for rule, contexts in applied:
        if rule.permits and (permitted := contexts & ~refused):
            yield rule, [forbid for forbid, where in withholding if where & permitted]
