"""The state of a gateway's adapters, and the links to them."""

from collections.abc import Mapping

import msgspec
from fes.gateway import GatewaySettings
from fes.gateway.inputs import LinkUp
from fes.link.end import LinkEnd
from fes.link.lanes import is_event
from fes.link.messages import Counted, Order, View
from serving.clocks import wall_us


class AdapterState(msgspec.Struct):
    """The state of one adapter.

    Attributes:
        id: Adapter identifier.
        service: Event service identifier.
        linked: Whether its link is up.
        ready: Whether its last round trip through the event service came back.
        reason: Why it is not ready.
        proved_us: When a round trip succeeded last, wall clock; 0 for never.
        counters: The counters that it reported last.
        links: How often it was linked.
        told_ready: Whether readiness was reported to the core.
        up: The input to the core when it was linked.
    """

    id: str
    service: str
    linked: bool = False
    ready: bool = False
    reason: str = "never linked"
    proved_us: int = 0
    counters: dict[str, int] = {}
    links: int = 0
    told_ready: bool = True
    up: LinkUp = LinkUp()


class Adapters:
    """Keeps the state of a gateway's adapters, and the links to those that are linked.

    Args:
        settings: Of the gateway.

    Attributes:
        states: By event service, in the file's order.
    """

    def __init__(self, settings: GatewaySettings) -> None:
        self.states = {
            name: AdapterState(adapter.id, name) for name, adapter in settings.adapters.items()
        }
        self._ends: dict[str, LinkEnd] = {}
        self._behind: dict[str, None] = {}

    def attach(self, service: str, end: LinkEnd, capabilities: Mapping[str, object]) -> LinkUp:
        """Use a link; return the input for the core."""
        state = self.states[service]
        self._ends[service] = end
        state.linked, state.ready, state.reason = True, False, "no round trip yet"
        state.links += 1
        state.told_ready = True
        state.up = LinkUp(
            persistent=capabilities.get("persistent") is True,
            suppresses=capabilities.get("suppresses") is not False,
            stamps=capabilities.get("stamps") is not False,
        )
        return state.up

    def detach(self, service: str, reason: str) -> None:
        """Forget a link."""
        state = self.states[service]
        self._ends.pop(service, None)
        self._behind.pop(service, None)
        state.linked, state.ready, state.reason = False, False, reason

    def linked(self) -> tuple[AdapterState, ...]:
        """Return the state of the adapters that are linked."""
        return tuple(self.states[service] for service in self._ends)

    def count(self, counted: Counted, service: str) -> bool:
        """Accept an adapter's counters and state; return whether its readiness changed."""
        state = self.states[service]
        state.ready, state.reason = counted.ready, counted.reason
        state.counters = counted.counters
        state.proved_us = wall_us() if counted.ready else state.proved_us
        changed = state.told_ready != counted.ready
        state.told_ready = counted.ready
        return changed

    def send(self, service: str, order: Order) -> str:
        """Send an order; return why it was dropped, or "" where it was not."""
        end = self._ends.get(service)
        if end is None:
            return "link down"
        if end.send(order):
            return ""
        if not is_event(order):
            self._behind[service] = None
        return "link queue full"

    def tell(self, view: View) -> None:
        """Send all linked adapters a view of the replicas."""
        for end in self._ends.values():
            end.send(view)

    def fall_behind(self, service: str) -> None:
        """Note that an adapter misses orders."""
        self._behind[service] = None

    def catch_up(self) -> list[AdapterState]:
        """Return the state of the adapters that missed orders, each once."""
        behind, self._behind = self._behind, {}
        return [self.states[service] for service in behind]

    def counters(self) -> dict[str, dict[str, int]]:
        """Return the counters of each link that is up, by event service."""
        return {service: end.counters for service, end in self._ends.items()}
