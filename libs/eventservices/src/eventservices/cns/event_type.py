"""Event types, and the patterns by which they are offered and subscribed to.

Source:
    OMG Notification Service 1.1, section 2 (event types, `%ALL`). Where implementations differ,
    the more generous one is followed: `*` anywhere in a name matches any run of characters,
    and `(domain, "%ALL")` means all types of that domain.
"""

from collections.abc import Iterable
from typing import NamedTuple

from eventservices.cns.errors import InvalidEventTypeError

MAX_NAME_BYTES = 255
"""Longest domain or type name in an offer or subscription, UTF-8."""

_CACHE_SIZE = 1024


class EventType(NamedTuple):
    """The type of a structured event; in an event literal, elsewhere a pattern.

    Attributes:
        domain_name: e.g. `Telecom`; empty means any in a pattern.
        type_name: e.g. `Alarm`; empty and `%ALL` mean any in a pattern.
    """

    domain_name: str
    type_name: str


ALL_TYPES = EventType("", "%ALL")
"""How all types are spelt in changes of offers and subscriptions."""

ANY_TYPE = EventType("", "%ANY")
"""The type of an Any event, as structured consumers and subscriptions see it."""

_EVERY = EventType("*", "*")


def canonical(pattern: EventType | tuple[str, str]) -> EventType:
    """Return the one spelling of a pattern: `*` for any, and `ALL_TYPES` for all types.

    Raises:
        InvalidEventTypeError: It is not a pair of texts, or a name is too long.
    """
    try:
        domain, kind = pattern
        sizes = len(domain.encode()), len(kind.encode())
    except (TypeError, ValueError, AttributeError) as error:
        raise InvalidEventTypeError(f"an event type is a pair of text, not {pattern!r}") from error
    if max(sizes) > MAX_NAME_BYTES:
        raise InvalidEventTypeError(f"an event type's name exceeds {MAX_NAME_BYTES} bytes")
    found = EventType(domain or "*", "*" if kind in {"", "%ALL"} else kind)
    return ALL_TYPES if found == _EVERY else found


def change_set(
    current: frozenset[EventType],
    added: Iterable[EventType | tuple[str, str]],
    removed: Iterable[EventType | tuple[str, str]],
) -> frozenset[EventType]:
    """Return a set of patterns after a change.

    Patterns are compared literally; one that is both added and removed is in the result, and
    removing what is absent changes nothing.

    Raises:
        InvalidEventTypeError: A pattern is not valid.
    """
    gone = {canonical(pattern) for pattern in removed}
    return (current - gone) | {canonical(pattern) for pattern in added}


def matches(pattern: EventType, event_type: EventType) -> bool:
    """Return whether an event's type matches a canonical pattern."""
    if pattern == ALL_TYPES:
        return True
    return _glob(pattern.domain_name, event_type.domain_name) and _glob(
        pattern.type_name, event_type.type_name
    )


class TypeFilter:
    """Computes which event types a consumer receives, from its own and its admin's subscriptions.

    A side without subscriptions is absent: it neither lets pass nor blocks. With neither,
    everything passes.

    Args:
        admin: The admin's patterns, canonical.
        proxy: The proxy's patterns, canonical.
        both: Whether both sides must agree (`AND_OP`), or either is enough (`OR_OP`).
    """

    def __init__(
        self, admin: frozenset[EventType], proxy: frozenset[EventType], *, both: bool
    ) -> None:
        present = [side for side in (admin, proxy) if side]
        self._sides = present if both else [admin | proxy] if present else []
        self._known: dict[EventType, bool] = {}

    def accepts(self, event_type: EventType) -> bool:
        """Return whether events of this type are consumed."""
        if not self._sides:
            return True
        found = self._known.get(event_type)
        if found is None:
            found = all(any(matches(p, event_type) for p in side) for side in self._sides)
            if max(map(len, event_type)) <= MAX_NAME_BYTES:  # longer ones would fill the memory
                if len(self._known) >= _CACHE_SIZE:
                    self._known.clear()
                self._known[event_type] = found
        return found


def _glob(pattern: str, text: str) -> bool:
    if "*" not in pattern:
        return pattern == text
    first, *middle, last = pattern.split("*")
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    start, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, start, end)
        if found < 0:
            return False
        start = found + len(part)
    return True
