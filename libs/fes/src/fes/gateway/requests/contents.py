"""What a request table amounts to: its digest, bucket by bucket, and its weight."""

from collections import Counter

from fes.gateway.requests.buckets import Buckets
from fes.gateway.requests.row import Row, weight_of_request


class Contents(Buckets[Row]):
    """Counts rows in and out.

    Attributes:
        bytes: Weight of all rows.
    """

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0
        self._bytes_of: Counter[str] = Counter()

    def add(self, thing: Row) -> None:
        """Count a row in."""
        super().add(thing)
        self._weigh(thing, weight_of_request(thing))

    def remove(self, thing: Row) -> None:
        """Count a row out."""
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
