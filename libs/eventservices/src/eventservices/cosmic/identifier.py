"""The 29-bit identifier of a frame: priority, sender and channel in one number.

The numerically lowest identifier wins the bus, so the priority is first. The sender is in
it too, so that no two nodes ever send the same identifier at once.

Source:
    FAMOUSO `canID.h` (8 bits of priority, 7 of node, 14 of etag) and `canID_LE_PC.h` (the same
    with the lowest bit of priority as a fragment flag); COSMIC (Kaiser, Brudna, Mitidieri).
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from eventservices.errors import MalformedError

ID_BITS: Final = 29
MAX_STANDARD_ID: Final = 0x7FF
MAX_EXTENDED_ID: Final = (1 << ID_BITS) - 1

ETAGS: Final = 1 << 14
RESERVED_ETAGS: Final = 100
"""Etags below are the protocol's own."""

BROKER_NODE: Final = 0x7F
"""Node number of the broker; others have 0 .. 126."""

CONFIG_PRIORITY: Final = 0xFD
"""Priority of binding and configuration: not real-time."""

HRT_PRIORITY: Final = 0
SRT_PRIORITIES: Final = range(1, 251)
NRT_PRIORITIES: Final = range(251, 256)


class Etag:
    """Etags of the protocol itself; those below `ATTRIBUTES` are FAMOUSO's."""

    CCP_SSI: Final = 0
    CCP_RSI: Final = 1
    GET_ETAG: Final = 2
    SUPPLY_ETAG: Final = 3
    SUPPLY_ETAG_NEW_BP: Final = 4
    ATTRIBUTES: Final = 5
    PROBE: Final = 6


class TimeClass(Enum):
    """How timely a channel is.

    Attributes:
        HRT: Hard real-time: reserved slots, at most 8 bytes.
        SRT: Soft real-time: scheduled by deadline, at most 8 bytes.
        NRT: Not real-time: any length, in fragments.
    """

    HRT = "hrt"
    SRT = "srt"
    NRT = "nrt"


@dataclass(frozen=True, slots=True)
class Layout:
    """Widths of an identifier's fields, the most significant first; bits, 29 in all.

    Attributes:
        priority: Lower is more urgent.
        fragment: 1 where a bit indicates fragments; 0 where the payload does.
        node: The sender.
        etag: The channel.
    """

    priority: int
    fragment: int
    node: int
    etag: int

    def pack(self, priority: int, node: int, etag: int, *, fragment: bool = False) -> int:
        """Return the identifier.

        Raises:
            MalformedError: A field does not fit its width; the message names it.
        """
        widths = {"priority": self.priority, "node": self.node, "etag": self.etag}
        values = {"priority": priority, "node": node, "etag": etag}
        for name, width in widths.items():
            if not 0 <= values[name] < 1 << width:
                raise MalformedError(f"{name} {values[name]} does not fit {width} bits")
        if fragment and not self.fragment:
            raise MalformedError("this layout has no bit for fragments")
        head = priority << self.fragment | fragment
        return (head << self.node | node) << self.etag | etag

    def unpack(self, can_id: int) -> tuple[int, bool, int, int]:
        """Return priority, fragment flag, node and etag.

        Raises:
            MalformedError: It is not a 29-bit identifier.
        """
        check_can_id(can_id, extended=True)
        etag = can_id & (1 << self.etag) - 1
        node = can_id >> self.etag & (1 << self.node) - 1
        head = can_id >> self.etag + self.node
        return head >> self.fragment, bool(self.fragment and head & 1), node, etag


COSMIC: Final = Layout(priority=8, fragment=0, node=7, etag=14)
"""The layout of this package."""

FAMOUSO: Final = Layout(priority=7, fragment=1, node=7, etag=14)
"""The layout that FAMOUSO's code has, for those who read its traces."""

SOURCE_MASK: Final = (1 << COSMIC.node + COSMIC.etag) - 1
"""Bits of node and etag: what stays the same while a frame's priority rises."""


class Identifier(NamedTuple):
    """An identifier's fields.

    Attributes:
        priority: 0 .. 255; the lower, the more urgent.
        node: The sender, 0 .. 127.
        etag: The channel, 0 .. 16383.
    """

    priority: int
    node: int
    etag: int

    @classmethod
    def of(cls, can_id: int) -> "Identifier":
        """Return the fields of a 29-bit identifier."""
        return cls(can_id >> 21, can_id >> 14 & 0x7F, can_id & 0x3FFF)

    @property
    def can_id(self) -> int:
        """The 29-bit identifier.

        Raises:
            MalformedError: A field is out of range.
        """
        return COSMIC.pack(*self)

    @property
    def time_class(self) -> TimeClass:
        """The class of channel that the priority belongs to."""
        if self.priority == HRT_PRIORITY:
            return TimeClass.HRT
        return TimeClass.SRT if self.priority in SRT_PRIORITIES else TimeClass.NRT


def check_can_id(can_id: int, *, extended: bool) -> int:
    """Return `can_id` if it has at most 29 bits, or 11 where not extended.

    Raises:
        MalformedError: It has more.
    """
    if not 0 <= can_id <= (MAX_EXTENDED_ID if extended else MAX_STANDARD_ID):
        bits = ID_BITS if extended else 11
        raise MalformedError(f"identifier {can_id} does not fit {bits} bits")
    return can_id


def arbitration_key(can_id: int, *, extended: bool) -> tuple[int, int, int]:
    """Return what the bus compares, bit by bit: the lower key wins.

    The first 11 bits come first in both formats; where they are equal, the short format wins.
    """
    return (can_id >> 18, 1, can_id & 0x3FFFF) if extended else (can_id, 0, 0)
