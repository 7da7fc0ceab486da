"""A frame as nodes send and receive it: always data; remote and error frames never get this far."""

from typing import NamedTuple

from eventservices.cosmic.identifier import SOURCE_MASK, Identifier, check_can_id
from eventservices.errors import TooLargeError

FRAME_BYTES = 8
"""Most data bytes of a classic frame."""

Source = tuple[int, bool]
"""What identifies one sender's channel: node and etag, or the whole 11-bit identifier."""


class Frame(NamedTuple):
    """One data frame.

    Attributes:
        can_id: Identifier.
        data: At most 8 bytes; up to 64 where received from a CAN FD node.
        extended: Whether the identifier has 29 bits.
        time_us: When it was on the bus; wall clock, microseconds since 1970 UTC; 0 before that.
    """

    can_id: int
    data: bytes
    extended: bool = True
    time_us: int = 0

    @property
    def identifier(self) -> Identifier:
        """Priority, node and etag of a 29-bit identifier."""
        return Identifier.of(self.can_id)

    @property
    def source(self) -> Source:
        """What stays the same of a channel's frames while their priority rises."""
        return (self.can_id & SOURCE_MASK if self.extended else self.can_id, self.extended)


def checked(frame: Frame) -> Frame:
    """Return a frame that may go on the bus.

    Raises:
        MalformedError: The identifier does not fit its format.
        TooLargeError: It has more than 8 data bytes.
    """
    check_can_id(frame.can_id, extended=frame.extended)
    if len(frame.data) > FRAME_BYTES:
        raise TooLargeError(len(frame.data), FRAME_BYTES)
    return frame
