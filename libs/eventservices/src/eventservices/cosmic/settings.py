"""Settings of a bus, and of the nodes on it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from eventservices.cosmic.calendar import Slot
from eventservices.cosmic.driver import Interface
from eventservices.cosmic.identifier import BROKER_NODE
from eventservices.cosmic.subject import MAX_NAME
from eventservices.cosmic.timing import SRT_SLOT_US
from eventservices.errors import MalformedError
from eventservices.text import check_text

EVENT_BYTES: Final = 320 * 1024
BIT_RATE: Final = 1_000_000
FASTEST: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class BusSettings:
    """What one process needs to know of a bus.

    Attributes:
        interface: Which bus.
        bit_rate: Bits a second; a frame occupies the bus for its duration. 0: for no time.
        slot_us: Time to the deadline that one step of a soft real-time priority represents.
        slots: Hard real-time slots that are planned beforehand, the same in every process.
        etags: Etags of subjects that are known beforehand.
        hashed: Whether the etags of other subjects follow from the subjects, for a bus without a
            broker; two subjects may then meet in one. Else the broker is queried.
        queue: Events that wait for the bus at most; the next is refused.
        queue_bytes: Bytes that wait for the bus at most.
        event_bytes: Largest event that is not real-time.
        ask_s: Wall time after which the broker is queried again.
        asks: How often it is queried.
    """

    interface: Interface = field(default_factory=Interface)
    bit_rate: int = BIT_RATE
    slot_us: int = SRT_SLOT_US
    slots: tuple[Slot, ...] = ()
    etags: Mapping[str, int] = field(default_factory=dict)
    hashed: bool = False
    queue: int = 4096
    queue_bytes: int = 8 * 1024 * 1024
    event_bytes: int = EVENT_BYTES
    ask_s: float = 0.25
    asks: int = 12

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            MalformedError: One is out of range.
        """
        if not 0 <= self.bit_rate <= FASTEST:
            raise MalformedError(f"bit_rate must be 0 .. {FASTEST}")
        for name in ("slot_us", "queue", "queue_bytes", "event_bytes", "ask_s", "asks"):
            if not getattr(self, name) > 0:
                raise MalformedError(f"{name} must be positive")


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """What a node is.

    Attributes:
        name: The origin of the events that it stamps, with the subject: unique in the event
            service, and the same over restarts.
        number: In the identifier of all that it sends, 0 .. 126; unique on the bus.
        home: Event service that stamps name as the event's home; the node's name where empty.
        suppress_window: Sequence numbers remembered for each origin.
        suppress_origins: Origins remembered.
    """

    name: str
    number: int
    home: str = ""
    suppress_window: int = 4096
    suppress_origins: int = 10_000

    def __post_init__(self) -> None:
        """Check name and number.

        Raises:
            MalformedError: One is not valid.
        """
        check_text(self.name, "node", MAX_NAME)
        if not 0 <= self.number < BROKER_NODE:
            raise MalformedError(f"node number {self.number} is not one of 0 .. {BROKER_NODE - 1}")
