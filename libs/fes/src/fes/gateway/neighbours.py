"""Which gateways are heard at an event service, and which should be."""

from typing import NamedTuple

from fes.federation.topology import Topology

CROWD = 8
"""Gateways at one event service up to which each says hello as often as it may."""

PATIENCE = 3.5
"""Hellos of a gateway that must fail to come before it is missing."""

MEDIUM_NEIGHBOURS = 256
"""Most gateways remembered at an access point; the one unheard longest goes first."""


class Ear(NamedTuple):
    """What was heard of a gateway last.

    Attributes:
        at_us: When.
        epoch: Its start.
    """

    at_us: int
    epoch: int


class Neighbours:
    """Keeps when each gateway was heard last, at each event service.

    Args:
        gateway: Whose neighbours they are.
        topology: Who is attached where.
        hello_us: How often a gateway says hello where few do.
    """

    def __init__(self, gateway: str, topology: Topology, hello_us: int) -> None:
        self._on_medium = topology.on_medium
        self._hello_us = hello_us
        self._heard: dict[str, dict[str, Ear]] = {}
        self._others: dict[str, tuple[str, ...]] = {}
        self._talkers: dict[str, tuple[str, ...]] = {}
        mute = topology.silent.mute
        for name, service in topology.attachments:
            if name == gateway:
                others = tuple(other for other in topology.at(service) if other != gateway)
                self._others[service] = others
                self._talkers[service] = tuple(
                    other for other in others if (other, service) not in mute
                )

    def has_company(self, service: str) -> bool:
        """Tell whether any other gateway may hear what is said at an event service."""
        return service in self._on_medium or bool(self._others.get(service))

    def interval_us(self, service: str) -> int:
        """Return how often each gateway says hello at an event service."""
        crowd = len(self._others.get(service, ())) + 1
        return self._hello_us * max(CROWD, crowd) // CROWD

    def hear(self, service: str, gateway: str, epoch: int, now_us: int) -> bool:
        """Note that a gateway was heard; tell whether it was gone, or started again."""
        heard = self._heard.setdefault(service, {})
        before = heard.pop(gateway, None)
        heard[gateway] = Ear(now_us, epoch)
        if len(heard) > MEDIUM_NEIGHBOURS:
            del heard[next(iter(heard))]
        return before is None or before.epoch != epoch or self._is_late(service, before, now_us)

    def expect(self, service: str, gateway: str, now_us: int) -> None:
        """Give a gateway time to be heard anew."""
        heard = self._heard.setdefault(service, {})
        before = heard.get(gateway)
        heard[gateway] = Ear(now_us, before.epoch if before else -1)

    def listen(self, service: str, now_us: int) -> None:
        """Begin to listen at an event service: those who talk there have time to be heard."""
        self._heard[service] = {name: Ear(now_us, -1) for name in self._talkers.get(service, ())}

    def is_heard(self, service: str, gateway: str, now_us: int) -> bool:
        """Tell whether a gateway was heard lately."""
        ear = self._heard.get(service, {}).get(gateway)
        return ear is not None and ear.epoch >= 0 and not self._is_late(service, ear, now_us)

    def is_alone(self, service: str, now_us: int) -> bool:
        """Tell whether no gateway was heard lately at an event service."""
        return not any(
            self.is_heard(service, gateway, now_us) for gateway in self._heard.get(service, ())
        )

    def missing(self, service: str, now_us: int) -> list[str]:
        """Return the gateways that should be heard at an event service and are not.

        On a medium nobody must be in range.
        """
        if service in self._on_medium:
            return []
        heard = self._heard.get(service, {})
        return [
            gateway
            for gateway in self._talkers.get(service, ())
            if gateway not in heard or self._is_late(service, heard[gateway], now_us)
        ]

    def _is_late(self, service: str, ear: Ear, now_us: int) -> bool:
        return now_us - ear.at_us > PATIENCE * self.interval_us(service)
