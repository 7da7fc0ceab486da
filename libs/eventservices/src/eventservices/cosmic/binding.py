"""The binding protocol: how a subject of 64 bits gets its etag of 14.

A node sends a query with the subject's 8 bytes. The broker answers in two frames, each with the
etag and one half of the subject; who finds both halves of its subject under one etag is bound.

Source:
    FAMOUSO `etagBP/Broker.h`, `etagBP/Client.h`.
"""

from collections.abc import Mapping
from typing import Final
from zlib import crc32

from eventservices.cosmic.frame import Frame
from eventservices.cosmic.identifier import (
    BROKER_NODE,
    CONFIG_PRIORITY,
    ETAGS,
    RESERVED_ETAGS,
    Etag,
    Identifier,
)
from eventservices.cosmic.subject import SUBJECT_BYTES, check_uid
from eventservices.errors import MalformedError, RefusedError

GIVEN: Final = ETAGS - RESERVED_ETAGS
"""Etags that subjects can have."""

HALF: Final = SUBJECT_BYTES // 2
_SUPPLY_BYTES: Final = 8


def ask(node: int, uid: bytes) -> Frame:
    """Return the frame by which a node requests a subject's etag."""
    identifier = Identifier(CONFIG_PRIORITY, node, Etag.GET_ETAG)
    return Frame(identifier.can_id, check_uid(uid))


def supply(requester: int, uid: bytes, etag: int) -> tuple[Frame, Frame]:
    """Return the two frames by which the broker sends a subject's etag."""
    can_id = Identifier(CONFIG_PRIORITY, BROKER_NODE, Etag.SUPPLY_ETAG_NEW_BP).can_id
    halves = (uid[:HALF], uid[HALF:])
    first, second = (
        Frame(can_id, bytes((requester, number)) + etag.to_bytes(2, "big") + half)
        for number, half in enumerate(halves)
    )
    return first, second


class Binding:
    """Waits, for one subject, for the two halves of the broker's answer.

    The answer to another node's question about the same subject will do: there is but one etag.

    Args:
        uid: The subject.
    """

    def __init__(self, uid: bytes) -> None:
        self._halves = (uid[:HALF], uid[HALF:])
        self._told: dict[int, int] = {}

    def take(self, frame: Frame) -> int | None:
        """Accept a frame of the broker; return the etag once both halves name it."""
        data = frame.data
        if len(data) != _SUPPLY_BYTES or data[1] not in (0, 1):
            return None
        number, etag = data[1], int.from_bytes(data[2:4], "big") % ETAGS
        if data[4:] != self._halves[number]:
            self._told.pop(number, None)
            return None
        self._told[number] = etag
        return etag if self._told.get(1 - number) == etag else None


class EtagTable:
    """The broker's table: subjects and their etags, each for as long as the broker lives.

    Args:
        fixed: Etags of subjects that are known beforehand, by the subject's 8 bytes.

    Raises:
        MalformedError: An etag is reserved, out of range, or listed twice.
    """

    def __init__(self, fixed: Mapping[bytes, int] | None = None) -> None:
        self._etags: dict[bytes, int] = {}
        self._taken: set[int] = set()
        for uid, etag in (fixed or {}).items():
            if etag in self._taken:
                raise MalformedError(f"etag {etag} is assigned to two subjects")
            self._etags[check_uid(uid)] = check_etag(etag)
            self._taken.add(etag)

    def __len__(self) -> int:
        """Return how many subjects are bound."""
        return len(self._etags)

    def bind(self, uid: bytes) -> int:
        """Return a subject's etag; a new subject gets one that is free.

        It is computed from the subject, unless another subject has it: so a broker that was started
        again assigns the same etags.

        Raises:
            RefusedError: None is free.
            MalformedError: It is not a subject.
        """
        etag = self._etags.get(uid)
        if etag is None:
            etag = self._etags[check_uid(uid)] = self._free(uid)
            self._taken.add(etag)
        return etag

    def _free(self, uid: bytes) -> int:
        if len(self._taken) >= GIVEN:
            raise RefusedError(f"all {GIVEN} etags are assigned to subjects")
        etag = preferred_etag(uid)
        while etag in self._taken:
            etag = etag + 1 if etag + 1 < ETAGS else RESERVED_ETAGS
        return etag


def preferred_etag(uid: bytes) -> int:
    """Return the etag that a subject has where nobody else has it; it follows from its 8 bytes."""
    return RESERVED_ETAGS + crc32(uid) % GIVEN


def check_etag(etag: int) -> int:
    """Return `etag` if a subject may have it.

    Raises:
        MalformedError: It is reserved or has more than 14 bits.
    """
    if not RESERVED_ETAGS <= etag < ETAGS:
        raise MalformedError(f"etag {etag} is not one of {RESERVED_ETAGS} .. {ETAGS - 1}")
    return etag
