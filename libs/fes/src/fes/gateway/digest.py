"""Digests: whether two gateways know the same, in one number."""

from hashlib import blake2b

from fes.gateway.journal_keys import key_of

BITS = 63
"""Bits of a digest: it fits every integer of every wire."""

_MASK = (1 << BITS) - 1


def digest_of(*parts: object) -> int:
    """Return the digest of one thing, which some values make up."""
    text = key_of("", *map(str, parts)).encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest()) & _MASK


BUCKETS = 256
"""Buckets that rows fall into by their digest."""

_SHIFT = BITS - 8


def bucket_of(part: int, count: int = BUCKETS) -> int:
    """Return the bucket that a thing's digest falls into, of a power of two of them."""
    return (part >> _SHIFT) * count // BUCKETS


def summed(*parts: int) -> int:
    """Return the digest of several things together; a negative part takes one out."""
    return sum(parts) & _MASK


class Digest:
    """The digest of a collection, whatever its order.

    Attributes:
        value: 0 where the collection is empty.
    """

    def __init__(self) -> None:
        self.value = 0

    def add(self, part: int) -> None:
        """Count a thing in."""
        self.value = summed(self.value, part)

    def remove(self, part: int) -> None:
        """Count a thing out."""
        self.value = summed(self.value, -part)
