"""A frame as a CAN log reports it."""

from dataclasses import dataclass
from enum import Enum

MAX_STANDARD_ID = 0x7FF
MAX_EXTENDED_ID = 0x1FFF_FFFF
ERROR_FLAG = 0x2000_0000
"""Bit of an error frame where a log writes the identifier with eight digits."""


class Kind(Enum):
    """What a frame is."""

    DATA = "data"
    REMOTE = "remote"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class LogFrame:
    """One frame of a log.

    Attributes:
        time_us: The log's own time, microseconds; None where the format shows none.
        channel: Name of the bus.
        can_id: Identifier; of an error frame, its class bits.
        extended: Whether the identifier has 29 bits.
        data: Payload; empty for remote frames.
        kind: Data, remote or error.
        remote_length: Bytes that a remote frame requests.
        fd: Whether it is a CAN FD frame.
        bit_rate_switch: CAN FD only.
        error_state: CAN FD only: the sender was error passive.
        raw_dlc: Length code 9..15 of a classic frame with 8 bytes; 0 where not reported.
        direction: `R` received, `T` sent; empty where the log does not state it.
    """

    time_us: int | None
    channel: str
    can_id: int
    extended: bool
    data: bytes = b""
    kind: Kind = Kind.DATA
    remote_length: int = 0
    fd: bool = False
    bit_rate_switch: bool = False
    error_state: bool = False
    raw_dlc: int = 0
    direction: str = ""
