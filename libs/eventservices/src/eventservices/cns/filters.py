"""Filter objects at admins and proxies, and the operations that put them there.

The language of filters is ETCL, in `etcl`; here any object is accepted that returns whether an
event matches.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from eventservices.cns.errors import AdminLimitExceededError, FilterNotFoundError, InterfaceError
from eventservices.cns.event import Event
from eventservices.cns.event_type import EventType

log = logging.getLogger(__name__)

MAX_FILTERS = 1000
"""Most filters at one admin or proxy."""


class Matches(Protocol):
    """Decides which events pass, e.g. a constraint of ETCL."""

    def matches(self, event: Event, /) -> bool:
        """Return whether an event passes; must be quick, and must not block."""


class Match(Protocol):
    """Decides which events pass, e.g. a filter object of ETCL."""

    def match(self, event: Event, /) -> bool:
        """Return whether an event passes; must be quick, and must not block."""


EventFilter: TypeAlias = Matches | Match
"""What may be added as a filter. It may have `event_types`, a set of those that it names, and
`attach_callback` and `detach_callback` as OMG's filter objects have."""


@dataclass(frozen=True, slots=True)
class _Added:
    filter: EventFilter
    passes: Callable[[Event], bool]
    callback: int | None

    def forget(self) -> None:
        if self.callback is not None:
            _detached(self.filter)(self.callback)


class FilterAdmin(ABC):
    """Has filters; an event passes if it matches one of them.

    Attributes:
        filter_errors: Events on which a filter raised; it then counts as no match.
    """

    filter_errors: int
    _filters: dict[int, _Added]
    _next_filter: int

    def add_filter(self, new_filter: EventFilter) -> int:
        """Add a filter; the same one may be added to several objects.

        Returns:
            Its id here; ids are not used again.

        Raises:
            InterfaceError: It has neither `match` nor `matches`.
            AdminLimitExceededError: There are `MAX_FILTERS`, the filter was added to too many
                objects, or the client would subscribe to too many types; nothing was changed.
        """
        if len(self._filters) >= MAX_FILTERS:
            raise AdminLimitExceededError("MaxFilters", MAX_FILTERS)
        passes = _operation(new_filter)
        attach = getattr(new_filter, "attach_callback", None)
        callback = None if attach is None else attach(_Watcher(self._filters_changed))
        self._next_filter += 1
        self._filters[self._next_filter] = _Added(new_filter, passes, callback)
        try:
            self._filters_changed()
        except AdminLimitExceededError:
            self._filters.pop(self._next_filter).forget()
            raise
        return self._next_filter

    def remove_filter(self, filter_id: int) -> None:
        """Remove a filter.

        Raises:
            FilterNotFoundError: There is none of that id.
        """
        self.get_filter(filter_id)
        self._filters.pop(filter_id).forget()
        self._filters_changed()

    def get_filter(self, filter_id: int) -> EventFilter:
        """Return a filter.

        Raises:
            FilterNotFoundError: There is none of that id.
        """
        if filter_id not in self._filters:
            raise FilterNotFoundError(f"there is no filter {filter_id}")
        return self._filters[filter_id].filter

    def get_all_filters(self) -> tuple[int, ...]:
        """Return the ids of the filters."""
        return tuple(self._filters)

    def remove_all_filters(self) -> None:
        """Remove all filters; harmless where there is none."""
        self._forget_filters()
        self._filters_changed()

    def passes_filters(self, event: Event) -> bool:
        """Return whether an event matches one of the filters; False where there is none."""
        for added in self._filters.values():
            try:
                if added.passes(event):
                    return True
            except Exception:  # a client's filter may raise anything
                self.filter_errors += 1
                log.exception("filter_failed")
        return False

    @property
    def filtered_types(self) -> frozenset[EventType]:
        """Event types that the constraints of its filters name."""
        named = (getattr(added.filter, "event_types", ()) for added in self._filters.values())
        return frozenset[EventType]().union(*named)

    @property
    def has_filters(self) -> bool:
        """Whether there is a filter."""
        return bool(self._filters)

    def _init_filters(self) -> None:
        self.filter_errors = 0
        self._filters = {}
        self._next_filter = 0

    def _forget_filters(self) -> None:
        for added in self._filters.values():
            added.forget()
        self._filters.clear()

    @abstractmethod
    def _filters_changed(self) -> None:
        """Apply the filters as they are now."""


class _Watcher:
    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed

    def subscription_change(self, _added: object, _removed: object) -> None:
        self._changed()


def _operation(new_filter: EventFilter) -> Callable[[Event], bool]:
    for name in ("matches", "match"):
        found: Any = getattr(new_filter, name, None)
        if callable(found):
            passes: Callable[[Event], bool] = found
            return passes
    raise InterfaceError(f"{type(new_filter).__name__} has no operation 'match'")


def _detached(held: EventFilter) -> Callable[[int], None]:
    detach: Callable[[int], None] = held.detach_callback  # type: ignore[union-attr] # it was attached
    return detach
