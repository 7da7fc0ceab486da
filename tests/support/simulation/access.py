"""What stands between a gateway and an event service in a world: the model of an adapter."""

import functools
from collections import deque
from dataclasses import dataclass, field

from eventservices.suppress import Suppressor
from fes.adapter.outbound.confirmations import Confirmations
from fes.filter import Filter
from fes.link.messages import Announce, Confirmed, Desired, Subscribe, Unannounce, Unsubscribe
from fes.model import Event, Identity, Stamp, binary
from support.simulation.narrow import Narrow

filter_of = functools.lru_cache(maxsize=1024)(Filter.of)
"""Compiles a filter; the same few are used again and again."""

decoded = functools.lru_cache(maxsize=1024)(binary.decode)
"""Reads an event; what is said at an event service is heard by many."""


@dataclass(frozen=True, slots=True)
class Native:
    """An event as it stands on an event service."""

    event: Event
    stamp: Stamp
    via: tuple[str, ...]
    chain: tuple[str, ...] = ()


@dataclass
class Durable:
    """What an event service keeps for one gateway, however often that starts again.

    Attributes:
        filters: What it keeps.
        kept: What it keeps now, oldest first.
        had: What was published there, if it looks whether an identity was published before.
    """

    filters: dict[int, Filter] = field(default_factory=dict)
    kept: deque[Native] = field(default_factory=deque)
    had: set[Identity] = field(default_factory=set)

    def wants(self, event: Event) -> bool:
        return any(each.matches(event) for each in self.filters.values())


@dataclass
class Access:
    """What one adapter knows: the model of `fes.adapter`, without its input and output.

    `up` and `down` carry what it tells its gateway and is told, where links are narrow.
    """

    service: str
    gateway: str
    life: int
    filters: dict[int, Filter] = field(default_factory=dict)
    announced: dict[int, str] = field(default_factory=dict)
    suppressor: Suppressor = field(default_factory=Suppressor)
    said: list[Confirmed] = field(default_factory=list)
    desired: int = 0
    settled: bool = False
    token: int = 0
    up: Narrow | None = None
    down: Narrow | None = None

    def __post_init__(self) -> None:
        """Derive what follows from the fields."""

        def send(message: Confirmed) -> bool:
            self.said.append(message)
            return True

        self.confirmations = Confirmations(send)

    def matched(self, event: Event) -> tuple[int, ...]:
        return tuple(number for number, each in self.filters.items() if each.matches(event))

    def perform(self, order: object) -> None:
        """Make what the gateway orders so, but for what it publishes."""
        match order:
            case Subscribe(number, text, version):
                self.filters[number] = filter_of(text)
                self.desired = version
            case Unsubscribe(number, version):
                self.filters.pop(number, None)
                self.desired = version
            case Announce(number, body):
                self.announced[number] = decoded(body).subject
            case Unannounce(number):
                self.announced.pop(number, None)
            case Desired(version, subscriptions, announcements):
                self.filters = {each.number: filter_of(each.filter) for each in subscriptions}
                self.announced = {a.number: decoded(a.body).subject for a in announcements}
                self.desired, self.settled = version, True
