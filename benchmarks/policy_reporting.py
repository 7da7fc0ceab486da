"""What the report on rules without effect costs, by the number of rules and of users."""

import random
import time

from fes_policy import Rules, parse_rules
from fes_policy.building import Building, Place, User
from fes_policy.conflicts import conflicts

GROUPS, EVENTS, PLACES = 20, 10, 20
CONDITIONS = (
    "",
    'when { context.device == "desk" }',
    'when { context has places && context.places.contains("p3") }',
    "when { context.minute >= 480 && context.weekday < 6 }",
)


def costs(rules: tuple[int, ...], users: tuple[int, ...]) -> list[dict[str, float]]:
    """Return for each number of rules and of users how long the report needs; processor time."""
    found = []
    for many in rules:
        for people in users:
            drawn, building = _drawn(many, people)
            begun_s = time.process_time()
            lines = conflicts(drawn, building)
            took_s = time.process_time() - begun_s
            found.append(
                {"rules": many, "users": people, "findings": len(lines), "s": round(took_s, 2)}
            )
    return found


def _drawn(rules: int, users: int) -> tuple[Rules, Building]:
    draw = random.Random(1)
    groups = [f"g{number}" for number in range(GROUPS)]
    building = Building(
        users={f"u{n}": User(tuple(draw.sample(groups, draw.randint(1, 3)))) for n in range(users)},
        places={f"p{n}": Place(f"p{n // 4 - 1}" if n >= 4 else "") for n in range(PLACES)},
        events=tuple(f"e.n{number}" for number in range(EVENTS)),
    )
    text = "".join(
        f'@id("r{n}") @filter("n < {draw.randint(1, 9)}") '
        f"{'forbid' if draw.random() < 0.1 else 'permit'} "
        f'(principal in Group::"{draw.choice(groups)}", action, '
        f'resource == Event::"e.n{draw.randrange(EVENTS)}") {draw.choice(CONDITIONS)};'
        for n in range(rules)
    )
    return parse_rules(text), building
