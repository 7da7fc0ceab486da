"""A connection's own entries: what its parties subscribed and advertised, with versions."""

from eventservices.siena.filters import Filter
from eventservices.siena.presence import Entry, Key, Kind
from eventservices.siena.text import format_filter


class Roster:
    """Counts how often each party declared the same, and states what others must receive.

    Attributes:
        version: Grows by one with each change that others must receive.
    """

    def __init__(self) -> None:
        self.version = 0
        self._entries: dict[Key, Entry] = {}
        self._uses: dict[Key, int] = {}

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first."""
        return tuple(self._entries.values())

    def __len__(self) -> int:
        """Return how many entries there are."""
        return len(self._entries)

    def add(
        self, kind: Kind, party: str, role: str, what: Filter, pattern: str = ""
    ) -> Entry | None:
        """Add a declaration.

        Args:
            kind: Subscription or advertisement.
            party: Name of the client.
            role: What the client states that it is.
            what: The filter.
            pattern: Text of the pattern that it is part of; empty where of none.

        Returns:
            The entry, where it is a new one; None where the party declared the same before.
        """
        text = format_filter(what)
        key = (kind, party, text, pattern)
        self._uses[key] = self._uses.get(key, 0) + 1
        if key in self._entries:
            return None
        self.version += 1
        entry = Entry(kind, party, role, text, self.version, pattern)
        self._entries[key] = entry
        return entry

    def remove(self, kind: Kind, party: str, what: Filter, pattern: str = "") -> Entry | None:
        """Remove one declaration.

        Returns:
            The entry, where nothing declares it any more; else None.
        """
        key = (kind, party, format_filter(what), pattern)
        left = self._uses.get(key, 0) - 1
        if left > 0:
            self._uses[key] = left
        if left != 0:
            return None
        del self._uses[key]
        self.version += 1
        return self._entries.pop(key)
