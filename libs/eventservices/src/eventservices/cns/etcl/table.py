"""The constraints of one filter: their ids, and changes that happen wholly or not at all."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from eventservices.cns.errors import AdminLimitExceededError, InvalidEventTypeError
from eventservices.cns.etcl.constraint import Clock, Constraint, parse
from eventservices.cns.etcl.errors import ConstraintNotFoundError, InvalidConstraintError
from eventservices.cns.etcl.expressions import ConstraintExp, Expression
from eventservices.cns.etcl.scan import EtclLimits
from eventservices.cns.etcl.subjects import Subject
from eventservices.cns.event_type import ALL_TYPES, EventType, canonical, matches

MAX_CONSTRAINTS = 1000
"""Most constraints of a filter; a change that would exceed it is refused."""

MAX_EVENT_TYPES = 256
"""Most event types of a constraint; one with more is refused."""

TypedText = tuple[frozenset[EventType], str]
"""Event types, and what an event of one of them must satisfy, in ETCL."""

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Entry(Generic[Value]):
    """A constraint, ready to be matched.

    Attributes:
        expression: As the caller specified it.
        types: Its event types, canonical.
        constraint: Its text, compiled.
        value: What belongs to it.
    """

    expression: ConstraintExp
    types: frozenset[EventType]
    constraint: Constraint
    value: Value

    def covers(self, subject: Subject) -> bool:
        """Return whether the type of an event is one of the constraint's."""
        return any(matches(pattern, subject.event_type) for pattern in self.types)


class ConstraintTable(Generic[Value]):
    """Keeps constraints by id, in the order of their ids.

    Args:
        limits: What a constraint may be.
        clock: What `$curtime` is read from.
    """

    def __init__(self, limits: EtclLimits, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        self._entries: dict[int, Entry[Value]] = {}
        self._next_id = 0

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._entries)

    def __iter__(self) -> Iterator[tuple[int, Entry[Value]]]:
        """Iterate over ids and constraints, in the order of the ids."""
        return iter(tuple(self._entries.items()))

    @property
    def types(self) -> frozenset[EventType]:
        """The event types of all constraints together, canonical."""
        return frozenset[EventType]().union(*(entry.types for entry in self._entries.values()))

    def entry(self, expression: Expression, value: Value) -> Entry[Value]:
        """Return a constraint, compiled.

        Raises:
            InvalidConstraintError: It is not in the language, can never be true because of its
                types, or is for an event type that is not valid.
        """
        given, text = expression
        pairs = tuple(islice(given, MAX_EVENT_TYPES + 1))
        if len(pairs) > MAX_EVENT_TYPES:
            raise InvalidConstraintError(f"constraint has more than {MAX_EVENT_TYPES} event types")
        try:
            wanted = frozenset(map(canonical, pairs)) or frozenset((ALL_TYPES,))
        except InvalidEventTypeError as error:
            raise InvalidConstraintError(str(error), text) from error
        constraint = parse(text, self._limits, self._clock)
        constraint.check()
        types = tuple(EventType(*pair) for pair in pairs)
        return Entry(ConstraintExp(types, text), wanted, constraint, value)

    def add(self, entries: list[Entry[Value]]) -> list[int]:
        """Add constraints, and return their ids.

        Raises:
            AdminLimitExceededError: There would be too many; none was added.
        """
        if len(self._entries) + len(entries) > MAX_CONSTRAINTS:
            raise AdminLimitExceededError("MaxConstraints", MAX_CONSTRAINTS)
        ids = list(range(self._next_id, self._next_id + len(entries)))
        self._next_id += len(entries)
        self._entries.update(zip(ids, entries, strict=True))
        return ids

    def change(self, removed: Iterable[int], changed: dict[int, Entry[Value]]) -> None:
        """Remove constraints and replace others.

        Raises:
            ConstraintNotFoundError: There is none of one of the ids; nothing was changed.
        """
        gone = set(removed)
        for constraint_id in (*gone, *changed):
            self.get(constraint_id)
        for constraint_id in changed:
            if constraint_id in gone:
                raise ConstraintNotFoundError(constraint_id)
        for constraint_id in gone:
            del self._entries[constraint_id]
        self._entries.update(changed)

    def get(self, constraint_id: int) -> Entry[Value]:
        """Return one constraint.

        Raises:
            ConstraintNotFoundError: There is none of that id.
        """
        try:
            return self._entries[constraint_id]
        except KeyError as error:
            raise ConstraintNotFoundError(constraint_id) from error

    def clear(self) -> None:
        """Remove all constraints."""
        self._entries.clear()


def within_limits(expressions: Iterable[TypedText]) -> Iterator[TypedText]:
    """Yield the same in as many constraints as its event types need, at most `MAX_EVENT_TYPES`."""
    for types, text in expressions:
        named = sorted(types)
        for at in range(0, len(named), MAX_EVENT_TYPES):
            yield frozenset(named[at : at + MAX_EVENT_TYPES]), text
