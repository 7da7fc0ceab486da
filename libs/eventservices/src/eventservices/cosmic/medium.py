"""The medium, as its participants see it: what nodes and brokers may do on a bus."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from eventservices.cosmic.calendar import Calendar
from eventservices.cosmic.frame import Frame
from eventservices.cosmic.settings import BusSettings
from eventservices.cosmic.transmission import Transmission

NOBODY: Final = -1
"""Sender of frames of the bus itself, which no node sent."""


class Participant(Protocol):
    """Receives what others on the bus send."""

    @property
    def number(self) -> int:
        """Node number."""

    def take(self, frame: Frame) -> None:
        """Receive a frame."""

    def close(self) -> None:
        """Leave the bus."""


@dataclass(slots=True)
class BusCounters:
    """Counts what happened on a bus, beside what its wire counts.

    Attributes:
        malformed: Events set aside because they could not be understood.
        conflicts: Frames of others under the number of a node of this process.
        unfollowed: Events whose attributes could not follow them, as too much waited.
        callback_errors: Exceptions of callbacks, which are not passed on.
    """

    malformed: int = 0
    conflicts: int = 0
    unfollowed: int = 0
    callback_errors: int = 0


class Medium(Protocol):
    """What a participant uses of the bus; `Bus` implements it.

    Attributes:
        settings: Interface, bit rate and limits.
        clock_us: The clock of stamps, microseconds since 1970 UTC.
        calendar: Hard real-time slots, reserved by the channels that publish in them.
        counters: Counted for the whole bus.
    """

    settings: BusSettings
    clock_us: Callable[[], int]
    calendar: Calendar
    counters: BusCounters

    def join(self, participant: Participant) -> None:
        """Deliver to a participant the frames that others send.

        Raises:
            RefusedError: The number is in use in this process.
        """

    def leave(self, participant: Participant) -> None:
        """Deliver nothing more to a participant; idempotent."""

    async def etag(self, node: int, subject: str) -> int:
        """Return a subject's etag; see `Directory.etag`."""

    def offer(self, transmission: Transmission) -> None:
        """Queue a transmission for the bus; see `Wire.offer`."""

    def send(self, frame: Frame, sender: int = NOBODY) -> None:
        """Queue a frame of the configuration protocol; one that is refused is requested again."""

    def withdraw(self, sender: int, can_id: int) -> None:
        """Remove the transmissions of a node that wait for one of its channels."""

    def now_us(self) -> int:
        """Return the time of the bus, microseconds since 1970 UTC."""

    def malformed(self, reason: str, raw: bytes) -> None:
        """Set an event aside that cannot be decoded, and count it."""

    def call(self, function: Callable[..., None], *given: object) -> None:
        """Call back an application; an exception is counted and not passed on."""
