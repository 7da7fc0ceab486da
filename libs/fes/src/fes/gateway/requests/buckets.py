"""Buckets: rows of a table by their digest, so that two tables are compared part by part."""

from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar

from fes.gateway.digest import BUCKETS, Digest, bucket_of, summed

ROWS_EACH = 4
"""Rows in a bucket above which there are more buckets."""


class Digested(Protocol):
    """What falls into a bucket."""

    @property
    def digest(self) -> int:
        """The digest of the item."""


T = TypeVar("T", bound=Digested)


class Buckets(Generic[T]):
    """Keeps items by their digest."""

    def __init__(self) -> None:
        self._all = Digest()
        self._each = [0] * BUCKETS
        self._things: dict[int, dict[int, T]] = {}  # buckets that are not empty

    @property
    def digest(self) -> int:
        """The digest of all items: equal where the collections are equal."""
        return self._all.value

    def add(self, thing: T) -> None:
        """Add an item."""
        part = thing.digest
        bucket = bucket_of(part)
        self._all.add(part)
        self._each[bucket] = summed(self._each[bucket], part)
        self._things.setdefault(bucket, {})[part] = thing

    def add_again(self, thing: T) -> None:
        """Replace an item by one that has the same digest."""
        part = thing.digest
        self._things.setdefault(bucket_of(part), {})[part] = thing

    def remove(self, thing: T) -> None:
        """Remove an item."""
        part = thing.digest
        bucket = bucket_of(part)
        self._all.remove(part)
        self._each[bucket] = summed(self._each[bucket], -part)
        things = self._things.get(bucket, {})
        things.pop(part, None)
        if not things:
            self._things.pop(bucket, None)

    def digests(self, count: int) -> tuple[int, ...]:
        """Return the digests of `count` buckets, a power of two up to `BUCKETS`."""
        width = BUCKETS // count
        return tuple(
            summed(*self._each[first : first + width]) for first in range(0, BUCKETS, width)
        )

    def within(self, buckets: Iterable[int], count: int) -> Iterator[T]:
        """Yield the items that fall into some of `count` buckets."""
        width = BUCKETS // count
        for bucket in buckets:
            for each in range(bucket * width, (bucket + 1) * width):
                yield from self._things.get(each, {}).values()


def fitting(rows: int) -> int:
    """Return how many buckets suit a table of some rows: a power of two."""
    count = 1
    while count < BUCKETS and count * ROWS_EACH < rows:
        count *= 2
    return count
