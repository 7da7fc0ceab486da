"""The producing half of a node: announcements and publications."""

from dataclasses import dataclass

from eventservices.errors import NotConnectedError, RefusedError, TooLargeError
from eventservices.stamp import Stamp, Stamper, check
from eventservices.steam.beacon import Announcement
from eventservices.steam.codec import encode
from eventservices.steam.counters import Counters
from eventservices.steam.event import Event, Notification, check_name, check_values
from eventservices.steam.event_type import EventType
from eventservices.steam.geometry import Position
from eventservices.steam.location import Location
from eventservices.steam.medium import Medium
from eventservices.steam.node_settings import NodeSettings
from eventservices.steam.proximity import Proximity, check_proximity
from eventservices.steam.topics import encode_level

MAX_ANNOUNCED = 10_000
"""Most subjects that one node announces."""


@dataclass(frozen=True, slots=True)
class Announced:
    """An event type that a node publishes, and the area in which its events are valid."""

    event_type: EventType
    proximity: Proximity


class Producer:
    """Speaks for one node; see `Node` for the operations.

    Args:
        air: The medium.
        settings: What the node is.
        location: States where it is.
        counters: The node's.
    """

    def __init__(
        self, air: Medium, settings: NodeSettings, location: Location, counters: Counters
    ) -> None:
        self.announced: dict[str, Announced] = {}
        self._air = air
        self._settings = settings
        self._location = location
        self._counters = counters
        self._link = air.carrier(settings.name).link
        home = settings.home or settings.name
        self._stamper = Stamper(settings.name, home, epoch=settings.epoch, clock_us=air.clock_us)

    def announce(self, event_type: EventType | str, proximity: Proximity) -> None:
        """Announce that the node publishes events of a type."""
        kind = EventType(event_type) if isinstance(event_type, str) else event_type
        check_name(kind.subject, "subject")
        if kind.subject not in self.announced and len(self.announced) >= MAX_ANNOUNCED:
            raise RefusedError(f"node announces {MAX_ANNOUNCED} subjects already")
        self.announced[kind.subject] = Announced(kind, check_proximity(proximity))
        self._tell(kind.subject, present=True)

    def unannounce(self, subject: str) -> None:
        """Accept an announcement back."""
        if subject in self.announced:
            self._tell(subject, present=False)
            del self.announced[subject]

    def beacon(self) -> None:
        """Repeat every active announcement."""
        for subject in self.announced:
            self._tell(subject, present=True)

    def close(self) -> None:
        """Withdraw all announcements."""
        for subject in list(self.announced):
            self.unannounce(subject)

    def _tell(self, subject: str, *, present: bool) -> None:
        proximity = self.announced[subject].proximity

        def message(position: Position, now_us: int) -> Announcement:
            sender, period_s = self._settings.sender, self._air.settings.beacon_period_s
            return Announcement(sender, subject, position, now_us, period_s, present, proximity)

        self._air.tell(self._link, "beacon", subject, self._location, message)

    def publish(self, event: Event, time_us: int | None, stamp: Stamp | None) -> Stamp | None:
        """Put an event on the air."""
        announced = self.announced.get(event.subject)
        if announced is None:
            raise RefusedError(f"subject {event.subject!r} was not announced")
        moment = stamp.time_us if stamp else self._air.clock_us() if time_us is None else time_us
        position = self._location.position_at(moment)
        if position is None:
            self._counters.unplaced += 1
            return None
        parameters = check_values(event.parameters, "parameter")
        announced.event_type.check(parameters)
        proximity = check_proximity(event.proximity) if event.proximity else announced.proximity
        attributes = check_values(event.attributes, "attribute")
        notification = Notification(
            check(stamp) if stamp else self._stamper.next(moment),
            self._settings.name,
            position,
            self._settings.range_m,
            proximity,
            event.subject,
            parameters,
            attributes,
        )
        self._transmit(notification)
        return notification.stamp

    def _transmit(self, notification: Notification) -> None:
        air, payload = self._air, encode(notification)
        limit = air.settings.event_bytes
        if len(payload) > limit:
            raise TooLargeError(len(payload), limit)
        cell = air.grid.cell(notification.position)
        topic = air.topics.of("event", cell, encode_level(notification.subject))
        try:
            self._link.publish(topic, payload)
        except NotConnectedError:
            self._counters.unsent += 1
            raise
        self._counters.transmitted += 1
