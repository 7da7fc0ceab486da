"""Where a factory keeps what its domains have."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from eventservices.cns.domains.records import DomainID
from eventservices.cns.domains.state import Change


class Journal(Protocol):
    """Keeps changes; what `write` returned from is kept, whatever happens then.

    Attributes:
        refused: Writes that were refused because too many waited.
    """

    refused: int

    async def write(self, domain: DomainID, changes: Sequence[Change]) -> None:
        """Keep changes of a domain, all of them or none, without blocking the event loop.

        Raises:
            OSError: They cannot be kept; none is.
        """

    def read(self) -> Iterable[tuple[DomainID, Change]]:
        """Return the changes that rebuild the domains that there are, each after what it needs."""

    def next_domain(self) -> DomainID:
        """Return the lowest identifier that no domain has had."""


class MemoryJournal:
    """Keeps nothing beyond the process.

    Attributes:
        refused: Writes that were refused: none.
    """

    def __init__(self) -> None:
        self.refused = 0
        self._next = 0

    async def write(self, domain: DomainID, changes: Sequence[Change]) -> None:  # noqa: ARG002 - the interface of journals; this one keeps nothing
        """Record the identifier alone."""
        self._next = max(self._next, domain + 1)

    def read(self) -> Iterable[tuple[DomainID, Change]]:
        """Return nothing."""
        return ()

    def next_domain(self) -> DomainID:
        """Return the lowest identifier that no domain has had."""
        return self._next
