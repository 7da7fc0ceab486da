"""Observers: see who announces what, who subscribes to what, and what is published."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Self

from eventservices.attention import Attention
from eventservices.lifetime import Opening
from eventservices.steam.air import Air
from eventservices.steam.beacon import Membership
from eventservices.steam.event import Notification
from eventservices.steam.location import Location
from eventservices.steam.presence import Beacon, Change, Presence
from eventservices.steam.rounds import Rounds
from eventservices.steam.topics import Kind
from eventservices.steam.vantage import Vantage
from eventservices.suppress import Suppressor

MAX_SEEN = 100_000
"""Most announcements and memberships that an observer keeps; more are counted, not kept."""

_BEACONS: tuple[Kind, ...] = ("beacon", "group")
_ALL: tuple[Kind, ...] = (*_BEACONS, "event")

_log = logging.getLogger(__name__)

SightingKind = Literal["event", "announcement", "unannouncement", "join", "leave"]


@dataclass(frozen=True, slots=True)
class Sighting:
    """Something that an observer saw.

    Attributes:
        kind: What happened; what changed its form counts as happening again.
        message: What was on the air; the last one where its sender fell silent.
        silent: Whether the sender sent no farewell, but was not received any more.
    """

    kind: SightingKind
    message: Notification | Beacon
    silent: bool = False


class Observer(Opening):
    """Watches an air, from a place or everywhere at once.

    From a place it receives what a node there would: beacons and events of nodes in range. A node
    that leaves without farewell is missed after `presence.MISSED_BEACONS` periods.

    Args:
        air: The medium, open.
        callback: Is called with each sighting; what it raises is counted and logged.
        location: States where the observer is; everywhere where None.
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
        self.callback_errors = 0
        self._air = air
        self._callback = callback
        self._presence: Presence[Beacon] = Presence(MAX_SEEN)
        self._suppressor = Suppressor()
        kinds = _ALL if events else _BEACONS
        self._vantage = Vantage(air, kinds, self._take, location, range_m)
        self._rounds = Rounds()
        self._watch = Attention(air.settings.beacon_period_s / 2)

    async def open(self) -> Self:
        """Begin to watch; what is active already is seen at its next beacon.

        Raises:
            NotConnectedError: The broker does not answer in time.
            RefusedError: The broker refused a subscription.
        """
        try:
            await self._vantage.open()
        except BaseException:
            await self.close()
            raise
        self._rounds.every(self._air.settings.beacon_period_s / 2, self._expire)
        return self

    async def close(self) -> None:
        """End to watch; harmless where it has ended."""
        await self._rounds.close()
        self._vantage.close()

    @property
    def in_force(self) -> list[Beacon]:
        """Announcements and memberships that are active as far as the observer knows."""
        return self._presence.beacons

    @property
    def not_kept(self) -> int:
        """Beacons that there was no room for."""
        return self._presence.not_kept

    def _take(self, message: Notification | Beacon) -> None:
        if not isinstance(message, Notification):
            change = self._presence.take(message, self._air.monotonic_s())
            if change is not None:
                self._report(Sighting(_kind(message, change), message))
        elif not self._suppressor.repeated(message.stamp):
            self._report(Sighting("event", message))

    async def _expire(self) -> None:
        now_s = self._air.monotonic_s()
        attentive = self._watch.hears(now_s, ready=self._vantage.healthy)
        for beacon in self._presence.expire(now_s, attentive=attentive):
            self._report(Sighting(_kind(beacon, "ended"), beacon, silent=True))
        await asyncio.sleep(0)

    def _report(self, sighting: Sighting) -> None:
        try:
            self._callback(sighting)
        except Exception:  # noqa: BLE001 - a callback must not end the connection
            self.callback_errors += 1
            if self.callback_errors == 1:
                _log.exception("callback failed", extra={"sighting": sighting.kind})


def _kind(beacon: Beacon, change: Change) -> SightingKind:
    if isinstance(beacon, Membership):
        return "leave" if change == "ended" else "join"
    return "unannouncement" if change == "ended" else "announcement"
