"""Observers: see who announces what, who subscribes to what, and what is said."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Self

from eventservices.attention import Attention
from eventservices.lifetime import Opening
from eventservices.steam.air import Air
from eventservices.steam.beacon import Announcement, Membership
from eventservices.steam.event import Notification
from eventservices.steam.geometry import Position, within
from eventservices.steam.link import Acknowledged, acknowledged
from eventservices.steam.location import Location
from eventservices.steam.proximity import contains
from eventservices.steam.receiver import Receiver
from eventservices.steam.rounds import Rounds
from eventservices.steam.topics import ANY, Kind
from eventservices.suppress import Suppressor

MAX_SEEN = 100_000
"""Most announcements and memberships that an observer keeps; more are counted, not kept."""

MISSED_BEACONS = 3
"""Beacons that must be missing before their sender counts as gone."""

_NAME = "observer"
_OPEN_S = 10.0

_log = logging.getLogger(__name__)

SightingKind = Literal["event", "announcement", "unannouncement", "join", "leave"]
Beacon = Announcement | Membership


@dataclass(frozen=True, slots=True)
class Sighting:
    """Something that an observer saw.

    Attributes:
        kind: What happened; what changed its form counts as happening again.
        message: What was on the air; the last one where its sender fell silent.
        silent: Whether the sender said no farewell, but was not heard any more.
    """

    kind: SightingKind
    message: Notification | Beacon
    silent: bool = False


@dataclass(frozen=True, slots=True)
class _Seen:
    beacon: Beacon
    until_s: float


_Key = tuple[str, str, int]


class Observer(Opening):
    """Watches an air, from a place or everywhere at once.

    From a place it hears what a node there would: beacons and events of nodes in range. A node
    that leaves without farewell is missed after `MISSED_BEACONS` periods.

    Args:
        air: The medium, open.
        callback: Is given each sighting; what it raises is counted and held back.
        location: Tells where the observer is; everywhere where None.
        range_m: Its radio range; metres. Without a place it has no meaning.
        events: Whether events are of interest, beside beacons.
    """

    def __init__(
        self,
        air: Air,
        callback: Callable[[Sighting], None],
        *,
        location: Location | None = None,
        range_m: float = 0.0,
        events: bool = True,
    ) -> None:
        self.not_kept = 0
        self.callback_errors = 0
        self._air = air
        self._callback = callback
        self._location = location
        self._range_m = range_m
        self._seen: dict[_Key, _Seen] = {}
        self._suppressor = Suppressor()
        self._carrier = air.carrier(_NAME)
        self._receiver = Receiver(air, self._carrier, location, range_m) if location else None
        self._kinds: tuple[Kind, ...] = (
            ("beacon", "group", "event") if events else ("beacon", "group")
        )
        self._rounds = Rounds()
        self._watch = Attention(air.settings.beacon_period_s / 2)

    async def open(self) -> Self:
        """Begin to watch; what is in force already is seen at its next beacon.

        Raises:
            NotConnectedError: The broker does not answer in time.
            RefusedError: The broker refused a subscription.
        """
        try:
            replies = [reply for kind in self._kinds for reply in self._listen(kind)]
            await acknowledged(replies, _OPEN_S)
        except BaseException:
            await self.close()
            raise
        self._rounds.every(self._air.settings.beacon_period_s / 2, self._expire)
        return self

    async def close(self) -> None:
        """End to watch; harmless where it has ended."""
        await self._rounds.close()
        if self._receiver is not None:
            self._receiver.close()
            return
        for kind in self._kinds:
            self._carrier.fanout.leave([self._air.topics.everywhere(kind)], self._take)

    @property
    def in_force(self) -> list[Beacon]:
        """Announcements and memberships that are in force as far as the observer knows."""
        return [seen.beacon for seen in self._seen.values()]

    def _listen(self, kind: Kind) -> list[Acknowledged]:
        if self._receiver is not None:
            return self._receiver.listen(kind, ANY, self._take)
        return self._carrier.fanout.join(kind, [self._air.topics.everywhere(kind)], self._take)

    def _take(self, message: Notification | Beacon) -> None:
        if not self._hears(message):
            return
        if isinstance(message, Notification):
            if not self._suppressor.repeated(message.stamp):
                self._report(Sighting("event", message))
        else:
            self._note(message)

    def _hears(self, message: Notification | Beacon) -> bool:
        if self._location is None:
            return True
        here = self._location.position_at(message.time_us)
        if here is None:
            return False
        sender_m = message.range_m if isinstance(message, Notification) else message.sender.range_m
        if not within(message.position, here, min(self._range_m, sender_m)):
            return False
        return isinstance(message, Membership) or _in_area(message, here)

    def _note(self, beacon: Beacon) -> None:
        key = _key(beacon)
        before = self._seen.get(key)
        if not beacon.present:
            if self._seen.pop(key, None) is not None:
                self._report(Sighting(_ended(beacon), beacon))
            return
        if before is None and len(self._seen) >= MAX_SEEN:
            self.not_kept += 1
            return
        self._seen[key] = self._lasting(beacon)
        if before is None or _form(before.beacon) != _form(beacon):
            self._report(Sighting(_began(beacon), beacon))

    async def _expire(self) -> None:
        hears = self._watch.hears(self._air.monotonic_s(), ready=self._carrier.link.healthy)
        for key, seen in list(self._seen.items()):
            if not hears:
                self._seen[key] = self._lasting(seen.beacon)
            elif seen.until_s < self._air.monotonic_s():
                del self._seen[key]
                self._report(Sighting(_ended(seen.beacon), seen.beacon, silent=True))
        await asyncio.sleep(0)

    def _lasting(self, beacon: Beacon) -> _Seen:
        return _Seen(beacon, self._air.monotonic_s() + MISSED_BEACONS * beacon.period_s)

    def _report(self, sighting: Sighting) -> None:
        try:
            self._callback(sighting)
        except Exception:  # noqa: BLE001 - a callback must not end the connection
            self.callback_errors += 1
            if self.callback_errors == 1:
                _log.exception("callback failed", extra={"node": _NAME})


def _in_area(message: Notification | Announcement, here: Position) -> bool:
    return contains(message.proximity, message.position, here)


def _key(beacon: Beacon) -> _Key:
    number = beacon.number if isinstance(beacon, Membership) else 0
    return beacon.sender.node, beacon.subject, number


def _form(beacon: Beacon) -> object:
    return beacon.content if isinstance(beacon, Membership) else beacon.proximity


def _began(beacon: Beacon) -> SightingKind:
    return "join" if isinstance(beacon, Membership) else "announcement"


def _ended(beacon: Beacon) -> SightingKind:
    return "leave" if isinstance(beacon, Membership) else "unannouncement"
