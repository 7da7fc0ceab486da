"""Digests: one number each, by which two gateways compare what they know."""

from hashlib import blake2b

from fes.gateway.journal_keys import key_of

BITS = 63
"""Bits of a digest: it fits every integer of every wire."""

_MASK = (1 << BITS) - 1


def digest_of(*parts: object) -> int:
    """Return the digest of one item that consists of some values."""
    text = key_of("", *map(str, parts)).encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest()) & _MASK


BUCKETS = 256
"""Number of buckets into which rows fall by their digest."""

_SHIFT = BITS - 8


def bucket_of(part: int, count: int = BUCKETS) -> int:
    """Return the bucket into which a digest falls; `count` is a power of two."""
    return (part >> _SHIFT) * count // BUCKETS


def summed(*parts: int) -> int:
    """Return the digest of several items together; a negative part removes one."""
    return sum(parts) & _MASK


class Digest:
    """The digest of a collection, whatever its order.

    Attributes:
        value: 0 where the collection is empty.
    """

    def __init__(self) -> None:
        self.value = 0

    def add(self, part: int) -> None:
        """Add the digest of an item."""
        self.value = summed(self.value, part)

    def remove(self, part: int) -> None:
        """Remove the digest of an item."""
        self.value = summed(self.value, -part)
