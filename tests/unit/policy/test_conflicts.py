"""What is reported of rules is what trying every single case finds."""

import random
from itertools import product

import cedarpy
import pytest
from fes.filter import Filter, covers
from fes_policy import Rules, parse_rules
from fes_policy import conflicts as conflicts_module
from fes_policy.applying import DAYS, MINUTES, Applying
from fes_policy.building import Building, Place, User, event_entities, user_entity
from fes_policy.conflicts import conflicts
from fes_policy.engine import request_of
from fes_policy.rules import _policy_set

EVENTS = ("a.x.One", "a.x.Two", "a.y.Three")
CONDITIONS = (
    *[""] * 3,
    'when { context.device == "desk" }',
    'when { context.device like "h*" }',
    'when { context has place && context.place == "room" }',
    'when { context has places && context.places.contains("floor") }',
    'when { context.place like "r*" }',
    "when { context.minute < 700 }",
    "unless { context.weekday < 6 && context.minute > 100 }",
    'when { principal == User::"u1" || principal in Group::"g2" }',
    'when { principal in [User::"u0", Group::"g0"] && resource != Event::"a.x.Two" }',
    'when { resource in Domain::"a.x." || context.device == "handheld" }',
    'when { resource == Event::"a.y.Three" }',
    'when { context.bus == "office" }',
    "when { context == {} }",
)
PRINCIPALS = (
    *["principal"] * 2,
    'principal == User::"u0"',
    *(f'principal in Group::"g{number}"' for number in range(4)),
    'principal is User in Group::"g1"',
)
RESOURCES = (
    *["resource"] * 2,
    *(f'resource == Event::"{name}"' for name in EVENTS),
    'resource in Domain::"a.x."',
    'resource in Domain::"b."',
)
FILTERS = (*[""] * 3, '@filter("n < 5")', '@filter("n < 9")', '@filter("n < 1 AND n > 2")')


def drawn(seed: int) -> tuple[Rules, Building]:
    """Return a few rules of a small building."""
    draw = random.Random(seed)
    users = {
        f"u{n}": User(tuple(draw.sample(["g0", "g1", "g2"], draw.randint(0, 3)))) for n in range(5)
    }
    places = {"floor": Place(), "room": Place("floor"), "hall": Place()}
    rules = "".join(
        f'@id("r{number}") {draw.choice(FILTERS)} {draw.choice(("permit", "permit", "forbid"))} '
        f"({draw.choice(PRINCIPALS)}, action, {draw.choice(RESOURCES)}) {draw.choice(CONDITIONS)};"
        for number in range(draw.randint(1, 9))
    )
    return parse_rules(rules), Building(users=users, places=places, events=EVENTS)


def expected(rules: Rules, building: Building) -> list[str]:
    """Return what is to be reported, by every case there is."""
    effective, pairs, faulty = set(), set(), set()
    places: list[dict[str, object]] = [{}]
    places += [{"place": n, "places": list(building.around(n))} for n in building.places]
    every = _policy_set(rules.rules)
    for user, event, device, place, minute, day in product(
        building.users, EVENTS, building.devices, places, MINUTES, DAYS
    ):
        context = {"device": device, "bus": "", "minute": minute, "weekday": day, **place}
        request = request_of(user, event, context)
        entities = [user_entity(building, user), *event_entities(event)]
        permit, reasons = rules.decide(request, entities)
        if permit:
            effective |= {each.id for each in reasons if each.permits}
            pairs |= {(a.id, b.id) for a in reasons for b in reasons if a.permits and not b.permits}
        for fault in cedarpy.is_authorized(request, every, entities).diagnostics.errors:
            faulty.add(rules.rules[int(fault.split("`policy")[1].split("`")[0])].id)
    filters = {rule.id: rule.filter or Filter.of("TRUE") for rule in rules.rules}
    return [
        *(
            f"'{n}': its filter"
            for n, each in filters.items()
            if covers(Filter.of("FALSE").tree, each.tree)
        ),
        *(
            f"'{rule.id}' has no effect"
            for rule in rules.rules
            if rule.permits and rule.id not in effective and not rule.reads("bus")
        ),
        *(
            f"'{a}' and forbid '{b}' exc"
            for a, b in pairs
            if covers(filters[b].tree, filters[a].tree)
        ),
        *(f"'{name}' cannot be evaluated" for name in faulty),
    ]


@pytest.mark.parametrize("seed", range(12))
def test_the_report_is_what_trying_every_case_finds(seed: int) -> None:
    rules, building = drawn(seed)
    found, needed = conflicts(rules, building), expected(rules, building)
    assert [sum(each in line for line in found) for each in needed] == [1] * len(needed)
    assert len(found) == len(needed)


@pytest.mark.parametrize("device", ["desk", "handheld"])
def test_filters_exclude_each_other_only_where_both_apply(device: str) -> None:
    rules = parse_rules(
        '@id("p") @filter("n < 5") permit (principal, action, resource) '
        'when { context.device == "desk" };'
        '@id("f") @filter("n < 9") forbid (principal, action, resource) '
        f'when {{ context.device == "{device}" }};'
    )
    building = Building(users={"ann": User()}, events=EVENTS)
    assert bool(conflicts(rules, building)) is (device == "desk")


def test_what_is_drawn_has_findings_of_every_kind() -> None:
    found = "\n".join(line for seed in range(25) for line in conflicts(*drawn(seed)))
    for kind in (
        "accepts nothing",
        "no effect",
        "exclude each other",
        "does not have the attribute",
    ):
        assert found.count(kind) > 2


def test_a_permit_is_not_reported_where_not_every_case_was_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = parse_rules('@id("r") permit (principal in Group::"nobody", action, resource);')
    users = {f"u{number}": User(("g",)) for number in range(10)}
    building = Building(users=users, events=EVENTS)
    (found,) = conflicts(rules, building)
    assert "'r' has no effect" in found
    monkeypatch.setattr(conflicts_module, "MOST_CASES", 0)
    (found,) = conflicts(rules, building)
    assert "too many cases" in found


def test_the_pairs_of_permits_and_forbids_that_are_compared_are_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scope = "(principal, action, resource);"
    rules = parse_rules(
        "".join(
            f'@id("r{n}") permit {scope}@id("f{n}") @filter("n > 0") forbid {scope}'
            for n in range(4)
        )
    )
    building = Building(users={"u": User()}, events=EVENTS)
    assert conflicts(rules, building) == []
    monkeypatch.setattr(conflicts_module, "MOST_PAIRS", 7)
    assert conflicts(rules, building) == ["only 7 pairs of a permit and a forbid were compared"]


def test_of_a_thousand_users_only_those_are_tried_that_rules_distinguish() -> None:
    groups = [f"g{number}" for number in range(20)]
    draw = random.Random(1)
    users = {f"u{n}": User(tuple(draw.sample(groups, 3))) for n in range(1000)}
    places = {f"p{number}": Place() for number in range(100)}
    building = Building(users=users, places=places, events=tuple(f"e.n{n}" for n in range(10)))
    rules = parse_rules(
        "".join(
            f'@id("r{n}") permit (principal in Group::"g{n % 20}", action, resource == '
            f'Event::"e.n{n // 20}") when {{ context has place && context.place == "p{n % 100}" }};'
            for n in range(200)
        )
    )
    tried = Applying(rules.rules, building, conflicts_module.MOST_CASES)
    found = list(conflicts_module._permitted(rules, building, tried))
    assert {permit.id for permit, _ in found} == {rule.id for rule in rules.rules}
    assert tried.tried < 60_000
