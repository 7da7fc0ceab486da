"""Vocabularies: which simple terms of a filter an event service can apply."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Kind = Literal["subject", "parameter", "attribute"]


@dataclass(frozen=True, slots=True)
class Term:
    """A simple test, in the form that event services apply.

    Attributes:
        kind: What is tested.
        name: Identifier of the parameter or attribute; "" for the subject.
        op: `=`, `<>`, `<`, `<=`, `>`, `>=`, `IN`, `EXISTS`, `STARTS WITH`, `ENDS WITH`,
            `CONTAINS`, `LIKE`, or one of the last five with `NOT ` before it.
        value: A constant; a tuple of constants for `IN`; pattern and escape character ("" for
            none) for `LIKE`; None for `EXISTS`.
    """

    kind: Kind
    name: str
    op: str
    value: Any = None

    def __eq__(self, other: object) -> bool:
        """Return whether both are written alike: 1, 1.0 and TRUE are three constants."""
        return isinstance(other, Term) and self._key == other._key

    def __hash__(self) -> int:
        """Agree with equality."""
        return hash(self._key)

    @property
    def _key(self) -> tuple[str, ...]:
        values = self.value if isinstance(self.value, tuple) else (self.value,)
        written = (text for each in values for text in (each.__class__.__name__, repr(each)))
        return (self.kind, self.name, self.op, *written)


class Vocabulary(Protocol):
    """Which terms a service can apply.

    For each term that it supports, a service accepts every event for which the term is true in the
    filter language. It may accept more.
    """

    @property
    def max_disjuncts(self) -> int:
        """Most conjunctions that the service accepts for one filter; at least 1."""
        ...

    def supports(self, term: Term) -> bool:
        """Return whether the service applies a term, in its own names."""
        ...

    def rename(self, term: Term) -> Term | None:
        """Return the term for native events that follows from a term for FES events.

        This inverts the mapping: names, scale, offset. None where it cannot be inverted.
        """
        ...


def _same(term: Term) -> Term:
    return term


@dataclass(frozen=True, slots=True)
class Operators:
    """A vocabulary defined by the operators that a service has for each kind.

    Attributes:
        subject, parameter, attribute: Operators of `Term` for each kind.
        max_disjuncts: Most conjunctions for one filter.
        renaming: Inverts the mapping; names and values stay by default.
    """

    subject: Collection[str] = ()
    parameter: Collection[str] = ()
    attribute: Collection[str] = ()
    max_disjuncts: int = 16
    renaming: Callable[[Term], Term | None] = _same

    def supports(self, term: Term) -> bool:
        """Return whether the service has the operator for the kind."""
        by_kind = {
            "subject": self.subject,
            "parameter": self.parameter,
            "attribute": self.attribute,
        }
        return term.op in by_kind[term.kind]

    def rename(self, term: Term) -> Term | None:
        """Return the native term, or None."""
        return self.renaming(term)
