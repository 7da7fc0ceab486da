"""Ways: the first step to an event service, as things are."""

from collections.abc import Container

from fes.federation.topology import Hop
from fes.gateway.peers.presence import Presence
from fes.gateway.settings import GatewaySettings


class Ways:
    """Knows the routes from one gateway.

    Args:
        settings: Of the gateway.
        links: Event services whose link is up.
        presence: Knows who is there.
    """

    def __init__(
        self, settings: GatewaySettings, links: Container[str], presence: Presence
    ) -> None:
        self._id = settings.id
        self._links = links
        self._presence = presence
        self._in_file = settings.topology.routes().hops(settings.id)
        self._own = {name: Hop(name) for name in settings.adapters}

    def towards(self, service: str) -> Hop | None:
        """Return the first step to an event service.

        An attached one is its own first step while its link is up; otherwise another gateway that
        is attached to it may be on a route. None where there is no route now.
        """
        if service in self._links:
            return self._own[service]
        hop = self._presence.routes.hops(self._id).get(service)
        return hop if hop is not None and hop.service in self._links else None

    def existed(self, service: str) -> bool:
        """Return whether there is a route while everything works."""
        return service in self._in_file

    def has_company(self, service: str) -> bool:
        """Return whether other gateways may receive what is said at an event service."""
        return self._presence.neighbours.has_company(service)
