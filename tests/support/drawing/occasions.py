"""What clients of a world do now and then, beside requests and events as everybody makes them.

A random source of its own decides, so that a seed that draws none of it is what it was before.
"""

import random
from abc import abstractmethod
from collections.abc import Callable
from functools import partial

import msgspec
from fes.control import RequestType
from fes.model import Event
from support.drawing.asking import WITHDRAWN_US, Asking
from support.drawing.wishes import Reading, pattern_matches, random_reading
from support.simulation.happened import Emission
from support.simulation.world import MS, SECOND, World

CALM_US = (20 * SECOND, 26 * SECOND)
BUSY_US = (2 * SECOND, 9 * SECOND)
FORECAST = "Forecast"
"""What clients announce; nobody publishes it, so that no gateway fabricates an announcement."""


class Occasions(Asking):
    """Has clients postpone events, name who gets them, announce, and be observed.

    Args:
        world: The world.
        rng: Decides what everybody does.
        seed: Decides what is done now and then.
    """

    def __init__(self, world: World, rng: random.Random, seed: int) -> None:
        super().__init__(world, rng)
        self._more = random.Random(f"occasions {seed}")
        self._announced: list[tuple[str, str]] = []

    @abstractmethod
    def _emit(
        self, service: str, origin: str, said: Reading, *, persistent: bool, starts_us: int = 0
    ) -> None: ...

    def _occasions(self) -> None:
        rng = self._more
        self.world.observes = rng.random() < 0.1
        for happens in (self._postpone, self._name, self._announce):
            if rng.random() < 0.1:
                happens()
        if self.world.traits.closed:
            self.world.faults["service closed"] += 1
            self._intrude()

    def _postpone(self) -> None:
        """Publish events that must not be delivered before some time."""
        rng, topology = self._more, self._topology
        home = rng.choice(topology.services)
        persistent = home in topology.persistent and rng.random() < 0.7
        for span in (BUSY_US, CALM_US, CALM_US):
            at_us = rng.randint(*span)
            for number in range(rng.randint(1, 4)):
                said = random_reading(rng, rng.choice((0, 0, 5)))
                starts_us = at_us + rng.choice((1, 500 * MS, 4 * SECOND))
                publish = self._postponed(home, said, starts_us, persistent=persistent)
                self._at(at_us + 3 * MS * number, publish)

    def _postponed(
        self, home: str, said: Reading, starts_us: int, *, persistent: bool
    ) -> Callable[[], None]:
        def publish() -> None:
            self.world.faults["event with a StartTime"] += 1
            self._emit(home, "later", said, persistent=persistent, starts_us=starts_us)

        return publish

    def _name(self) -> None:
        """Publish events in control events that name who gets them."""
        rng, services = self._more, self._topology.services
        mute = {*self.world.traits.closed, *self._topology.air}
        home = rng.choice([each for each in services if each not in mute])
        others = [each for each in services if each != home]
        for span in (BUSY_US, CALM_US, CALM_US):
            names = (rng.choice([*others, "*"]), rng.choice(others))
            patterns = tuple(dict.fromkeys(names))
            said = random_reading(rng, rng.choice((0, 5)))
            at_us = rng.randint(*span)
            self._at(at_us, partial(self._publish_to, home, said, patterns))

    def _publish_to(self, home: str, said: Reading, patterns: tuple[str, ...]) -> None:
        world = self.world
        world.faults["event for named services"] += 1
        stamp = world.stamp("named", home)
        world.say(
            home,
            msgspec.structs.replace(
                world.control_event(RequestType.PUBLICATION, home, ",".join(patterns)),
                stamp=stamp,
                event=said.event({}),
            ),
        )
        at_us = world.now_us - world.start_us
        self.script.events.append(Emission(at_us, home, said, stamp.identity, patterns=patterns))

    def _announce(self) -> None:
        """Announce at some event services what is never published; renew it once all is calm."""
        rng, services = self._more, self._topology.services
        source = rng.choice(services)
        pattern = rng.choice([*(each for each in services if each != source), "*"])
        self._announced.append((source, pattern))
        for at_us in (rng.randint(*BUSY_US), CALM_US[0]):
            self._at(at_us, lambda: self._herald(RequestType.ANNOUNCEMENT, source, pattern))
        self._at(WITHDRAWN_US, lambda: self._herald(RequestType.UNANNOUNCEMENT, source, "*"))

    def _herald(self, kind: RequestType, source: str, pattern: str) -> None:
        world = self.world
        world.faults["announcement of a client"] += kind is RequestType.ANNOUNCEMENT
        request = world.control_event(kind, source, pattern, "herald")
        if world.cores:
            event = Event.of(FORECAST, number=1)
            world.inject(min(world.cores), msgspec.structs.replace(request, event=event))

    def _unannounced(self) -> list[str]:
        """Return where what clients announced is not announced at rest, or is and should not be."""
        world = self.world
        if world.apart or not self._announced:
            return []
        must = {
            service
            for service in self._topology.services
            for source, pattern in self._announced
            if service != source and pattern_matches(pattern, service)
        }
        return [
            f"announced: {FORECAST} at {service} by {gateway}: {subjects}"
            for (gateway, service), access in world.access.items()
            if (FORECAST in (subjects := [*access.announced.values()])) != (service in must)
        ]

    def _intrude(self) -> None:
        """Have somebody say requests where none are accepted."""
        (closed,) = self.world.traits.closed
        for at_us in (BUSY_US[0], CALM_US[0]):
            self._at(at_us, lambda: self._say_at(closed))

    def _say_at(self, closed: str) -> None:
        world = self.world
        request = world.control_event(RequestType.SUBSCRIPTION, closed, "*", "intruder")
        world.say(closed, msgspec.structs.replace(request, filter="subject = 'Reading'"))

    def _intruded(self) -> list[str]:
        """Return the gateways that took a request that was said where none is accepted."""
        return [
            f"accepted: {name} has {row}"
            for name, core in self.world.cores.items()
            for row in core.table.rows()
            if row.requester == "intruder"
        ]
