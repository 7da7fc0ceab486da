"""Filters and events at random, with few names and values, so that they often agree."""

import math
from random import Random
from typing import Any

from fes.filter import Condition
from fes.filter.language.tree import (
    AFFIXES,
    RELATIONS,
    Affixed,
    Among,
    And,
    Arithmetic,
    Attribute,
    Comparison,
    Constant,
    Exists,
    IsTrue,
    Like,
    Negative,
    Not,
    Operand,
    Or,
    Parameter,
    Reference,
    Sign,
    Subject,
    Truth,
    Within,
)
from fes.model import Event

NAMES = ("a", "b", "c", "odd name", "in", "größe")
ATTRIBUTES = ("P", "AND", "Priority")
SUBJECTS = ("a", "ab", "abc", "Raw", "été", "S.x", "S/x")
NUMBERS = (0, 1, 2, -3, 1.0, 0.5, -0.0, 2**53 + 1, 2.0**53, 2**63 - 1, -(2**63), 1e300, 5e-324)
TEXTS = (
    "",
    "a",
    "ab",
    "abc",
    "b",
    "a%",
    "a_b",
    "it's",
    "a\\b",
    "été",
    "語",
    "\U0001f600",
    "\ufffd",
)
PLACES = ((52.6, -8.6), (52.61, -8.61), (0.0, 179.999), (0.0, -179.999), (89.9999, 10.0))
SIGNS: tuple[Sign, ...] = ("+", "-", "*", "/")
ODD = (math.nan, math.inf, -math.inf, b"a", Event.of("inner", a=1))


