"""Events published by a channel's client that will come to its own consumers, and have not yet."""

from collections.abc import Iterable

Identity = tuple[str, int, int]
"""Of a stamp."""


class InFlight:
    """Remembers which events are between a supplier and the consumers of the same client.

    `MaxQueueLength` bounds the events of a client: what waits in queues, and what it has accepted
    and not yet put there. Without the latter a burst is accepted against what was true before it.
    """

    def __init__(self) -> None:
        self._identities: dict[Identity, None] = {}

    def __len__(self) -> int:
        """Return how many events are in transit."""
        return len(self._identities)

    def __contains__(self, identity: Identity) -> bool:
        """Return whether an event was accepted here, and has its place."""
        return identity in self._identities

    def begin(self, identity: Identity) -> None:
        """Count an event that is being published."""
        self._identities[identity] = None

    def end(self, identity: Identity) -> None:
        """Count it no more; harmless where it is not counted."""
        self._identities.pop(identity, None)

    def snapshot(self) -> tuple[Identity, ...]:
        """Return the events that are in transit now."""
        return tuple(self._identities)

    def forget(self, identities: Iterable[Identity]) -> None:
        """Count events no more that have come, or are lost."""
        for identity in identities:
            self.end(identity)
