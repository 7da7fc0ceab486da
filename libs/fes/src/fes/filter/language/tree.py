"""The syntax tree of a filter: immutable, comparable, hashable.

Operands have a value (or none), conditions are true, false or unknown. `BETWEEN`, `IS NULL`
and `IS FALSE` have no node of their own: the parser writes them with comparisons, `Exists` and
`IsTrue`.
"""

from dataclasses import dataclass
from typing import Literal, get_args

Value = str | int | float | bool
"""What a constant may be: a string, a 64-bit integer, a finite double or a boolean."""

Relation = Literal["=", "<>", "<", "<=", ">", ">="]
Affix = Literal["STARTS WITH", "ENDS WITH", "CONTAINS"]
Sign = Literal["+", "-", "*", "/"]

RELATIONS: tuple[Relation, ...] = get_args(Relation)
AFFIXES: tuple[Affix, ...] = get_args(Affix)


@dataclass(frozen=True, slots=True)
class Subject:
    """The event's subject."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter, by identifier."""

    name: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute, by identifier without `@`."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """A constant; unlike Python's, 1, 1.0 and TRUE are three constants."""

    value: Value

    def __eq__(self, other: object) -> bool:
        """Return whether both are written alike."""
        return isinstance(other, Constant) and self._key == other._key

    def __hash__(self) -> int:
        """Agree with equality."""
        return hash(self._key)

    @property
    def _key(self) -> tuple[type, str]:
        return (self.value.__class__, repr(self.value))


@dataclass(frozen=True, slots=True)
class Negative:
    """An operand with its sign changed."""

    operand: "Operand"


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A calculation with two numbers."""

    left: "Operand"
    sign: Sign
    right: "Operand"


Reference = Subject | Parameter | Attribute
Operand = Reference | Constant | Negative | Arithmetic


@dataclass(frozen=True, slots=True)
class Truth:
    """A condition that is always true or always false."""

    value: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two operands compared."""

    left: Operand
    relation: Relation
    right: Operand


@dataclass(frozen=True, slots=True)
class Among:
    """An operand equal to one of several constants (`IN`)."""

    operand: Operand
    values: tuple[Constant, ...]


@dataclass(frozen=True, slots=True)
class Affixed:
    """A string that starts with, ends with or contains another."""

    operand: Operand
    affix: Affix
    text: str


@dataclass(frozen=True, slots=True)
class Like:
    """A string that matches a pattern of `%` (any run) and `_` (exactly one character).

    Attributes:
        operand: What is tested.
        pattern: As written.
        escape: The character that makes the next one literal; "" where there is none.
    """

    operand: Operand
    pattern: str
    escape: str


@dataclass(frozen=True, slots=True)
class Exists:
    """A parameter or attribute that the event has."""

    reference: Reference


@dataclass(frozen=True, slots=True)
class Within:
    """A position within a distance from a centre; `fes.filter.place` specifies which position.

    Attributes:
        lat: Latitude of the centre; WGS 84, degrees.
        lon: Longitude of the centre; WGS 84, degrees.
        metres: The distance, from 0; the border belongs to it.
    """

    lat: float
    lon: float
    metres: float


@dataclass(frozen=True, slots=True)
class IsTrue:
    """A condition that is true; false where it is false or unknown (SQL-92's `IS TRUE`)."""

    item: "Condition"


@dataclass(frozen=True, slots=True)
class Not:
    """A condition inverted; unknown stays unknown."""

    item: "Condition"


@dataclass(frozen=True, slots=True)
class And:
    """Two or more conditions, all of which must be true."""

    items: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Two or more conditions, one of which must be true."""

    items: tuple["Condition", ...]


Leaf = Truth | Comparison | Among | Affixed | Like | Exists | Within
Condition = Leaf | IsTrue | Not | And | Or


def all_of(items: tuple[Condition, ...]) -> Condition:
    """Return the conjunction of conditions, flat; TRUE where there are none."""
    flat = tuple(
        part for item in items for part in (item.items if isinstance(item, And) else (item,))
    )
    return flat[0] if len(flat) == 1 else And(flat) if flat else Truth(value=True)


def any_of(items: tuple[Condition, ...]) -> Condition:
    """Return the disjunction of conditions, flat; FALSE where there are none."""
    flat = tuple(
        part for item in items for part in (item.items if isinstance(item, Or) else (item,))
    )
    return flat[0] if len(flat) == 1 else Or(flat) if flat else Truth(value=False)


def conjuncts(tree: Condition) -> tuple[Condition, ...]:
    """Return the conditions that a condition joins by AND; itself where it joins none."""
    return tree.items if isinstance(tree, And) else (tree,)
