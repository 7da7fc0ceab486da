"""Filters: conjunctions of constraints on attributes."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from eventservices.errors import MalformedError
from eventservices.siena.values import Value, check_name, check_value, kind

MAX_CONSTRAINTS = 1000


class Op(StrEnum):
    """An operator, written as in SENP; "x op y" reads attribute op operand."""

    EQ = "="
    NE = "!="
    LT = "<"
    GT = ">"
    LE = "<="
    GE = ">="
    PREFIX = ">*"
    SUFFIX = "*<"
    SUBSTRING = "*"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Constraint:
    """One condition on one attribute.

    Attributes:
        name: Of the attribute; without it in a notification no operator is true, NE included.
        op: The operator.
        value: The operand; None for ANY, and only there.

    Raises:
        MalformedError: Name or operand are not SIENA's, or do not go with the operator.
    """

    name: str
    op: Op
    value: Value | None = None
    key: tuple[str, str, str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the parts."""
        check_name(self.name)
        if (self.value is None) is not (self.op is Op.ANY):
            raise MalformedError(
                f"{self.name!r}: {self.op.value} goes with one operand, any with none"
            )
        if self.value is not None:
            check_value(self.name, self.value)
            if self.value != self.value:  # NaN alone
                raise MalformedError(
                    f"{self.name!r}: NaN is not an operand, as nothing compares with it"
                )
        sort = kind(self.value) if self.value is not None else ""
        object.__setattr__(self, "key", (self.name, self.op.value, sort, repr(self.value)))

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same condition; 1 and 1.0 differ, as their texts do."""
        return self.key == other.key if isinstance(other, Constraint) else NotImplemented

    def __hash__(self) -> int:
        """Return a hash that equal constraints share."""
        return hash(self.key)


@dataclass(frozen=True, slots=True)
class Filter:
    """A conjunction of constraints, in no order; several on one name must all be true.

    A filter without constraints matches everything.

    Attributes:
        constraints: Sorted, each once.
    """

    constraints: tuple[Constraint, ...] = ()

    def __post_init__(self) -> None:
        """Sort the constraints."""
        if len(self.constraints) > MAX_CONSTRAINTS:
            raise MalformedError(f"a filter has at most {MAX_CONSTRAINTS} constraints")
        unique = sorted(set(self.constraints), key=lambda constraint: constraint.key)
        object.__setattr__(self, "constraints", tuple(unique))

    def on(self, name: str) -> tuple[Constraint, ...]:
        """Return the constraints on one attribute."""
        return tuple(each for each in self.constraints if each.name == name)

    @property
    def names(self) -> tuple[str, ...]:
        """Names that are constrained, each once, sorted."""
        return tuple(dict.fromkeys(each.name for each in self.constraints))


def where(*constraints: tuple[str, str] | tuple[str, str, Value]) -> Filter:
    """Return a filter, e.g. `where(("rate", ">", 70.0), ("licence", "any"))`.

    Args:
        constraints: (name, operator as in SENP, operand).

    Raises:
        MalformedError: An operator is unknown, or a part is not SIENA's.
    """
    return Filter(tuple(_constraints(constraints)))


def _constraints(
    parts: Iterable[tuple[str, str] | tuple[str, str, Value]],
) -> Iterable[Constraint]:
    for name, op, *operand in parts:
        try:
            known = Op(op)
        except ValueError as error:
            raise MalformedError(f"{name!r}: {op!r} is not an operator") from error
        yield Constraint(name, known, operand[0] if operand else None)
