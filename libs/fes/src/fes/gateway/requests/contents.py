"""The content of a request table in sums: its digests by bucket, and its weight."""

from collections import Counter

from fes.gateway.requests.buckets import Buckets
from fes.gateway.requests.row import Row, weight_of_request


class Contents(Buckets[Row]):
    """Sums digests and weights of rows.

    Attributes:
        bytes: Weight of all rows.
    """

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0
        self._bytes_of: Counter[str] = Counter()

    def add(self, thing: Row) -> None:
        """Add a row."""
        super().add(thing)
        self._weigh(thing, weight_of_request(thing))

    def remove(self, thing: Row) -> None:
        """Remove a row."""
        super().remove(thing)
        self._weigh(thing, -weight_of_request(thing))

    def bytes_of(self, source: str) -> int:
        """Return the weight of the rows that come from an event service."""
        return self._bytes_of[source]

    def _weigh(self, row: Row, change: int) -> None:
        self.bytes += change
        self._bytes_of[row.source] += change
        if not self._bytes_of[row.source]:
            del self._bytes_of[row.source]
