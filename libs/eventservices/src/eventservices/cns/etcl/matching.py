"""What a filter and a mapping filter have in common."""

import logging
from collections.abc import Iterable
from typing import Generic

from eventservices.cns.etcl.callbacks import Callbacks
from eventservices.cns.etcl.constraint import Clock
from eventservices.cns.etcl.errors import EvaluationError, FilterDestroyedError
from eventservices.cns.etcl.expressions import GRAMMAR
from eventservices.cns.etcl.scan import DEFAULT_LIMITS, EtclLimits
from eventservices.cns.etcl.subjects import Subject
from eventservices.cns.etcl.table import ConstraintTable, Entry, Value
from eventservices.cns.etcl.utc import ticks_now
from eventservices.cns.event_type import EventType

log = logging.getLogger(__name__)


class ConstraintHolder(Generic[Value]):
    """Contains constraints, and finds the first that is true for an event.

    Args:
        limits: What a constraint may be.
        clock: What `$curtime` is read from: ticks of 100 ns since 1582-10-15 UTC.

    Attributes:
        constraint_grammar: Name of the language.
        destroyed: Whether it was destroyed; then it matches nothing.
        failed: How often a constraint had no value for an event, and so counted as false.
    """

    constraint_grammar = GRAMMAR

    def __init__(self, limits: EtclLimits = DEFAULT_LIMITS, clock: Clock = ticks_now) -> None:
        self.destroyed = False
        self.failed = 0
        self._table = ConstraintTable[Value](limits, clock)
        self._callbacks = Callbacks()

    @property
    def event_types(self) -> frozenset[EventType]:
        """The event types of all constraints together, canonical; `ALL_TYPES` for all."""
        return self._table.types

    def destroy(self) -> None:
        """Remove all constraints, notify the callbacks and forget them; idempotent."""
        old = self._table.types
        self.destroyed = True
        self._table.clear()
        self._callbacks.tell(old, self._table.types)
        self._callbacks.detach_all()

    def _add(self, entries: list[Entry[Value]]) -> list[int]:
        self._check_alive()
        old = self._table.types
        ids = self._table.add(entries)
        self._callbacks.tell(old, self._table.types)
        return ids

    def _modify(self, removed: Iterable[int], changed: dict[int, Entry[Value]]) -> None:
        self._check_alive()
        old = self._table.types
        self._table.change(removed, changed)
        self._callbacks.tell(old, self._table.types)

    def _clear(self) -> None:
        self._check_alive()
        old = self._table.types
        self._table.clear()
        self._callbacks.tell(old, self._table.types)

    def _first(self, subject: Subject) -> Entry[Value] | None:
        for constraint_id, entry in self._table:
            if entry.covers(subject) and self._holds(constraint_id, entry, subject):
                return entry
        return None

    def _holds(self, constraint_id: int, entry: Entry[Value], subject: Subject) -> bool:
        try:
            return entry.constraint.evaluate(subject.content) is True
        except EvaluationError as error:
            self.failed += 1
            log.debug("constraint_failed", extra={"constraint": constraint_id, "why": str(error)})
            return False

    def _check_alive(self) -> None:
        if self.destroyed:
            raise FilterDestroyedError("the filter was destroyed")
