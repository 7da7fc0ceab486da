"""Finds the replica of a gateway that serves an origin.

Rendezvous hashing: every adapter and every replica finds the same one without a query, and only the
origins of a replica that came or went move.

Source:
    Thaler and Ravishankar, "Using name-based mappings to increase hit rates", IEEE/ACM Transactions
    on Networking 6(1), 1998; design, section 6.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

REMEMBERED = 16_384
"""Most pairs of origin and members whose owner is remembered."""


def owner(origin: str, members: Sequence[str]) -> str:
    """Return the member that serves an origin.

    Args:
        origin: Name of the publisher.
        members: Names of the replicas that live, at least one, in any order. A tuple that was
            passed before costs one look-up.

    Raises:
        ValueError: There are no members.
    """
    return _owner(origin, members if isinstance(members, tuple) else tuple(members))


@lru_cache(maxsize=REMEMBERED)
def _owner(origin: str, members: tuple[str, ...]) -> str:
    return max(members, key=lambda member: (_weight(member, origin), member))


def _weight(member: str, origin: str) -> bytes:
    name, what = (text.encode("utf-8", "surrogatepass") for text in (member, origin))
    told = len(name).to_bytes(4, "big") + name + what
    return blake2b(told, digest_size=8).digest()
