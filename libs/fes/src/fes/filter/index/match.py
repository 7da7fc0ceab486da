"""Finds the destinations of an event.

A filter becomes conjunctions; each is found by the event's subject, then by the names that must be
equal to a constant, then by the range of another value. Only the remaining tests are evaluated one
by one.

Source:
    Carzaniga and Wolf, Forwarding in a Content-Based Network, SIGCOMM 2003: constraints by
    attribute and operator, and no more work for an interface that matches already.
"""

from collections.abc import Hashable
from typing import Generic, TypeVar

from fes.filter.index.equalities import OfSubject
from fes.filter.index.route import routes
from fes.filter.language.tree import Condition
from fes.model.event import Event

D = TypeVar("D", bound=Hashable)


class MatchIndex(Generic[D]):
    """Keeps the filters of many destinations, and returns the destinations of an event.

    These are exactly the destinations with a filter that is true for the event. A destination may
    have several filters, and one filter repeatedly.
    """

    def __init__(self) -> None:
        self._size = 0
        self._subjects: dict[str | None, OfSubject[D]] = {}  # None: filters of any subject

    def __len__(self) -> int:
        """Return how many filters there are."""
        return self._size

    def add(self, destination: D, tree: Condition) -> None:
        """Add a filter of a destination."""
        self._size += 1
        for route in routes(tree):
            found = self._subjects.get(route.subject)
            if found is None:
                found = self._subjects[route.subject] = OfSubject()
            found.add(destination, route)

    def remove(self, destination: D, tree: Condition) -> None:
        """Remove a filter of a destination.

        Raises:
            KeyError: It was not added, or removed already.
        """
        for route in routes(tree):
            found = self._subjects[route.subject]
            found.remove(destination, route)
            if not found:
                del self._subjects[route.subject]
        self._size -= 1

    def destinations(self, event: Event) -> set[D]:
        """Return the destinations of an event."""
        found: set[D] = set()
        for subject in (None, event.subject):
            of_subject = self._subjects.get(subject)
            if of_subject is not None:
                of_subject.collect(event, found)
        return found
