"""Identities of what mappings and further paths make: a function of the event's own."""

import re
from hashlib import blake2b

from fes.model import Stamp
from fes.model.stamp import MAX_NAME

Lineage = tuple[tuple[int, int], ...]
"""For each mapping passed: number of its edge's direction, and which of the events it made."""

DIGEST_BYTES = 8

_DERIVED = re.compile(r"~[0-9a-f]{16}$")


def is_derived(stamp: Stamp) -> bool:
    """Return whether a stamp is of what a mapping or a further path made."""
    return _DERIVED.search(stamp.origin) is not None


def derived(stamp: Stamp, lineage: Lineage) -> Stamp:
    """Return the stamp of what was made of an event.

    It depends on nothing but the event's stamp and what made it, so it is the same whoever manages
    the scope, before and after a takeover.

    Args:
        stamp: Of the event as its producer published it.
        lineage: What made it; empty for the event itself.
    """
    if not lineage:
        return stamp
    text = f"{stamp.origin}\0{stamp.home}\0{lineage!r}".encode()
    digest = blake2b(text, digest_size=DIGEST_BYTES).hexdigest()
    origin = f"{stamp.origin[: MAX_NAME - len(digest) - 1]}~{digest}"
    return Stamp(origin, stamp.epoch, stamp.sequence, stamp.time_us, stamp.home)
