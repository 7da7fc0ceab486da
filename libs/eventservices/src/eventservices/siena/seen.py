"""What an observer is notified of the clients of a service."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from eventservices.siena.filters import Filter
from eventservices.siena.pattern import Pattern
from eventservices.siena.presence import Entry, Kind
from eventservices.siena.text import parse_filter, parse_pattern


@dataclass(frozen=True, slots=True)
class Seen:
    """A native client declared something, or withdrew it.

    A pattern is seen as SIENA's servers forward it: a subscription for each of its filters.

    Attributes:
        kind: Subscription or advertisement.
        withdrawn: Whether it ended.
        party: Name of the client.
        role: What the client states that it is; free text, e.g. what federations' adapters have.
        filter: The filter.
        version: Of the connection, when it was declared; it grows with each change there.
        connection: Identifier of the connection that carries the client.
        pattern: The pattern that the filter is part of; None where of none.
    """

    kind: Kind
    withdrawn: bool
    party: str
    role: str
    filter: Filter
    version: int
    connection: str
    pattern: Pattern | None = None


Observer = Callable[[Seen], None]
"""Accepts what is seen; called from the event loop, and must be quick."""


def seen_of(entry: Entry, connection: str) -> Seen:
    """Return what an observer is notified of an entry that was added.

    Raises:
        MalformedError: Its filter, or pattern, is none.
    """
    what = parse_filter(entry.filter)
    pattern = parse_pattern(entry.pattern) if entry.pattern else None
    return Seen(
        entry.kind, False, entry.party, entry.role, what, entry.version, connection, pattern
    )


def withdrawal(seen: Seen) -> Seen:
    """Return what an observer receives when an entry ended."""
    return replace(seen, withdrawn=True)
