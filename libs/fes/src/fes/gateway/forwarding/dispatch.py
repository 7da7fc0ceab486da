"""Dispatch: an event leaves, natively or inside a publication control event."""

from collections.abc import Sequence

import msgspec

from fes.control import ControlEvent, RequestType, to_event
from fes.federation.topology import Hop
from fes.gateway.forwarding.announcements import Announcements
from fes.gateway.forwarding.transit import Transit, of_event
from fes.gateway.outputs import ForLeader
from fes.gateway.replication import Forwarded
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn
from fes.link.messages import Publish, PublishControl
from fes.model import binary


class Dispatch:
    """Publishes events natively, or forwards them to other gateways.

    Args:
        settings: Of the gateway.
        announcements: Announces a subject before an event of it is published.
        persistent: Event services that keep events.
    """

    def __init__(
        self, settings: GatewaySettings, announcements: Announcements, persistent: dict[str, None]
    ) -> None:
        self._settings = settings
        self._announcements = announcements
        self._persistent = persistent

    def publish(
        self, event: Transit, destination: str, turn: Turn, *, row: int = 0, after: int = 0
    ) -> None:
        """Publish an event natively at an attached event service, announcing first.

        Args:
            event: The event.
            destination: Event service identifier.
            turn: Collects what comes of it.
            row: Number of the custody row to be confirmed; 0 where none is.
            after: Number of the row before it that is not confirmed yet.

        Raises:
            EventError: The event's body had to be read, and is not an event of its subject.
        """
        if event.persistent and destination not in self._persistent:
            turn.decide(of_event("degraded", event, to=destination, what="Reliability"))
        self._announcements.before(destination, event.subject, event.body, turn)
        on_air = (destination,) if self._settings.adapters[destination].on_medium else ()
        via, expires_us = event.trail + on_air, event.expires_us
        order = Publish(event.stamp, via, expires_us, event.body, event.priority, row, after)
        turn.order(destination, order)
        turn.decide(of_event("applied", event, to=destination))

    def forward(
        self,
        event: Transit,
        hop: Hop,
        names: list[str],
        turn: Turn,
        *,
        row: int = 0,
        after: int = 0,
    ) -> None:
        """Forward an event towards event services that are not attached.

        Args:
            event: The event.
            hop: The event service to publish it at, and the gateway that it is for.
            names: Event services behind it.
            turn: Collects what comes of it.
            row: Number of the custody row to be acknowledged; 0 where none is.
            after: The row before it that is not acknowledged yet.

        Raises:
            EventError: The body is not an event.
        """
        path = (*event.path, hop.service)
        control = msgspec.structs.replace(
            self._publication(event, names),
            path=self._shortened(path) if row else path,
            next_gateway=hop.gateway,
        )
        if row:
            giver = self._settings.id
            control = msgspec.structs.replace(control, giver=giver, row=row, after=after)
        elif event.persistent:
            for name in names:
                turn.decide(of_event("degraded", event, to=name, what="Reliability"))
        body, origin = binary.encode(to_event(control)), event.stamp.origin
        order = PublishControl(body, True, event.priority, origin, row, event.expires_us)
        turn.order(hop.service, order)
        turn.outputs += [of_event("forwarded", event, to=name, what=hop.service) for name in names]

    def to_leader(
        self, event: Transit, names: Sequence[str], turn: Turn, *, matched: tuple[str, ...]
    ) -> None:
        """Have the replica that leads route an event that was received at its home.

        Args:
            event: The event.
            names: Its destinations.
            turn: Collects what comes of it.
            matched: Those of which subscriptions matched; none where a list names them.

        Raises:
            EventError: The body is not an event.
        """
        control = self._publication(event, names)
        turn.outputs.append(ForLeader(Forwarded.of(control, matched)))

    def _publication(self, event: Transit, names: Sequence[str]) -> ControlEvent:
        return ControlEvent(
            stamp=event.stamp,
            system=self._settings.system,
            type=RequestType.PUBLICATION,
            source=event.stamp.home,
            dist_list=",".join(names),
            event=binary.decode(event.body),
            via=event.via,
        )

    def _shortened(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """Return a path without repetitions, and no longer than an event may pass.

        Custody may return to a gateway; what is in custody is not dropped for the length of its
        path.
        """
        return tuple(dict.fromkeys(path))[-self._settings.max_hops :]
