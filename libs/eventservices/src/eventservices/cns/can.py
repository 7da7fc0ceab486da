"""CAN frames as Any events, the form that the real-time service on board a vehicle uses."""

from collections.abc import Mapping
from typing import NamedTuple

from eventservices.cns.value import Value
from eventservices.errors import MalformedError

CAN_FRAME = frozenset({"can_id", "extended", "data"})
"""Members of the struct that a CAN frame is."""

STANDARD_ID_MAX = 0x7FF
EXTENDED_ID_MAX = 0x1FFFFFFF
FRAME_BYTES_MAX = 8


class CanFrame(NamedTuple):
    """A classical CAN frame.

    Attributes:
        can_id: Identifier, 29 bits if `extended`, else 11.
        data: At most 8 bytes.
        extended: Whether the frame has the extended format.
    """

    can_id: int
    data: bytes
    extended: bool


def can_frame_of(members: Mapping[str, Value]) -> CanFrame:
    """Return the CAN frame that a struct of the members `CAN_FRAME` is.

    Raises:
        MalformedError: A member has another type, or identifier or data exceed the format.
    """
    can_id, extended, data = members["can_id"], members["extended"], members["data"]
    if type(can_id) is not int or type(extended) is not bool or type(data) is not bytes:
        raise MalformedError("a CAN frame's members are a long, a boolean and octets")
    can_frame_any(can_id, data, extended=extended)
    return CanFrame(can_id, data, extended)


def can_frame_any(can_id: int, data: bytes, *, extended: bool = True) -> dict[str, Value]:
    """Return a CAN frame as an Any: a struct of `can_id`, `extended` and `data`.

    Args:
        can_id: Identifier, 29 bits if `extended`, else 11.
        data: At most 8 bytes.
        extended: Whether the frame has the extended format.

    Raises:
        MalformedError: Identifier or data exceed the format.

    Source:
        ISO 11898-1, classical frames.
    """
    limit = EXTENDED_ID_MAX if extended else STANDARD_ID_MAX
    if not 0 <= can_id <= limit:
        raise MalformedError(f"CAN identifier {can_id} is not in 0..{limit}")
    if len(data) > FRAME_BYTES_MAX:
        raise MalformedError(f"a CAN frame has {len(data)} bytes, more than {FRAME_BYTES_MAX}")
    return {"can_id": can_id, "extended": extended, "data": bytes(data)}
