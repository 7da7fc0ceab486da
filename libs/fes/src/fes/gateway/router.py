"""Routing: to which event services an event goes, and by which next hops.

Source:
    design, section 6, rules 2 to 5.
"""

from collections.abc import Container

from fes.federation.topology import Hop
from fes.gateway.custody.store import Handover
from fes.gateway.custody.transfer import CustodyTransfer
from fes.gateway.forwarding.dispatch import Dispatch
from fes.gateway.forwarding.next_hop import NextHops
from fes.gateway.forwarding.sent_window import SentWindow
from fes.gateway.forwarding.transit import Transit, of_event
from fes.gateway.settings import GatewaySettings, Instant
from fes.gateway.turn import Turn

Onward = dict[Hop, list[str]]
"""Destinations behind each hop."""

PASSED = "path names its destination"
"""Why an event is not forwarded to where it has been."""

BEHIND = "lies behind where it came from"
"""Why an event is left to other gateways that received it too."""


class Router:
    """Publishes, forwards and transfers events, at most once to each destination.

    Args:
        settings: Of the gateway.
        links: Event services whose link is up.
        next_hops: Finds the next hop to each destination.
        dispatch: Publishes and forwards events.
        transfer: Accepts persistent events into custody.
        marks: Remembers what was sent.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        links: Container[str],
        next_hops: NextHops,
        dispatch: Dispatch,
        transfer: CustodyTransfer,
        marks: SentWindow,
    ) -> None:
        self._settings = settings
        self._links = links
        self._next_hops = next_hops
        self._dispatch = dispatch
        self._transfer = transfer
        self._marks = marks

    def route(
        self,
        event: Transit,
        destinations: tuple[str, ...],
        turn: Turn,
        *,
        decided: bool = False,
    ) -> bool:
        """Send an event to its destinations.

        Args:
            event: The event; it may be delivered by now.
            destinations: Event service identifiers, each once.
            turn: Collects what comes of it.
            decided: Whether it is accepted also where custody is full.

        Returns:
            Whether this gateway is done with the event, or has custody of it.

        Raises:
            EventError: The event's body had to be read, and is not an event of its subject.
        """
        reason = self._worthless(event, turn.now)
        if reason:
            turn.decide(of_event("dropped", event, reason=reason))
            return True
        done = True
        onward: Onward = {}
        for destination in destinations:
            if destination in event.path:
                turn.decide(of_event("dropped", event, to=destination, reason=PASSED))
                continue
            if event.persistent and self._transfer.keeps(event, destination):
                if self._next_hops.is_left(event, destination):
                    turn.decide(of_event("suppressed", event, to=destination, reason=BEHIND))
                    continue
                done = self._transfer.take(event, destination, turn, decided=decided) and done
            else:
                self._towards(event, destination, onward, turn)
        for hop, names in onward.items():
            self._dispatch.forward(event, hop, names, turn)
        return done

    def route_gift(
        self,
        event: Transit,
        destinations: tuple[str, ...],
        handover: Handover,
        after: int,
        turn: Turn,
    ) -> bool:
        """Accept custody of an event from another gateway; return whether to acknowledge it.

        What would go back where it came from is not accepted, nor on a medium: its sender keeps it
        until a gateway receives it that is nearer to the destination.

        Args:
            event: The event.
            destinations: Event service identifiers, each once.
            handover: The gateway that sends it, and its row.
            after: Number of the sender's row before it; 0 where there is none.
            turn: Collects what comes of it.
        """
        taken = True
        for destination in destinations:
            if destination in event.path:
                turn.decide(of_event("dropped", event, to=destination, reason=PASSED))
                continue
            hop = self._next_hops.towards(destination)
            if hop is not None and event.arrived == hop.service != destination:
                turn.decide(of_event("suppressed", event, to=destination, reason=BEHIND))
                taken = False
            else:
                taken = self._transfer.given(event, destination, handover, after, turn) and taken
        return taken

    def _worthless(self, event: Transit, now: Instant) -> str:
        if event.expires_us and event.expires_us <= now.time_us:
            return "expired"
        if len(event.trail) > self._settings.max_hops:
            return "hop limit"
        return ""

    def _towards(self, event: Transit, destination: str, onward: Onward, turn: Turn) -> None:
        hop = self._next_hops.towards(destination)
        if hop is None:
            hops, reason = self._flood(event, destination)
        else:
            hops, reason = (hop,), ""
            if self._next_hops.is_behind(event, hop, destination):
                reason = BEHIND
        if reason:
            turn.decide(of_event("dropped", event, to=destination, reason=reason))
        elif self._marks.repeated(
            event.stamp,
            destination,
            turn,
            persistent=event.persistent,
            late=bool(event.starts_us),
        ):
            turn.decide(of_event("suppressed", event, to=destination, reason="repeated"))
        elif hop is not None and hop.service == destination:
            self._dispatch.publish(event, destination, turn)
        else:
            for each in hops:
                onward.setdefault(each, []).append(destination)

    def _flood(self, event: Transit, destination: str) -> tuple[tuple[Hop, ...], str]:
        """Return the hops to all gateways that may know a route, or why there is none.

        An event that cannot be forwarded leaves no record, so that a later copy may.
        """
        if destination in self._settings.adapters:
            return (), "link down"
        if not self._next_hops.existed(destination):
            return (), "no route"
        hops = tuple(
            Hop(name)
            for name, adapter in self._settings.adapters.items()
            if name in self._links
            and adapter.relay
            and self._next_hops.has_company(name)
            and (name != event.arrived or adapter.on_medium)
        )
        return hops, "" if hops else "no route"
