"""Filter objects: which events pass.

Source:
    OMG Notification Service 1.1, `CosNotifyFilter::Filter`.
"""

from collections.abc import Iterable, Mapping

from eventservices.cns.etcl.expressions import ConstraintInfo, Expression
from eventservices.cns.etcl.matching import ConstraintHolder
from eventservices.cns.etcl.records import Content
from eventservices.cns.etcl.subjects import (
    Subject,
    any_subject,
    structured_subject,
    typed_subject,
)
from eventservices.cns.event import StructuredEvent
from eventservices.cns.value import Value


class Filter(ConstraintHolder[None]):
    """Lets an event pass if one of its constraints is true, or if it has none.

    A constraint is true for an event whose type is one of its types, and for which its expression
    is TRUE. One that has no value for an event, such as a comparison with a property that is not
    there, is false and counted; the next one is tried.
    """

    def add_constraints(self, constraint_list: Iterable[Expression]) -> tuple[ConstraintInfo, ...]:
        """Add constraints: all of them or, if one is refused, none.

        Returns:
            The same, with their ids.

        Raises:
            InvalidConstraintError: One is not in the language, can never be true because of its
                types, exceeds a limit, or is for an event type that is not valid.
            AdminLimitExceededError: The filter would have too many.
            FilterDestroyedError: There is no filter any more.
        """
        entries = [self._table.entry(expression, None) for expression in constraint_list]
        return self.get_constraints(self._add(entries))

    def modify_constraints(
        self, del_list: Iterable[int], modify_list: Iterable[tuple[Expression, int]]
    ) -> None:
        """Remove constraints and replace others: all of it or, if one is refused, nothing.

        Args:
            del_list: Ids of those to remove.
            modify_list: New constraints for ids that stay.

        Raises:
            ConstraintNotFoundError: There is none of one of the ids, or it is in both lists.
            InvalidConstraintError: As for `add_constraints`.
            FilterDestroyedError: There is no filter any more.
        """
        changed = {key: self._table.entry(new, None) for new, key in modify_list}
        self._modify(del_list, changed)

    def get_constraints(self, id_list: Iterable[int]) -> tuple[ConstraintInfo, ...]:
        """Return the constraints of some ids.

        Raises:
            ConstraintNotFoundError: There is none of one of them.
        """
        return tuple(ConstraintInfo(self._table.get(key).expression, key) for key in id_list)

    def get_all_constraints(self) -> tuple[ConstraintInfo, ...]:
        """Return all constraints, by id."""
        return tuple(ConstraintInfo(entry.expression, key) for key, entry in self._table)

    def remove_all_constraints(self) -> None:
        """Remove all constraints; then everything passes.

        Raises:
            FilterDestroyedError: There is no filter any more.
        """
        self._clear()

    def match(self, filterable_data: Content) -> bool:
        """Return whether an Any event passes.

        Args:
            filterable_data: The Any, or its value; an Any that contains a structured event is that
                event.
        """
        return self._passes(any_subject(filterable_data))

    def match_structured(self, filterable_data: StructuredEvent) -> bool:
        """Return whether a structured event passes.

        Raises:
            UnsupportedFilterableDataError: It is none; nothing in an event makes this raise.
        """
        return self._passes(structured_subject(filterable_data))

    def match_typed(self, filterable_data: Mapping[str, Value]) -> bool:
        """Return whether a typed event passes.

        Args:
            filterable_data: `operation` and the parameters, by name.

        Raises:
            UnsupportedFilterableDataError: It is not a mapping.
        """
        return self._passes(typed_subject(filterable_data))

    def matches(self, event: Content) -> bool:
        """Return whether an event of either form passes. It never raises."""
        return self._passes(any_subject(event))

    def attach_callback(self, callback: object) -> int:
        """Notify an object from now on when the event types of the filter change.

        Args:
            callback: Its `subscription_change(added, removed)` is called at once, with lists.

        Returns:
            An id to detach it by.

        Raises:
            InterfaceError: It has no such plain function.
            AdminLimitExceededError: There are too many callbacks.
            FilterDestroyedError: There is no filter any more.
        """
        self._check_alive()
        return self._callbacks.attach(callback)

    def detach_callback(self, callback_id: int) -> None:
        """Stop notifying an object; nothing happens once the filter is destroyed.

        Raises:
            CallbackNotFoundError: There is none of that id.
        """
        if not self.destroyed:
            self._callbacks.detach(callback_id)

    def get_callbacks(self) -> tuple[int, ...]:
        """Return the ids of all callbacks."""
        return self._callbacks.ids

    @property
    def callbacks_failed(self) -> int:
        """How often a callback raised; it was logged, and the others were called."""
        return self._callbacks.failed

    def _passes(self, subject: Subject) -> bool:
        if not len(self._table):
            return not self.destroyed
        return self._first(subject) is not None
