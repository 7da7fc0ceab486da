"""Advertisements: what a party is going to publish, and what that covers.

In an advertisement constraints on one name are alternatives; an attribute that it names may be
absent, and one that it does not name may not be there.

Source:
    Digest `reference/siena.md`, sections 2 and 3.
"""

from collections.abc import Mapping
from enum import StrEnum

from eventservices.siena.compatible import compatible
from eventservices.siena.covering import covers_advertisement
from eventservices.siena.filters import Filter
from eventservices.siena.matching import Match, Test, compile_constraint
from eventservices.siena.values import Value


class Semantics(StrEnum):
    """What decides on delivery; the same for all clients of a service."""

    SUBSCRIPTION = "subscription"
    """Subscriptions alone; advertisements show observers what to expect."""
    ADVERTISEMENT = "advertisement"
    """Delivered is only what an advertisement of its publisher covers, too."""


def compile_advertisement(what: Filter) -> Match:
    """Return a function that states whether an advertisement covers a notification's attributes."""
    tests: dict[str, list[Test]] = {}
    for each in what.constraints:
        tests.setdefault(each.name, []).append(compile_constraint(each))

    def covered(attributes: Mapping[str, Value]) -> bool:
        for name, value in attributes.items():
            if value is not None and not any(test(value) for test in tests.get(name, ())):
                return False
        return True

    return covered


def covers_notification(advertisement: Filter, attributes: Mapping[str, Value]) -> bool:
    """Return whether an advertisement covers a notification.

    Each attribute must satisfy at least one of the alternatives on its name. An advertisement
    without constraints covers the notification without attributes, and no other.
    """
    return compile_advertisement(advertisement)(attributes)


def relates(subscription: Filter, advertisement: Filter) -> bool:
    """Return whether a notification may exist that matches the one and is covered by the other.

    Complete, not sound: with `False` there is none; with `True` there may be none.
    """
    return all(
        any(
            all(compatible(alternative, wanted) for wanted in subscription.on(name))
            for alternative in advertisement.on(name)
        )
        for name in subscription.names
    )


class Advertised:
    """The advertisements of one party."""

    def __init__(self) -> None:
        self._matches: dict[Filter, Match] = {}

    def __contains__(self, what: Filter) -> bool:
        """Return whether a filter is advertised."""
        return what in self._matches

    @property
    def filters(self) -> tuple[Filter, ...]:
        """The advertisements, oldest first."""
        return tuple(self._matches)

    def add(self, what: Filter) -> bool:
        """Add an advertisement; return whether it is a new one."""
        if what in self._matches:
            return False
        self._matches[what] = compile_advertisement(what)
        return True

    def remove(self, what: Filter) -> bool:
        """Remove an advertisement; return whether it was there."""
        return self._matches.pop(what, None) is not None

    def covered_by(self, what: Filter) -> list[Filter]:
        """Return those that `what` covers; all where it has no constraint."""
        return [
            each for each in self._matches if not what.names or covers_advertisement(what, each)
        ]

    def cover(self, attributes: Mapping[str, Value]) -> bool:
        """Return whether one of them covers a notification."""
        return any(match(attributes) for match in self._matches.values())
