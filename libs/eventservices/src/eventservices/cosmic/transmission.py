"""Transmissions: what nodes have waiting for the bus."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from eventservices.cosmic.identifier import TimeClass

MAX_ATTEMPTS: Final = 50
"""Attempts for a frame that is not hard real-time."""


class Outcome(Enum):
    """The outcome of a transmission; `LATE` is reported before it is sent after all, or expires."""

    SENT = "sent"
    LATE = "late"
    EXPIRED = "expired"
    FAILED = "failed"


@dataclass(slots=True, eq=False)
class Transmission:
    """Something to be sent: one frame, or the fragments of one event.

    Attributes:
        can_id: Identifier; of a soft real-time frame, its priority is worked out later.
        parts: Data of each frame, in order.
        told: Is called with its outcome.
        sender: Whose it is: the node's number; -1 where a node has none.
        extended: Whether the identifier has 29 bits.
        time_class: None for frames that keep their identifier whatever it is.
        start_us: HRT: beginning of its slot.
        deadline_us: SRT: when it is to be sent.
        expires_us: When it is worth nothing any more; 0 never.
        attempts: How often each frame may be tried.
        size: Bytes in all, for the queue's limit.
        part: Data of the frame that is to go next.
        tried: How often that was tried.
        late: SRT: whether its deadline has passed.
    """

    can_id: int
    parts: Iterator[bytes]
    told: Callable[[Outcome, int], None]
    sender: int
    extended: bool = True
    time_class: TimeClass | None = None
    start_us: int = 0
    deadline_us: int = 0
    expires_us: int = 0
    attempts: int = MAX_ATTEMPTS
    size: int = 8
    part: bytes = b""
    tried: int = 0
    late: bool = False

    def __post_init__(self) -> None:
        """Accept the first part."""
        self.part = next(self.parts)

    def advance(self) -> bool:
        """Go on to the next frame; False where there is none."""
        part = next(self.parts, None)
        if part is None:
            return False
        self.part, self.tried = part, 0
        return True
