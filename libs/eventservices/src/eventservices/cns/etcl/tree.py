"""The syntax tree of a constraint: immutable, comparable, hashable.

Chains of `and`, `or`, `+`, `*` are one node each, so a tree is only as deep as its parentheses.
"""

from dataclasses import dataclass
from typing import Literal, get_args

Relation = Literal["==", "!=", "<", "<=", ">", ">="]
Sign = Literal["+", "-", "*", "/"]
ImplicitName = Literal["_length", "_d", "_type_id", "_repos_id"]

RELATIONS: tuple[Relation, ...] = get_args(Relation)
EQUALITIES: frozenset[Relation] = frozenset(("==", "!="))


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """A literal; unlike Python's, 1, 1.0 and TRUE are three literals."""

    value: bool | int | float | str

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
class Bare:
    """An identifier without `$`: the label of an enumeration."""

    name: str


@dataclass(frozen=True, slots=True)
class Member:
    """`.name`: a member of a structure, or the active one of a union."""

    name: str


@dataclass(frozen=True, slots=True)
class Position:
    """`.2`: a member by its position, from 0."""

    number: int


@dataclass(frozen=True, slots=True)
class Index:
    """`[2]`: an element of a sequence, from 0."""

    number: int


@dataclass(frozen=True, slots=True)
class Named:
    """`(name)`: the value of that name in a list of names and values."""

    name: str


@dataclass(frozen=True, slots=True)
class Case:
    """`.(label)`: the active member of a union, if the label is one of its own.

    Attributes:
        label: A number, a string, an identifier; None for `.()`, the default member.
    """

    label: int | str | Bare | None


@dataclass(frozen=True, slots=True)
class Implicit:
    """`._length` and the like: always the last step."""

    name: ImplicitName


Step = Member | Position | Index | Named | Case | Implicit


@dataclass(frozen=True, slots=True)
class Component:
    """A part of the event.

    Attributes:
        variable: The run-time variable it begins with; None where it begins with the event, `$`.
        steps: From there to the part.
    """

    variable: str | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Exists:
    """Whether a part of the event is there."""

    component: Component


@dataclass(frozen=True, slots=True)
class Default:
    """Whether a union has its default member."""

    component: Component


@dataclass(frozen=True, slots=True)
class Not:
    """A truth value inverted."""

    item: "Expression"


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Numbers calculated with, from left to right; the signs are all additive or all not."""

    first: "Expression"
    rest: tuple[tuple[Sign, "Expression"], ...]


@dataclass(frozen=True, slots=True)
class Substring:
    """Whether the left string lies within the right one."""

    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class In:
    """Whether a value is an element of a sequence."""

    left: "Expression"
    right: Component


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two values compared."""

    left: "Expression"
    relation: Relation
    right: "Expression"


@dataclass(frozen=True, slots=True)
class And:
    """Two or more conditions, the first false one decides."""

    items: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Two or more conditions, the first true one decides."""

    items: tuple["Expression", ...]


Expression = (
    Constant
    | Bare
    | Component
    | Exists
    | Default
    | Not
    | Arithmetic
    | Substring
    | In
    | Comparison
    | And
    | Or
)
