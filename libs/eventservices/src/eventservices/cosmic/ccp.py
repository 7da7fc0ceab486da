"""The configuration protocol: how a node gets its number.

A node reports its 64-bit name a nibble at a time, in the identifier of an empty frame, from the
highest (stage 15) to the lowest (stage 0). The broker repeats what it knows so far. Several nodes
may begin at once: whose nibble was on the bus first goes on, and the others restart when that
one has its number.

Source:
    FAMOUSO `ccp/Broker.h`, `ccp/Client.h`, `canID_LE_PC.h` (stage and nibble are bits 21 .. 14 of
    the identifier, the stage above).
"""

from collections.abc import Mapping
from typing import Final

from eventservices.cosmic.frame import Frame
from eventservices.cosmic.identifier import BROKER_NODE, CONFIG_PRIORITY, Etag, Identifier
from eventservices.cosmic.subject import check_uid
from eventservices.errors import MalformedError, RefusedError

FIRST_STAGE: Final = 15
UID_BYTES: Final = 8
NODES: Final = BROKER_NODE
"""Numbers that there are: 0 .. 126."""

STALE_US: Final = 1_000_000
"""Silence after which the broker regards a node that went on no further as gone."""

_NIBBLE_SHIFT: Final = 14
_STAGE_SHIFT: Final = 18
_STAGE_BITS: Final = 0xFF << _NIBBLE_SHIFT


def request(stage: int, nibble: int) -> Frame:
    """Return the frame by which a node sends one nibble of its name."""
    base = Identifier(CONFIG_PRIORITY, 0, Etag.CCP_RSI).can_id & ~_STAGE_BITS
    return Frame(base | stage << _STAGE_SHIFT | nibble << _NIBBLE_SHIFT, b"")


def read_request(frame: Frame) -> tuple[int, int]:
    """Return stage and nibble of a node's frame."""
    return frame.can_id >> _STAGE_SHIFT & 0xF, frame.can_id >> _NIBBLE_SHIFT & 0xF


def nibble_of(uid: bytes, stage: int) -> int:
    """Return the nibble of a name that is reported at a stage."""
    return uid[(FIRST_STAGE - stage) // 2] >> 4 * (stage % 2) & 0xF


class Configuration:
    """One node in transit to a number.

    Args:
        uid: Its name, 8 bytes, not all 0.

    Raises:
        MalformedError: It is not such name.
    """

    def __init__(self, uid: bytes) -> None:
        self._uid = check_uid(uid)
        self._stage = FIRST_STAGE
        self.number: int | None = None

    def begin(self) -> Frame:
        """Return the first frame, also after a silence that lasted too long."""
        self._stage = FIRST_STAGE
        return self._say()

    def take(self, frame: Frame) -> Frame | None:
        """Accept a frame of the broker; return what to send next, None to wait.

        `number` is set once the node has one.
        """
        told, node = frame.data, frame.identifier.node
        if len(told) != UID_BYTES or self.number is not None:
            return None
        if node != BROKER_NODE:
            if told == self._uid:
                self.number = node
                return None
            return self.begin()
        if not any(told):
            return self.begin()
        if told[-1] & 0xF != self._stage or not self._is_mine(told):
            return None
        self._stage = max(0, self._stage - 1)
        return self._say()

    def _say(self) -> Frame:
        return request(self._stage, nibble_of(self._uid, self._stage))

    def _is_mine(self, told: bytes) -> bool:
        known = range(max(self._stage, 1), FIRST_STAGE + 1)
        return all(nibble_of(told, stage) == nibble_of(self._uid, stage) for stage in known)


class NodeTable:
    """The broker's side: nodes and their numbers.

    Args:
        fixed: Numbers of nodes that are known beforehand, by name.
        reserved: Numbers that are assigned to no node, because they are configured by hand.

    Raises:
        MalformedError: A number is out of range.
    """

    def __init__(
        self, fixed: Mapping[bytes, int] | None = None, reserved: frozenset[int] = frozenset()
    ) -> None:
        self._numbers: dict[bytes, int] = {}
        self._reserved = reserved
        for uid, number in (fixed or {}).items():
            if not 0 <= number < NODES or number in self._numbers.values():
                raise MalformedError(f"node number {number} is out of range or listed twice")
            self._numbers[check_uid(uid)] = number
        self._stage = FIRST_STAGE
        self._uid = bytearray(UID_BYTES)
        self._last_us = 0

    def __len__(self) -> int:
        """Return how many nodes have a number."""
        return len(self._numbers)

    def number_of(self, uid: bytes) -> int:
        """Return a node's number; a new one gets the highest that is free.

        Raises:
            RefusedError: None is free.
        """
        if uid not in self._numbers:
            taken = {*self._numbers.values(), *self._reserved}
            free = [number for number in reversed(range(NODES)) if number not in taken]
            if not free:
                raise RefusedError(f"all {NODES} node numbers are assigned")
            self._numbers[check_uid(uid)] = free[0]
        return self._numbers[uid]

    def take(self, frame: Frame, now_us: int) -> Frame | None:
        """Accept a node's frame; return the answer, None where it is out of turn.

        Raises:
            RefusedError: No number is free.
            MalformedError: The name is all 0.
        """
        stage, nibble = read_request(frame)
        silent = now_us - self._last_us > STALE_US
        if stage != self._stage and not (silent and stage == FIRST_STAGE):
            return None
        if stage == FIRST_STAGE:
            self._uid = bytearray(UID_BYTES)
        self._last_us = now_us
        self._stage = stage - 1 if stage else FIRST_STAGE
        self._uid[-1] = self._uid[-1] & 0xF0 | stage
        place, high = (FIRST_STAGE - stage) // 2, stage % 2
        self._uid[place] |= nibble << 4 * high
        uid = bytes(self._uid)
        node = BROKER_NODE if stage else self.number_of(uid)
        return Frame(Identifier(CONFIG_PRIORITY, node, Etag.CCP_SSI).can_id, uid)
