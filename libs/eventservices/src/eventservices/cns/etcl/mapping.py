"""Mapping filters: which value an event gets, such as its priority for one consumer.

Source:
    OMG Notification Service 1.1, `CosNotifyFilter::MappingFilter`.
"""

from collections.abc import Iterable, Mapping

from eventservices.cns.etcl.constraint import Clock
from eventservices.cns.etcl.errors import InvalidValueError
from eventservices.cns.etcl.expressions import Expression, MappingConstraintInfo
from eventservices.cns.etcl.matching import ConstraintHolder
from eventservices.cns.etcl.records import Content
from eventservices.cns.etcl.scan import DEFAULT_LIMITS, EtclLimits
from eventservices.cns.etcl.subjects import (
    Subject,
    any_subject,
    structured_subject,
    typed_subject,
)
from eventservices.cns.etcl.table import Entry
from eventservices.cns.etcl.utc import ticks_now
from eventservices.cns.event import StructuredEvent
from eventservices.cns.value import TypeCode, Value, type_code

Outcome = tuple[bool, Value]
"""Whether a constraint was true, and its value; else the default value."""


class MappingFilter(ConstraintHolder[Value]):
    """Maps an event to the value of the first constraint, by id, that is true for it.

    Args:
        default_value: What `match` returns where none is; its type is that of all results.
        limits: What a constraint may be.
        clock: What `$curtime` is read from: ticks of 100 ns since 1582-10-15 UTC.

    Attributes:
        default_value: As the caller specified it.
        value_type: Its type code.

    Raises:
        MalformedError: No Any carries such a default value.
    """

    def __init__(
        self, default_value: Value, limits: EtclLimits = DEFAULT_LIMITS, clock: Clock = ticks_now
    ) -> None:
        super().__init__(limits, clock)
        self.default_value = default_value
        self.value_type = type_code(default_value)

    def add_mapping_constraints(
        self, pair_list: Iterable[tuple[Expression, Value]]
    ) -> tuple[MappingConstraintInfo, ...]:
        """Add constraints and their results: all of them or, if one is refused, none.

        Returns:
            The same, with their ids.

        Raises:
            InvalidConstraintError: As for `Filter.add_constraints`.
            InvalidValueError: A result is not of the default value's type.
            AdminLimitExceededError: The filter would have too many.
            FilterDestroyedError: There is no filter any more.
        """
        entries = [self._entry(expression, value) for expression, value in pair_list]
        return self.get_mapping_constraints(self._add(entries))

    def modify_mapping_constraints(
        self, del_list: Iterable[int], modify_list: Iterable[tuple[Expression, int, Value]]
    ) -> None:
        """Remove constraints and replace others: all of it or, if one is refused, nothing.

        Raises:
            ConstraintNotFoundError: There is none of one of the ids, or it is in both lists.
            InvalidConstraintError: As for `Filter.add_constraints`.
            InvalidValueError: A result is not of the default value's type.
            FilterDestroyedError: There is no filter any more.
        """
        changed = {key: self._entry(new, value) for new, key, value in modify_list}
        self._modify(del_list, changed)

    def get_mapping_constraints(self, id_list: Iterable[int]) -> tuple[MappingConstraintInfo, ...]:
        """Return the constraints of some ids.

        Raises:
            ConstraintNotFoundError: There is none of one of them.
        """
        return tuple(_info(key, self._table.get(key)) for key in id_list)

    def get_all_mapping_constraints(self) -> tuple[MappingConstraintInfo, ...]:
        """Return all constraints, by id."""
        return tuple(_info(key, entry) for key, entry in self._table)

    def remove_all_mapping_constraints(self) -> None:
        """Remove all constraints; then none is true.

        Raises:
            FilterDestroyedError: There is no filter any more.
        """
        self._clear()

    def match(self, filterable_data: Content) -> Outcome:
        """Return the value that an Any event gets."""
        return self._value(any_subject(filterable_data))

    def match_structured(self, filterable_data: StructuredEvent) -> Outcome:
        """Return the value that a structured event gets.

        Raises:
            UnsupportedFilterableDataError: It is none; nothing in an event makes this raise.
        """
        return self._value(structured_subject(filterable_data))

    def match_typed(self, filterable_data: Mapping[str, Value]) -> Outcome:
        """Return the value that a typed event gets.

        Raises:
            UnsupportedFilterableDataError: It is not a mapping.
        """
        return self._value(typed_subject(filterable_data))

    def matches(self, event: Content) -> Outcome:
        """Return the value that an event of either form gets. It never raises."""
        return self._value(any_subject(event))

    def _value(self, subject: Subject) -> Outcome:
        found = self._first(subject)
        return (False, self.default_value) if found is None else (True, found.value)

    def _entry(self, expression: Expression, value: Value) -> Entry[Value]:
        kind = type_code(value)
        if _family(kind) != _family(self.value_type):
            raise InvalidValueError(f"a result is {kind.name}, not {self.value_type.name}")
        return self._table.entry(expression, value)


def _family(kind: TypeCode) -> TypeCode:
    """Return a type code, the same for integers of any size: Python's have no size."""
    return TypeCode.LONGLONG if kind is TypeCode.LONG else kind


def _info(constraint_id: int, entry: Entry[Value]) -> MappingConstraintInfo:
    return MappingConstraintInfo(entry.expression, constraint_id, entry.value)
