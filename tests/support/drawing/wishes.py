"""What clients of a world ask for, and what it means: filters written and judged plainly.

Few names, few values, so that filters often agree and often do not. Nothing of `fes.filter` is used
here: a wish says as a text what it asks for, and decides by three-valued logic of its own.
"""

import operator
import random
from dataclasses import dataclass, field
from typing import Any, Final

from fes.model import Event, attributes

COLOURS: Final = ("red", "green", "grey")
WEIGHTS: Final = (0.5, 1.0, 2.5)
RELATIONS: Final = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

Tree = tuple[Any, ...]
"""A test, or what joins tests: its name, then its parts."""


@dataclass(frozen=True)
class Reading:
    """What an event of a world says; None where it does not say it."""

    number: int
    colour: str | None = None
    weight: float | None = None
    priority: int = 0

    def event(self, attributes_: dict[str, Any]) -> Event:
        """Return the event that says so, with further attributes."""
        said = {"number": self.number, "colour": self.colour, "weight": self.weight}
        told = {attributes.PRIORITY: self.priority} if self.priority else {}
        told |= attributes_
        event = Event.of("Reading", **{k: v for k, v in said.items() if v is not None})
        return event.with_attributes(told) if told else event

    @staticmethod
    def of(event: Event) -> "Reading":
        """Return what an event says."""
        said = {field.id: field.value for field in event.parameters}
        return Reading(
            said["number"], said.get("colour"), said.get("weight"), attributes.priority(event)
        )

    def value(self, name: str) -> Any:
        """Return what a name of the filter language stands for."""
        if name == "@Priority":
            return self.priority or None
        return getattr(self, name, None)


@dataclass(frozen=True)
class Wish:
    """What a client asks for.

    Attributes:
        text: In the filter language.
        tree: The same, to be judged.
    """

    text: str
    tree: Tree = field(repr=False)

    def wants(self, reading: Reading) -> bool:
        """Tell whether an event belongs to it: only what is true does."""
        return truth(self.tree, reading) is True

    @staticmethod
    def of(tree: Tree) -> "Wish":
        """Return the wish that a tree tells."""
        return Wish(f"subject = 'Reading' AND {_written(tree)}", tree)


def at_least(number: int) -> Wish:
    """Return the wish for events of some number and above."""
    return Wish.of((">=", "number", number))


def pattern_matches(pattern: str, name: str) -> bool:
    """Match as a distribution list does, written plainly."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(pattern_matches(pattern[1:], name[i:]) for i in range(len(name) + 1))
    return bool(name) and pattern[0] in ("?", name[0]) and pattern_matches(pattern[1:], name[1:])


def truth(tree: Tree, reading: Reading) -> bool | None:
    """Return what a tree says of an event; None is unknown."""
    kind, *parts = tree
    if kind == "NOT":
        inner = truth(parts[0], reading)
        return None if inner is None else not inner
    if kind in ("AND", "OR"):
        return _joined([truth(each, reading) for each in parts], decisive=kind == "OR")
    name, *constants = parts
    return _tested(kind, reading.value(name), constants)


def _tested(kind: str, value: Any, constants: list[Any]) -> bool | None:
    match kind:
        case "EXISTS" | "IS NULL":
            return (value is None) == (kind == "IS NULL")
        case "IN":
            return _joined([_compared("=", value, each) for each in constants], decisive=True)
        case "BETWEEN":
            low, high = constants
            ends = [_compared(">=", value, low), _compared("<=", value, high)]
            return _joined(ends, decisive=False)
        case "STARTS WITH":
            return value.startswith(constants[0]) if isinstance(value, str) else None
    return _compared(kind, value, constants[0])


def _joined(found: list[bool | None], *, decisive: bool) -> bool | None:
    if decisive in found:
        return decisive
    return None if None in found else not decisive


def _compared(relation: str, value: Any, constant: Any) -> bool | None:
    if value is None or isinstance(value, str) != isinstance(constant, str):
        return None
    return bool(RELATIONS[relation](value, constant))


def _written(tree: Tree) -> str:
    kind, *parts = tree
    if kind == "NOT":
        return f"NOT ({_written(parts[0])})"
    if kind in ("AND", "OR"):
        return "(" + f" {kind} ".join(f"({_written(each)})" for each in parts) + ")"
    name, *constants = parts
    said = [f"'{each}'" if isinstance(each, str) else repr(each) for each in constants]
    if kind == "EXISTS":
        return f"EXISTS {name}"
    if kind == "IN":
        return f"{name} IN ({', '.join(said)})"
    if kind == "BETWEEN":
        return f"({name} BETWEEN {said[0]} AND {said[1]})"
    return " ".join([name, kind, *said])


def _test(rng: random.Random) -> Tree:
    number = rng.randint(0, 9)
    return rng.choice(
        (
            (rng.choice(list(RELATIONS)), "number", number),
            (rng.choice(list(RELATIONS)), "weight", rng.choice(WEIGHTS)),
            (rng.choice(("=", "<>")), "colour", rng.choice(COLOURS)),
            (rng.choice(("=", "<>", "<")), "colour", number),
            ("IN", "colour", *rng.sample(COLOURS, 2)),
            ("IN", "number", *(rng.randint(0, 9) for _ in range(4))),
            ("BETWEEN", "number", number, min(9, number + 4)),
            ("STARTS WITH", "colour", rng.choice(("r", "gr", "gre", ""))),
            ("EXISTS", rng.choice(("colour", "weight", "height"))),
            ("IS NULL", rng.choice(("colour", "weight", "height"))),
            (rng.choice((">=", "<")), "@Priority", 5),
        )
    )


def _tree(rng: random.Random, depth: int) -> Tree:
    if depth == 0:
        return _test(rng)
    kind = rng.choice(("AND", "OR", "OR", "NOT", ""))
    if kind == "NOT":
        return ("NOT", _tree(rng, depth - 1))
    if not kind:
        return _test(rng)
    return (kind, *(_tree(rng, depth - 1) for _ in range(rng.randint(2, 3))))


WISHES: Final = tuple(Wish.of(_tree(random.Random(f"wish {n}"), 2)) for n in range(200))
"""As many as are compiled once and met often."""


def random_wish(rng: random.Random) -> Wish:
    """Return a wish: a plain one, or one of those drawn."""
    if rng.random() < 0.6:
        return at_least(rng.choice((0, 3, 6)))
    return rng.choice(WISHES)


def random_reading(rng: random.Random, priority: int = 0) -> Reading:
    """Return what an event says."""
    return Reading(
        rng.randint(0, 9),
        rng.choice((None, *COLOURS)),
        rng.choice((None, *WEIGHTS)),
        priority,
    )
