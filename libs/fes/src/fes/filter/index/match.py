"""Which destinations an event goes to.

A filter becomes conjunctions; each is found by the event's subject, then by the values of the
names that must be equal to a constant, then by where another value lies. Only what is left of it
is tested one by one.

Source:
    Carzaniga and Wolf, Forwarding in a Content-Based Network, SIGCOMM 2003: constraints by
    attribute and operator, and no more work for an interface that is met already.
"""

from collections.abc import Hashable
from typing import Generic, TypeVar

from fes.filter.index.equalities import OfSubject
from fes.filter.index.route import routes
from fes.filter.language.tree import Condition
from fes.model.event import Event

D = TypeVar("D", bound=Hashable)


class MatchIndex(Generic[D]):
    """Keeps the filters of many destinations, and tells of an event where it goes.

    Exactly the destinations one of whose filters is true of the event. A destination may have
    several filters, and one filter repeatedly.
    """

    def __init__(self) -> None:
        self._size = 0
        self._any = OfSubject[D]()
        self._subjects: dict[str, OfSubject[D]] = {}

    def __len__(self) -> int:
        """Return how many filters there are."""
        return self._size

    def add(self, destination: D, tree: Condition) -> None:
        """Add a filter of a destination."""
        self._size += 1
        for route in routes(tree):
            if route.subject is None:
                self._any.add(destination, route)
                continue
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
            if route.subject is None:
                self._any.remove(destination, route)
                continue
            found = self._subjects[route.subject]
            found.remove(destination, route)
            if not found:
                del self._subjects[route.subject]
        self._size -= 1

    def destinations(self, event: Event) -> set[D]:
        """Return where an event goes."""
        found: set[D] = set()
        if self._any:
            self._any.collect(event, found)
        of_subject = self._subjects.get(event.subject)
        if of_subject is not None:
            of_subject.collect(event, found)
        return found
