"""What became of an event so far, kept while something that was made of it waits."""

from dataclasses import dataclass, field

import msgspec

from fes.scopes.routing.publication import Station


class ProgressRow(msgspec.Struct, frozen=True, array_like=True):
    """A row of the journal.

    Attributes:
        served: Components that received the event.
        visited: Stations that it passed.
        shared: Whether a component that requests a copy for each path has its first one.
    """

    served: tuple[str, ...]
    visited: tuple[tuple[str, str, str], ...]
    shared: tuple[str, ...] = ()


@dataclass(slots=True)
class Progress:
    """Who received an event, and which stations it passed: neither happens twice.

    Attributes:
        served: Components that received it.
        visited: Stations that it passed.
        shared: Components that request a copy for each path, and have the first one.
    """

    served: set[str] = field(default_factory=set)
    visited: set[Station] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)

    def row(self) -> ProgressRow:
        """Return the row of the journal."""
        visited = tuple(sorted((each.kind, each.member, each.scope) for each in self.visited))
        return ProgressRow(tuple(sorted(self.served)), visited, tuple(sorted(self.shared)))

    @staticmethod
    def of(row: ProgressRow) -> "Progress":
        """Return what a row of the journal keeps."""
        visited = {Station(*station) for station in row.visited}
        return Progress(set(row.served), visited, set(row.shared))
