"""Which gateways are received at an event service, and which should be."""

from typing import NamedTuple

from fes.federation.topology import Topology

CROWD = 8
"""Gateways at one event service up to which each sends a hello as often as it may."""

PATIENCE = 3.5
"""Number of hellos of a gateway that must fail to come before it is missing."""

PACE_HELLOS = 2
"""Most hello intervals between two queries for a table in a crowd."""

MEDIUM_NEIGHBOURS = 256
"""Most gateways remembered at an access point; the one not received for longest is forgotten
first."""


class Ear(NamedTuple):
    """When a gateway was received last, and which start of it.

    Attributes:
        at_us: When.
        epoch: Identifies its start.
    """

    at_us: int
    epoch: int


NEVER = Ear(-(1 << 62), -1)
"""The entry of a gateway that was not expected yet."""


class Neighbours:
    """Keeps when each gateway was received last, at each event service.

    Args:
        gateway: Whose neighbours they are.
        topology: Who is attached where.
        hello_us: How often a gateway sends a hello where few do.
    """

    def __init__(self, gateway: str, topology: Topology, hello_us: int) -> None:
        self._on_medium = topology.on_medium
        self._hello_us = hello_us
        self._heard: dict[str, dict[str, Ear]] = {}  # those not received for longest come first
        self._strangers: dict[str, dict[str, Ear]] = {}
        self._others: dict[str, tuple[str, ...]] = {}
        self._talkers: dict[str, dict[str, int]] = {}
        self._patience_us: dict[str, float] = {}
        self._ring: dict[str, dict[str, int]] = {}
        self._id = gateway
        mute = topology.silent.mute
        for name, service in topology.attachments:
            if name == gateway:
                ring = topology.at(service)
                self._ring[service] = {other: place for place, other in enumerate(ring)}
                others = tuple(other for other in ring if other != gateway)
                self._others[service] = others
                talkers = [other for other in others if (other, service) not in mute]
                self._talkers[service] = {other: place for place, other in enumerate(talkers)}
                self._patience_us[service] = PATIENCE * self.interval_us(service)

    def has_company(self, service: str) -> bool:
        """Return whether any other gateway may receive what is sent at an event service."""
        return service in self._on_medium or bool(self._others.get(service))

    def interval_us(self, service: str) -> int:
        """Return how often each gateway sends a hello at an event service."""
        crowd = len(self._others.get(service, ())) + 1
        return self._hello_us * max(CROWD, crowd) // CROWD

    @property
    def crowded(self) -> bool:
        """Whether more gateways than a few are at some event service."""
        return any(len(ring) > CROWD for ring in self._ring.values())

    def pace_us(self, service: str) -> int:
        """Return the pause between any two queries at an event service; 0 where gateways are few.

        Everybody receives the answer, so that in a crowd only one needs to query at a time.
        """
        few = len(self._ring.get(service, ())) <= CROWD
        return 0 if few else min(PACE_HELLOS * self._hello_us, self.interval_us(service))

    def greets(self, service: str, newcomer: str) -> bool:
        """Return whether this gateway is among those that greet a newcomer at an event service.

        All are among them where they are few; in a crowd, those that follow the newcomer in the
        file.
        """
        ring = self._ring.get(service, {})
        if len(ring) <= CROWD or newcomer not in ring:
            return True
        return (ring[self._id] - ring[newcomer]) % len(ring) <= CROWD

    def hear(self, service: str, gateway: str, epoch: int, now_us: int) -> bool:
        """Note that a gateway was received; return whether it was gone, or started again."""
        heard = self._known_at(service, gateway)
        before = heard.pop(gateway, None)
        heard[gateway] = Ear(now_us, epoch)
        if gateway not in self._talkers.get(service, ()) and len(heard) > MEDIUM_NEIGHBOURS:
            del heard[next(iter(heard))]
        return before is None or before.epoch != epoch or self._is_late(service, before, now_us)

    def expect(self, service: str, gateway: str, now_us: int) -> None:
        """Allow a gateway time to be received again."""
        heard = self._known_at(service, gateway)
        before = heard.pop(gateway, None)
        heard[gateway] = Ear(now_us, before.epoch if before else -1)
        if gateway not in self._talkers.get(service, ()) and len(heard) > MEDIUM_NEIGHBOURS:
            del heard[next(iter(heard))]

    def listen(self, service: str, now_us: int) -> None:
        """Begin to expect gateways at an event service, and allow them time to be received."""
        self._heard[service] = {name: Ear(now_us, -1) for name in self._talkers.get(service, ())}
        self._strangers.pop(service, None)

    def is_heard(self, service: str, gateway: str, now_us: int) -> bool:
        """Return whether a gateway was received lately."""
        ear = self._known_at(service, gateway).get(gateway)
        return ear is not None and ear.epoch >= 0 and not self._is_late(service, ear, now_us)

    def missing(self, service: str, now_us: int) -> list[str]:
        """Return the gateways that should be received at an event service and are not.

        On a medium no gateway has to be in range. The cost grows with the number of those missing.
        """
        talkers = self._talkers.get(service, {})
        if service in self._on_medium or not talkers:
            return []
        heard = self._heard.get(service)
        if heard is None:
            return list(talkers)
        late = []
        for gateway, ear in heard.items():
            if not self._is_late(service, ear, now_us):
                break
            late.append(gateway)
        return sorted(late, key=talkers.__getitem__)

    def _known_at(self, service: str, gateway: str) -> dict[str, Ear]:
        """Return the entries among which a gateway's is.

        Those of the file's gateways are never dropped.
        """
        if gateway not in self._talkers.get(service, ()):
            return self._strangers.setdefault(service, {})
        known = self._heard.get(service)
        if known is None:
            known = self._heard[service] = dict.fromkeys(self._talkers[service], NEVER)
        return known

    def _is_late(self, service: str, ear: Ear, now_us: int) -> bool:
        return now_us - ear.at_us > self._patience_us.get(service, PATIENCE * self._hello_us)
