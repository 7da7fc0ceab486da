"""Discovery: which producers announce what around a place.

It is what an application needs that acts on announcements: a follower is notified first of all that
is active, then of every change.

Source:
    The proximity discovery service of STEAM (Meier and Cahill, DAIS 2003): announcements are
    beacons within their area, and who enters the area learns of them at the next.
"""

import asyncio
import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal, Self

from eventservices.attention import Attention
from eventservices.errors import RefusedError
from eventservices.lifetime import Opening
from eventservices.steam.air import Air
from eventservices.steam.beacon import Announcement
from eventservices.steam.geometry import Position
from eventservices.steam.location import Location
from eventservices.steam.presence import Presence
from eventservices.steam.proximity import Proximity
from eventservices.steam.rounds import Rounds
from eventservices.steam.vantage import Vantage

MAX_PRODUCERS = 10_000
"""Most announcements that are kept by default; more are counted."""

MAX_FOLLOWERS = 64
"""Most followers of one discovery."""

_log = logging.getLogger(__name__)

FoundKind = Literal["announced", "unannounced", "expired"]


@dataclass(frozen=True, slots=True)
class Found:
    """What a discovery reports about one producer and one subject.

    Attributes:
        kind: `announced` also where the area of a known announcement is another now;
            `unannounced` after a farewell; `expired` where too many beacons were missing, be it
            that the producer fell silent or that it, or its area, moved away.
        node: Name of the producer.
        label: What kind of application is behind it: see `NodeSettings.label`.
        subject: Name of the event type.
        proximity: Area in which its events are valid.
        position: Where the producer was at its latest beacon.
        time_us: When that was, on the trace's clock.
    """

    kind: FoundKind
    node: str
    label: str
    subject: str
    proximity: Proximity
    position: Position
    time_us: int


Follower = Callable[[Found], None]
"""Is called with each change; what it raises is counted and logged."""


class Discovery(Opening):
    """Knows the announcements that can be received at a place.

    Args:
        air: The medium, open.
        location: States where the place is; everywhere where None.
        range_m: Radio range there; metres. Everywhere it has no meaning.
        ignored_labels: Producers with one of these labels are not seen at all. A program that
            announces on the air what it received elsewhere, such as a bridge, labels its nodes, and
            by that label it ignores its own nodes and those of other bridges.
        limit: Most announcements that are kept. One that there is no room for is counted, and
            accepted at a later beacon when others have gone.

    Attributes:
        ignored: Beacons that were left out by their label.
        callback_errors: Exceptions of followers.
    """

    def __init__(
        self,
        air: Air,
        location: Location | None = None,
        range_m: float = 0.0,
        *,
        ignored_labels: Collection[str] = (),
        limit: int = MAX_PRODUCERS,
    ) -> None:
        self.ignored = 0
        self.callback_errors = 0
        self._air = air
        self._ignored_labels = frozenset(ignored_labels)
        self._presence: Presence[Announcement] = Presence(limit)
        self._vantage = Vantage(air, ("beacon",), self._take, location, range_m)
        self._followers: dict[Follower, None] = {}
        self._rounds = Rounds()
        self._watch = Attention(air.settings.beacon_period_s / 2)

    async def open(self) -> Self:
        """Begin to listen for beacons.

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
        """Listen no more and forget all followers; harmless where that was done."""
        await self._rounds.close()
        self._vantage.close()
        self._followers.clear()

    @property
    def present(self) -> list[Found]:
        """Announcements active, in the order in which they were found."""
        return [_found("announced", beacon) for beacon in self._presence.beacons]

    @property
    def not_kept(self) -> int:
        """Beacons that there was no room for."""
        return self._presence.not_kept

    def follow(self, follower: Follower) -> None:
        """Report to a follower all that is present, at once, and then every change.

        Raises:
            RefusedError: There are `MAX_FOLLOWERS` already.
        """
        if follower not in self._followers and len(self._followers) >= MAX_FOLLOWERS:
            raise RefusedError(f"a discovery has at most {MAX_FOLLOWERS} followers")
        self._followers[follower] = None
        for found in self.present:
            self._tell(follower, found)

    def unfollow(self, follower: Follower) -> None:
        """Stop reporting to a follower; idempotent."""
        self._followers.pop(follower, None)

    async def settled(self) -> None:
        """Wait until all who were in range when it was called have had time for a beacon.

        Raises:
            NotConnectedError: The broker is away; beacons may have been missed.
        """
        await asyncio.sleep(1.5 * self._air.settings.beacon_period_s)
        await self._air.probe()

    def _take(self, beacon: Announcement) -> None:
        if beacon.sender.label in self._ignored_labels:
            self.ignored += 1
            return
        change = self._presence.take(beacon, self._air.monotonic_s())
        if change is not None:
            self._report("unannounced" if change == "ended" else "announced", beacon)

    async def _expire(self) -> None:
        now_s = self._air.monotonic_s()
        attentive = self._watch.hears(now_s, ready=self._vantage.healthy)
        for beacon in self._presence.expire(now_s, attentive=attentive):
            self._report("expired", beacon)
        await asyncio.sleep(0)

    def _report(self, kind: FoundKind, beacon: Announcement) -> None:
        found = _found(kind, beacon)
        for follower in list(self._followers):
            self._tell(follower, found)

    def _tell(self, follower: Follower, found: Found) -> None:
        try:
            follower(found)
        except Exception:  # noqa: BLE001 - one follower must not harm another
            self.callback_errors += 1
            if self.callback_errors == 1:
                _log.exception("follower failed", extra={"node": found.node})


def _found(kind: FoundKind, beacon: Announcement) -> Found:
    sender = beacon.sender
    return Found(
        kind,
        sender.node,
        sender.label,
        beacon.subject,
        beacon.proximity,
        beacon.position,
        beacon.time_us,
    )
