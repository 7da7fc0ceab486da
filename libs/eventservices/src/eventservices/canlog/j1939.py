"""Identifiers and values of SAE J1939, the bus of trucks.

A message is known by its parameter group, not by its whole identifier: priority and sender vary,
and so does the destination where the group has one.

Source:
    SAE J1939-21 (identifiers), J1939-71 (ranges of values).
"""

from typing import Final

PDU2: Final = 240
"""From this PDU format on, the low octet of the group is its own; below it is a destination."""
ERROR_OCTET: Final = 0xFE
"""Highest octet of a value that indicates an error."""
ABSENT_OCTET: Final = 0xFF
"""Highest octet of a value that is not available."""
RESERVED_OCTET: Final = 0xFB
"""Lowest highest octet that is not of a value."""
VALUE_BITS: Final = (8, 16, 24, 32)
"""Lengths of the signals whose highest octet has these meanings."""


def group_of(can_id: int) -> int:
    """Return the parameter group of a 29-bit identifier, without a destination."""
    group = can_id >> 8 & 0x3FFFF
    return group if group >> 8 & 0xFF >= PDU2 else group & 0x3FF00


def sender_of(can_id: int) -> int:
    """Return the address of a 29-bit identifier's sender."""
    return can_id & 0xFF


def speaks_j1939(protocol: str | None, database_protocol: str, format_: object) -> bool:
    """Return whether a message of a CAN database is known by its parameter group.

    Args:
        protocol: As cantools has it: `j1939` where the message's `VFrameFormat` specifies it.
        database_protocol: The database's `ProtocolType`; empty where absent.
        format_: The message's own `VFrameFormat`; None where it has none.
    """
    if protocol == "j1939":
        return True
    return format_ is None and "J1939" in database_protocol.upper()
