"""The publishing half of a node: its announced channels, and frames that need none."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from eventservices.cosmic.attributes import ChannelAttributes, EventAttributes, check_others
from eventservices.cosmic.event import Event, OnException
from eventservices.cosmic.frame import Frame, checked
from eventservices.cosmic.medium import Medium
from eventservices.cosmic.publication import Publication, following, send_following
from eventservices.cosmic.transmission import Outcome, Transmission
from eventservices.errors import RefusedError
from eventservices.stamp import Stamp, check

if TYPE_CHECKING:
    from eventservices.cosmic.settings import NodeSettings

MAX_ANNOUNCED: Final = 1024
"""Most channels that a node announces."""


class Outbox:
    """Sends for one node; see `Node` for the operations.

    Args:
        bus: The bus.
        settings: What the node is.

    Attributes:
        published: Events passed to the bus.
    """

    def __init__(self, bus: Medium, settings: "NodeSettings") -> None:
        self.publications: dict[str, Publication] = {}
        self.published = 0
        self._bus = bus
        self._settings = settings

    def announce(
        self,
        subject: str,
        etag: int,
        attributes: ChannelAttributes,
        on_exception: OnException | None,
        origin: str,
    ) -> Publication:
        """Bind a channel; one that is announced already is replaced."""
        if subject not in self.publications and len(self.publications) >= MAX_ANNOUNCED:
            raise RefusedError(f"the node announces {MAX_ANNOUNCED} channels already")
        self.cancel(subject)
        origin = origin or f"{self._settings.name}/{subject}"
        made = Publication(
            self._bus, self._settings, subject, etag, attributes, on_exception, origin
        )
        self.publications[subject] = made
        return made

    def cancel(self, subject: str) -> None:
        """Accept an announcement back; harmless where there is none."""
        publication = self.publications.pop(subject, None)
        if publication is not None:
            publication.close()

    def publish(self, event: Event, time_us: int | None, stamp: Stamp | None) -> Stamp | None:
        """Send an event on its channel."""
        publication = self.publications.get(event.subject)
        if publication is None:
            raise RefusedError(f"channel {event.subject[:100]!r} is not announced")
        given = publication.publish(event, time_us, stamp)
        self.published += 1
        return given

    def send(
        self, frame: Frame, stamp: Stamp | None, attributes: Mapping[str, Any], expires_us: int
    ) -> None:
        """Send a frame under the identifier that it has, whatever that means."""
        check_others(attributes)
        told = EventAttributes(check(stamp) if stamp else None, others=dict(attributes))
        behind = following(checked(frame), told)

        def sent(outcome: Outcome, _now_us: int) -> None:
            if outcome is Outcome.SENT and behind:
                send_following(self._bus, self._settings.number, behind)

        self._bus.offer(
            Transmission(
                frame.can_id,
                iter((frame.data,)),
                sent,
                self._settings.number,
                extended=frame.extended,
                expires_us=expires_us,
            )
        )
        self.published += 1

    def close(self) -> None:
        """Withdraw all announcements."""
        for subject in list(self.publications):
            self.cancel(subject)
