"""CAN frames as Any events, the form that the real-time service on board a vehicle uses."""

from eventservices.cns.value import Value
from eventservices.errors import MalformedError

STANDARD_ID_MAX = 0x7FF
EXTENDED_ID_MAX = 0x1FFFFFFF
FRAME_BYTES_MAX = 8


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
