"""What breaks in a world, and when."""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial

from support.simulation.happened import Script
from support.simulation.world import MS, SECOND, World

FAULTS_US = (4 * SECOND, 7 * SECOND)
LONG_US = (4 * SECOND, 19 * SECOND)
RECOVERY_US = 10 * SECOND
"""How long after a fault things may still be otherwise."""

SKEW_US = 2 * SECOND
"""How wrong a gateway's clock may be."""


class Breaking(ABC):
    """Breaks things; a script says what is published and asked for beside it.

    Args:
        world: The world.
        rng: Decides.
    """

    def __init__(self, world: World, rng: random.Random) -> None:
        self.world = world
        self.script = Script()
        self._rng = rng
        self._topology = world.topology
        self._joins: dict[str, int] = {}

    @abstractmethod
    def _at(self, at_us: int, act: Callable[[], None]) -> None: ...

    @abstractmethod
    def _event(
        self, at_us: int, service: str, origin: str, priority: int, *, persistent: bool
    ) -> None: ...

    def _break_for_long(self, gateway: str, service: str) -> None:
        """Break what there is a way round, until well after a standby took over."""
        self.world.calm = False
        from_us, to_us = LONG_US
        breaks = self._break_link if service else self._break_gateway
        breaks(from_us, to_us, (gateway, service))
        self.script.faults += [(from_us, from_us + RECOVERY_US), (to_us, to_us + RECOVERY_US)]
        self.script.spans.append((from_us, to_us + RECOVERY_US))
        for origin in range(2):
            home = self._rng.choice([s for s in self._topology.services if s != service])
            for _ in range(3):
                at_us = self._rng.randint(from_us + RECOVERY_US + SECOND, to_us - SECOND)
                persistent = home in self._topology.persistent and origin == 0
                self._event(at_us, home, f"late{origin}", 0, persistent=persistent)

    def _break(self) -> None:
        rng, world = self._rng, self.world
        world.calm = False
        if rng.random() < 0.3:
            self.script.hesitant = world.weak_confirms = True
            self._at(2 * RECOVERY_US, lambda: setattr(world, "weak_confirms", False))
        for _ in range(rng.randint(1, 3)):
            from_us = rng.randint(*FAULTS_US)
            to_us = from_us + rng.choice([50 * MS, 300 * MS, 2 * SECOND, 5 * SECOND])
            air = len(self._topology.air) > 1
            kinds = [*["gateway"] * 4, "link", "loss", "link", "broker", "clock"]
            kind = rng.choice(["range", *kinds, "range"] if air else kinds)
            getattr(self, f"_break_{kind}")(from_us, to_us)
            self.script.faults.append((from_us, to_us + RECOVERY_US))

    def _burst(self, from_us: int, services: tuple[str, ...]) -> None:
        """Have events be on their way when something breaks, past where it does."""
        home = self._rng.choice(services)
        at_us = from_us - self._rng.randint(0, 12) * MS
        persistent = home in self._topology.persistent
        for number in range(3):
            self._event(at_us + 3 * MS * number, home, f"burst-{home}", 0, persistent=persistent)

    def _break_gateway(self, from_us: int, to_us: int, what: tuple[str, str] = ("", "")) -> None:
        rng, world = self._rng, self.world
        gateway = what[0] or rng.choice(self._topology.gateways)
        mode = rng.choice(["", "before the commit", "after the commit", "amid the outputs"])
        self._burst(from_us, self._topology.of(gateway))

        def fail() -> None:
            if gateway not in world.cores:
                return
            if mode:
                world.crashes[gateway] = mode
                world.at(max(20 * MS, to_us - from_us - 50 * MS), end)
            else:
                end()

        def end() -> None:
            if gateway in world.cores:
                world.faults["killed"] += 1
                world.kill(gateway)

        def start() -> None:
            if gateway not in world.cores:
                world.faults["started again"] += 1
                world.start(gateway)

        self._at(from_us, fail)
        self._at(to_us + 20 * MS, start)

    def _break_link(self, from_us: int, to_us: int, what: tuple[str, str] = ("", "")) -> None:
        world = self.world
        gateway, service = what if what[0] else self._rng.choice(self._topology.attachments)
        if service in self._joins:
            return
        self._burst(from_us, (service,))

        def cut() -> None:
            if (gateway, service) not in world.cut:
                world.faults["link cut"] += 1
                world.cut_link(gateway, service)

        def mend() -> None:
            if (gateway, service) in world.cut:
                world.mend_link(gateway, service)

        self._at(from_us, cut)
        self._at(to_us, mend)

    def _break_loss(self, from_us: int, to_us: int) -> None:
        world = self.world

        def begin() -> None:
            world.lossy_until_us = world.start_us + to_us

        self._at(from_us, begin)
        for number in range(4):
            self._burst(from_us + (20 + 10 * number) * MS, self._topology.services)

    def _break_range(self, from_us: int, to_us: int) -> None:
        world = self.world
        pair = frozenset(self._rng.sample(self._topology.air, 2))

        def part() -> None:
            world.faults["out of range"] += 1
            world.apart.add(pair)

        self._at(from_us, part)
        self._at(to_us, lambda: world.apart.discard(pair))

    def _break_broker(self, from_us: int, to_us: int) -> None:
        """Start a broker again: it forgets all that it was about to give and does not keep."""
        world = self.world
        service = self._rng.choice(self._topology.services)
        if service in self._joins:
            return
        self._burst(from_us, (service,))

        def restart() -> None:
            world.restart_broker(service)
            for gateway in self._topology.at(service):
                if (gateway, service) not in world.cut:
                    world.cut_link(gateway, service)
                    world.at(to_us - from_us, partial(mend, gateway))

        def mend(gateway: str) -> None:
            if (gateway, service) in world.cut:
                world.mend_link(gateway, service)

        self._at(from_us, restart)

    def _break_clock(self, from_us: int, _: int) -> None:
        """Set a gateway's clock."""
        world = self.world
        gateway = self._rng.choice(self._topology.gateways)
        skew_us = self._rng.randint(-SKEW_US, SKEW_US)

        def jump() -> None:
            world.faults["clock set"] += 1
            world.skew_us[gateway] = skew_us

        self._at(from_us, jump)