class Chance(Random):
    """Draws filters and events; one seed, one sequence."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._favoured: dict[str, list[Any]] = {}

    def favour(self, tree: Any) -> None:
        """Have events often get the values that a filter compares names with."""
        match tree:
            case And(items) | Or(items):
                for item in items:
                    self.favour(item)
            case Not(item) | IsTrue(item):
                self.favour(item)
            case Comparison(left, _, Constant(value)):
                self._note(left, value)
            case Among(operand, constants):
                for constant in constants:
                    self._note(operand, constant.value)
            case Affixed(operand, _, text):
                for value in (text, "a" + text, text + "a"):
                    self._note(operand, value)
            case Like(operand, pattern, _):
                self._note(operand, pattern.replace("%", "").replace("_", "a"))

    def _note(self, operand: Any, value: Any) -> None:
        name = getattr(operand, "name", "")
        near = [value + 1, value - 1] if type(value) is int and abs(value) < 2**60 else []
        self._favoured.setdefault(name, []).extend((value, value, *near))

    def subject(self) -> str:
        """Return a subject."""
        favoured: list[str] = [each for each in self._favoured.get("", ()) if each in SUBJECTS]
        return self.choice(favoured if favoured and self.random() < 0.7 else SUBJECTS)

    def tree(self, depth: int = 3) -> Condition:
        """Return any filter."""
        shape = self.random()
        if depth == 0 or shape < 0.35:
            return self.leaf()
        if shape < 0.5:
            return Not(self.tree(depth - 1))
        if shape < 0.56:
            return IsTrue(self.tree(depth - 1))
        items = tuple(self.tree(depth - 1) for _ in range(self.choice((2, 2, 3))))
        return And(items) if shape < 0.8 else Or(items)

    def typical(self) -> Condition:
        """Return a filter such as people write: a subject, and what values are to be."""
        tests: list[Condition] = []
        if self.random() < 0.7:
            tests.append(Comparison(Subject(), "=", Constant(self.choice(SUBJECTS))))
        tests += [self.plain_test() for _ in range(self.choice((1, 1, 2, 3)))]
        return And(tuple(tests)) if len(tests) > 1 else tests[0]

    def filter(self) -> Condition:
        """Return a filter of either sort."""
        return self.typical() if self.random() < 0.5 else self.tree()

    def leaf(self) -> Condition:
        """Return a single test."""
        draw = self.random()
        if draw < 0.45:
            return self.plain_test()
        if draw < 0.6:
            return Comparison(self.operand(), self.choice(RELATIONS), self.operand())
        if draw < 0.68:
            return Exists(self.reference())
        if draw < 0.72:
            return Truth(self.random() < 0.5)
        if draw < 0.78:
            return self.disc()
        return self.string_test()

    def plain_test(self) -> Condition:
        """Return a name compared with a constant, or with several."""
        draw, name = self.random(), self.reference()
        if draw < 0.06:
            return self.disc()
        if draw < 0.15:
            return Among(name, tuple(self.constants()))
        if draw < 0.3:
            return Comparison(name, self.choice(("=", "<>")), Constant(self.random() < 0.5))
        if draw < 0.4:
            return self.string_test()
        value = self.choice(NUMBERS) if self.random() < 0.6 else self.choice(TEXTS)
        return Comparison(name, self.choice(RELATIONS), Constant(value))

    def constants(self) -> list[Constant]:
        """Return what an IN lists, mostly of one kind."""
        source = self.choice((NUMBERS, NUMBERS, TEXTS, (*NUMBERS, *TEXTS, True, False)))
        return [Constant(self.choice(source)) for _ in range(self.choice((1, 2, 3, 5)))]

    def string_test(self) -> Condition:
        """Return a test of a string."""
        if self.random() < 0.7:
            return Affixed(self.reference(), self.choice(AFFIXES), self.choice(TEXTS))
        pattern = "".join(self.choice("ab%_é!") for _ in range(self.randrange(6)))
        return Like(self.reference(), pattern.replace("!", "!!"), "!")

    def disc(self) -> Within:
        """Return a test of the position."""
        lat, lon = self.choice(PLACES)
        return Within(lat, lon, self.choice((0.0, 100.0, 1000.0, 1600.0, 1e5, 2.1e7)))

    def reference(self) -> Reference:
        """Return a name."""
        draw = self.random()
        if draw < 0.2:
            return Subject()
        if draw < 0.85:
            return Parameter(self.choice(NAMES))
        return Attribute(self.choice(ATTRIBUTES))

    def operand(self, depth: int = 2) -> Operand:
        """Return a value, perhaps calculated."""
        draw = self.random()
        if depth == 0 or draw < 0.6:
            return self.reference()
        if draw < 0.75:
            return Negative(Parameter(self.choice(NAMES)))
        return Arithmetic(self.number(depth), self.choice(SIGNS), self.number(depth))

    def number(self, depth: int) -> Operand:
        """Return a side of a calculation."""
        if self.random() < 0.5:
            return Constant(self.choice(NUMBERS))
        return Parameter(self.choice(NAMES)) if self.random() < 0.7 else self.operand(depth - 1)

    def value(self, name: str = "") -> Any:
        """Return a value of a field, ill-typed ones included."""
        if name in self._favoured and name and self.random() < 0.7:
            return self.choice(self._favoured[name])
        draw = self.random()
        if draw < 0.45:
            return self.choice(NUMBERS)
        if draw < 0.8:
            return self.choice(TEXTS)
        return self.random() < 0.5 if draw < 0.9 else self.choice(ODD)

    def fields(self, names: tuple[str, ...]) -> dict[str, Any]:
        """Return values for some of the names."""
        return {
            name: self.value(name)
            for name in names
            if self.random() < (0.85 if name in self._favoured else 0.5)
        }

    def event(self) -> Event:
        """Return an event that lacks some names."""
        parameters = self.fields(NAMES) | self.position()
        return Event.of(self.subject(), parameters, self.fields(ATTRIBUTES))

    def position(self) -> dict[str, Any]:
        """Return parameters that tell a position, badly or not at all."""
        if self.random() < 0.5:
            return {}
        lat, lon = self.choice(PLACES)
        pairs = self.choice((("lat", "lon"), ("latitude", "longitude"), ("lat", "longitude")))
        given: dict[str, Any] = {pairs[0]: lat, pairs[1]: lon}
        if self.random() < 0.15:
            given[self.choice(pairs)] = self.choice((91.0, 181, "x", True, math.nan))
        return given

    def events(self) -> list[Event]:
        """Return a few events."""
        return [self.event() for _ in range(6)]
