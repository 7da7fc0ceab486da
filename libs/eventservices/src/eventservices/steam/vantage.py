"""Vantage points: where those who only watch an air listen, at one place or everywhere."""

from collections.abc import Callable, Sequence
from typing import Any

from eventservices.steam.air import Air
from eventservices.steam.beacon import Membership
from eventservices.steam.event import Notification
from eventservices.steam.hearing import unheard
from eventservices.steam.link import Acknowledged, acknowledged
from eventservices.steam.location import Location
from eventservices.steam.presence import Beacon
from eventservices.steam.receiver import Receiver
from eventservices.steam.topics import ANY, Kind

LISTEN_S = 10.0
"""Longest wall time until messages come."""

_CARRIER = "observer"


class Vantage:
    """Brings all messages of some kinds, of any subject, that can be received from a place.

    Args:
        air: The medium, open.
        kinds: What is of interest.
        take: Is called with each message that is received.
        location: States where the place is; everywhere where None.
        range_m: Radio range there; metres. Everywhere it has no meaning.
    """

    def __init__(
        self,
        air: Air,
        kinds: Sequence[Kind],
        take: Callable[[Any], None],
        location: Location | None,
        range_m: float,
    ) -> None:
        self._air = air
        self._kinds = kinds
        self._take = take
        self._location = location
        self._range_m = range_m
        self._carrier = air.carrier(_CARRIER)
        self._receiver = None
        if location is not None:
            self._receiver = Receiver(air, self._carrier, location, range_m, air.own_counters)

    @property
    def healthy(self) -> bool:
        """Whether the connection is up and all its subscriptions are active."""
        return self._carrier.link.healthy

    async def open(self) -> None:
        """Begin to listen, and return once the broker delivers.

        Raises:
            NotConnectedError: The broker does not answer in time.
            RefusedError: The broker refused a subscription.
        """
        replies = [reply for kind in self._kinds for reply in self._listen(kind)]
        await acknowledged(replies, LISTEN_S)

    def close(self) -> None:
        """Listen no more; harmless where it does not."""
        if self._receiver is not None:
            self._receiver.close()
            return
        for kind in self._kinds:
            self._carrier.fanout.leave([self._air.topics.everywhere(kind)], self._hear)

    def _listen(self, kind: Kind) -> list[Acknowledged]:
        if self._receiver is not None:
            return self._receiver.listen(kind, ANY, self._hear)
        return self._carrier.fanout.join(kind, [self._air.topics.everywhere(kind)], self._hear)

    def _hear(self, message: Notification | Beacon) -> None:
        if self._location is None or self._reaches(message, self._location):
            self._take(message)

    def _reaches(self, message: Notification | Beacon, location: Location) -> bool:
        here = location.position_at(message.time_us)
        sender_m = message.range_m if isinstance(message, Notification) else message.sender.range_m
        area = None if isinstance(message, Membership) else message.proximity
        return unheard(message.position, sender_m, area, here, self._range_m) is None
