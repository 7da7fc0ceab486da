"""Publications: to which event services an event goes, and by which way.

Source:
    design, section 6, rules 2 to 5.
"""

from collections.abc import Container

import msgspec
from eventservices.suppress import Suppressor

from fes.control import ControlEvent, RequestType, to_event
from fes.federation.topology import Hop
from fes.gateway.announcing import Announcing
from fes.gateway.outputs import Decided
from fes.gateway.settings import GatewaySettings, Instant
from fes.gateway.turn import Turn
from fes.link.messages import Publish, PublishControl
from fes.model import Stamp, binary


class Passing(msgspec.Struct, frozen=True):
    """An event on its way through a gateway.

    Attributes:
        id: Its identity as people write it.
        stamp: Its stamp.
        subject: Its subject.
        body: The event as MessagePack.
        expires_us: When it is worthless, federation clock; 0 is never.
        persistent: Whether it asks for persistent delivery.
        arrived: Event service that it came from.
        via: Event services that it passed, the one where it was accepted last.
        path: Event services that the control event which carries it passed; none where it was
            heard natively.
    """

    id: str
    stamp: Stamp
    subject: str
    body: bytes
    expires_us: int
    persistent: bool
    arrived: str
    via: tuple[str, ...]
    path: tuple[str, ...] = ()

    @property
    def trail(self) -> tuple[str, ...]:
        """Every event service passed, oldest first."""
        return self.via + self.path if self.path else self.via


class Router:
    """Sends events on, at most once to each destination.

    Args:
        settings: Of the gateway.
        links: Event services whose link is up.
        announcing: Announces before it is published.
    """

    def __init__(
        self, settings: GatewaySettings, links: Container[str], announcing: Announcing
    ) -> None:
        self._settings = settings
        self._links = links
        self._announcing = announcing
        self._marks: dict[str, Suppressor] = {}

    def route(self, event: Passing, destinations: tuple[str, ...], turn: Turn) -> None:
        """Send an event to its destinations.

        Args:
            event: The event.
            destinations: Event service identifiers, each once.
            turn: Collects what comes of it.

        Raises:
            EventError: The event's body had to be read, and is no event of its subject.
        """
        reason = self._worthless(event, turn.now)
        if reason:
            turn.decide(of_event("dropped", event, reason=reason))
            return
        onward: dict[tuple[str, str], list[str]] = {}
        for destination in destinations:
            self._towards(event, destination, onward, turn)
        for (service, gateway), names in onward.items():
            self._forward(event, service, gateway, names, turn)

    def _worthless(self, event: Passing, now: Instant) -> str:
        if event.expires_us and event.expires_us <= now.time_us:
            return "expired"
        if len(event.trail) > self._settings.max_hops:
            return "hop limit"
        return ""

    def _towards(
        self,
        event: Passing,
        destination: str,
        onward: dict[tuple[str, str], list[str]],
        turn: Turn,
    ) -> None:
        if destination == event.stamp.home or destination in event.path:
            return
        attached = destination in self._settings.adapters
        hop = Hop(destination) if attached else self._settings.hops.get(destination)
        reason = self._no_way(event, hop)
        if hop is None or reason:
            turn.decide(of_event("dropped", event, to=destination, reason=reason))
        elif self._repeated(event.stamp, destination):
            turn.decide(of_event("suppressed", event, to=destination, reason="repeated"))
        elif attached:
            self._publish(event, destination, turn)
        else:
            onward.setdefault(hop, []).append(destination)

    def _no_way(self, event: Passing, hop: Hop | None) -> str:
        """Return why an event cannot go on by a hop; it is not marked, so that a copy may."""
        if hop is None:
            return "no route"
        if hop.gateway and hop.service == event.arrived and not self._on_medium(hop.service):
            return "lies behind where it came from"
        return "" if hop.service in self._links else "link down"

    def _repeated(self, stamp: Stamp, destination: str) -> bool:
        marks = self._marks.get(destination)
        if marks is None:
            marks = Suppressor(self._settings.window, self._settings.origins)
            self._marks[destination] = marks
        # It asks for origin, epoch and sequence, which both kinds of stamps have.
        return marks.repeated(stamp)  # type: ignore[arg-type]

    def _publish(self, event: Passing, destination: str, turn: Turn) -> None:
        if event.persistent:
            turn.decide(of_event("degraded", event, to=destination, what="Reliability"))
        self._announcing.before(destination, event.subject, event.body, turn)
        on_air = (destination,) if self._on_medium(destination) else ()
        order = Publish(event.stamp, event.trail + on_air, event.expires_us, event.body)
        turn.order(destination, order)
        turn.decide(of_event("applied", event, to=destination))

    def _forward(
        self, event: Passing, service: str, gateway: str, names: list[str], turn: Turn
    ) -> None:
        control = ControlEvent(
            stamp=event.stamp,
            system=self._settings.system,
            type=RequestType.PUBLICATION,
            source=event.stamp.home,
            dist_list=",".join(names),
            event=binary.decode(event.body),
            path=(*event.path, service),
            via=event.via,
            next_gateway=gateway,
        )
        turn.order(service, PublishControl(binary.encode(to_event(control)), publication=True))
        turn.outputs += [of_event("forwarded", event, to=name, what=service) for name in names]

    def _on_medium(self, service: str) -> bool:
        adapter = self._settings.adapters.get(service)
        return adapter is not None and adapter.on_medium


def of_event(
    decision: str, event: Passing, *, to: str = "", reason: str = "", what: str = ""
) -> Decided:
    """Return a decision about an event."""
    return Decided(
        decision,
        id=event.id,
        event_time_us=event.stamp.time_us,
        subject=event.subject,
        home=event.stamp.home,
        from_=event.arrived,
        to=to,
        path=event.trail,
        type="publication",
        reason=reason,
        what=what,
    )
