"""The next hop to an event service, by what works now."""

from collections.abc import Container, Mapping

from fes.federation.topology import Hop
from fes.gateway.forwarding.transit import Transit
from fes.gateway.peers.presence import Presence
from fes.gateway.settings import GatewaySettings


class NextHops:
    """Finds the next hops from one gateway.

    Args:
        settings: Of the gateway.
        links: Event services whose link is up.
        presence: Knows who is there.
        repeating: Event services whose native clients do not suppress a repeated identity.
        stamping: Event services where this gateway's adapter stamps events that come without a
            stamp, and no other gateway accepts those.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        links: Container[str],
        presence: Presence,
        repeating: Mapping[str, None],
        stamping: Mapping[str, None],
    ) -> None:
        self._id = settings.id
        self._repeating = repeating
        self._stamping = stamping
        self._adapters = settings.adapters
        self._links = links
        self._presence = presence
        self._in_file = settings.topology.routes().hops(settings.id)
        self._own = {name: Hop(name) for name in settings.adapters}

    def towards(self, service: str) -> Hop | None:
        """Return the first step to an event service.

        An attached event service is its own first step while its link is up, unless `standby` names
        another; otherwise a route may lead through another gateway that is attached to it. None
        where there is no route now.
        """
        if service in self._links:
            return self.standby(service) or self._own[service]
        hop = self._presence.routes.hops(self._id).get(service)
        return hop if hop is not None and hop.service in self._links else None

    def standby(self, service: str) -> Hop | None:
        """Return the first step to an attached event service that another gateway serves now.

        The attachment here would close a circle, or does not work as seen by others.

        Where native clients do not suppress a repeated identity, two gateways that both serve an
        event service, each by a route of its own, would publish each event there twice.
        """
        if service not in self._repeating:
            return None
        routes = self._presence.routes
        hop = routes.standbys(self._id).get(service) or routes.hops(self._id).get(service)
        return hop if hop is not None and hop.service in self._links else None

    def is_served(self, event: Transit) -> bool:
        """Return whether another gateway accepts an event where this one received it natively."""
        return not self._is_alone(event) and self.standby(event.arrived) is not None

    def is_behind(self, event: Transit, hop: Hop, destination: str) -> bool:
        """Return whether a destination lies behind where an event came from.

        Then the gateways there received the event as well, except on a medium, where they may have
        missed it.
        """
        if hop.service != event.arrived or hop.service == destination or self._is_alone(event):
            return False
        return not self._adapters[hop.service].on_medium

    def is_left(self, event: Transit, destination: str) -> bool:
        """Return whether the gateways behind where a persistent event came from are to deliver it.

        Where native clients suppress a repeated identity, this gateway sends it too.
        """
        if event.path or event.arrived not in self._repeating:
            return False
        hop = self.towards(destination)
        return hop is not None and self.is_behind(event, hop, destination)

    def _is_alone(self, event: Transit) -> bool:
        """Return whether no other gateway accepts an event where this one received it."""
        at = event.arrived
        return event.alone or (not event.path and event.stamp.home == at and at in self._stamping)

    def existed(self, service: str) -> bool:
        """Return whether there is a route while everything works."""
        return service in self._in_file

    def has_company(self, service: str) -> bool:
        """Return whether other gateways may receive what is sent at an event service."""
        return self._presence.neighbours.has_company(service)
