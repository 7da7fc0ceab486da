"""What happens in a world: requests, events, faults; drawn from a seed."""

import random
from collections.abc import Callable
from functools import partial

from support.drawing.asking import SUB, UNSUB, WITHDRAWN_US, Asked
from support.drawing.breaking import LONG_US, RECOVERY_US, SKEW_US
from support.drawing.occasions import Occasions
from support.drawing.parting import PartingPlay
from support.drawing.topologies import Attachment
from support.drawing.wishes import Reading, at_least, random_reading
from support.simulation.agreeing import disagreements, fall_silent
from support.simulation.happened import Emission, Script
from support.simulation.moving import Moving
from support.simulation.world import MS, SECOND, World

PARTED = 0.15
"""How many worlds have scopes that change."""

EVENTS_US = (2 * SECOND, 9 * SECOND)
LATE_US = (29 * SECOND + SECOND // 2, 30 * SECOND)
MOVING_US = (4 * SECOND, 17 * SECOND)


class Play(Occasions):
    """Draws a script for a world and has it happen.

    Args:
        world: The world; its gateways are not started yet.
        seed: Decides the script.
        faulty: Whether anything breaks.
    """

    def __init__(self, world: World, seed: int, *, faulty: bool = True) -> None:
        super().__init__(world, random.Random(f"script {seed}"), seed)
        self.script.hesitant = self.script.scarce = world.traits.are_scarce
        self._start()
        self._ask()
        self._publish()
        self._occasions()
        if world.topology.kind == "crowd":
            world.faults["crowd of gateways"] += 1
            return  # in a crowd hellos are rare: who is gone is missed much later
        parting = random.Random(f"scopes {seed}")
        if (
            parting.random() < PARTED
            and len(set(world.topology.services) - {*world.topology.air}) > 1
        ):
            self.script.parted.append(PartingPlay(world, parting, self._at).parting)
        if faulty and len(self._topology.air) > 1 and self._rng.random() < 0.5:
            self._move()
        elif faulty and self._topology.spares and not self._joins and self._rng.random() < 0.4:
            gateway, service = self._rng.choice(self._topology.spares)
            self._stream(LONG_US[0] - 40 * MS, 4 * MS, (gateway, service))
            self._break_for_long(gateway, service)
        elif faulty and self._rng.random() < 0.7:
            self._break()

    def run(self) -> Script:
        """Have everything happen; ends when all is withdrawn and what is remembered ran out."""
        world = self.world
        world.pass_time(world.start_us + WITHDRAWN_US - SECOND)
        world.broken += [*disagreements(world), *self._unannounced(), *self._intruded()]
        world.pass_time(world.start_us + WITHDRAWN_US + 2 * SECOND)
        fall_silent(world)
        return self.script

    def _at(self, at_us: int, act: Callable[[], None]) -> None:
        self.world.at(at_us, act)

    def _start(self) -> None:
        rng, world = self._rng, self.world
        gateways = list(self._topology.gateways)
        leaves = [name for name in self._topology.services if len(self._topology.at(name)) == 1]
        late = rng.choice(leaves) if leaves and rng.random() < 0.3 else ""
        if late:
            gateway, at_us = self._topology.at(late)[0], rng.randint(1, 5) * SECOND
            self._joins[late] = at_us
            self.script.faults.append((0, at_us + RECOVERY_US))
            world.calm = False
            if rng.random() < 0.5 and len(gateways) > 1:
                gateways.remove(gateway)
                self._at(at_us, lambda: world.start(gateway))
            else:
                world.cut.add((gateway, late))
                self._at(at_us, lambda: world.mend_link(gateway, late))
        rng.shuffle(gateways)
        for number, name in enumerate(gateways):
            if rng.random() < 0.3:
                world.faults["clock wrong"] += 1
                world.skew_us[name] = rng.randint(-SKEW_US, SKEW_US)
            self._at(number * 50 * MS, partial(world.start, name))

    def _move(self) -> None:
        """Move the nodes on the air, while somebody tells a stream of events."""
        rng, (from_us, to_us) = self._rng, MOVING_US
        self.world.calm = False
        moving = Moving(self.world, rng)
        self._at(from_us, lambda: moving.begin(to_us))
        self.script.faults.append((from_us, to_us + RECOVERY_US))
        self._stream(from_us - SECOND, rng.randint(400, 700) * MS)

    def _stream(self, from_us: int, every_us: int, across: Attachment = ("", "")) -> None:
        """Have somebody ask for all that is told elsewhere, across what breaks if that is said."""
        rng, topology = self._rng, self._topology
        gateway, reader = across
        wired = [name for name in topology.services if name not in topology.air]
        reader = reader or rng.choice(wired)
        homes = [name for name in wired if name != reader]
        home = rng.choice([each for each in homes if gateway not in topology.at(each)] or wired)
        if home != reader:
            asked = Asked(reader, "reader", at_least(0))
            self._command(SECOND // 2, SUB, asked, (home,))
            self._command(WITHDRAWN_US, UNSUB, asked, ("*",))
        persistent = home in topology.persistent
        for number in range(16):
            at_us = from_us + number * every_us
            self._event(at_us, home, "stream", rng.choice((0, 0, 5)), persistent=persistent)

    def _publish(self) -> None:
        rng = self._rng
        for origin in range(rng.randint(1, 3)):
            service, persistent = rng.choice(self._topology.services), rng.random() < 0.5
            persistent = persistent and service in self._topology.persistent
            priorities = [0, 0, 5, -1] if rng.random() < 0.5 else [0]
            timeout_us = rng.choice((300 * MS, 2 * SECOND)) if rng.random() < 0.3 else 0
            for burst in range(rng.randint(2, 6)):
                at_us = rng.randint(*(LATE_US if burst == 0 else EVENTS_US))
                apart_us = rng.choice((3 * MS, 3 * MS, 0))
                for _ in range(rng.randint(1, 4) if apart_us else rng.randint(4, 9)):
                    at_us += apart_us
                    self._event(
                        at_us,
                        service,
                        f"o{origin}",
                        rng.choice(priorities),
                        persistent=persistent,
                        timeout_us=timeout_us,
                    )

    def _event(
        self,
        at_us: int,
        service: str,
        origin: str,
        priority: int,
        *,
        persistent: bool,
        timeout_us: int = 0,
    ) -> None:
        said = random_reading(self._rng, priority)
        self._at(
            at_us,
            lambda: self._emit(service, origin, said, persistent=persistent, timeout_us=timeout_us),
        )

    def _emit(
        self,
        service: str,
        origin: str,
        said: Reading,
        *,
        persistent: bool,
        timeout_us: int = 0,
        starts_us: int = 0,
    ) -> None:
        world = self.world
        identity = world.emit(
            service,
            origin,
            said,
            persistent=persistent,
            timeout_us=timeout_us,
            starts_us=starts_us,
        )
        at_us = world.now_us - world.start_us
        expires_us = timeout_us and at_us + timeout_us
        event = Emission(at_us, service, said, identity, persistent, expires_us, starts_us)
        self.script.events.append(event)


__all__ = ["SUB", "UNSUB", "WITHDRAWN_US", "Play"]
