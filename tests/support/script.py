"""What happens in a world: requests, events, faults; drawn from a seed."""

import random
from collections.abc import Callable

from fes.control import ControlEvent, RequestType
from fes.gateway import GatewayCore
from support.breaking import RECOVERY_US, Breaking
from support.happened import Command, Emission, Script
from support.world import MS, SECOND, World

REQUESTS_US = 13 * SECOND // 2
EVENTS_US = (2 * SECOND, 9 * SECOND)
LATE_US = (29 * SECOND + SECOND // 2, 30 * SECOND)
WITHDRAWN_US = 32 * SECOND

SUB, UNSUB = RequestType.SUBSCRIPTION, RequestType.UNSUBSCRIPTION


class Play(Breaking):
    """Draws a script for a world and has it happen.

    Args:
        world: The world; its gateways are not started yet.
        seed: Decides the script.
        faulty: Whether anything breaks.
    """

    def __init__(self, world: World, seed: int, *, faulty: bool = True) -> None:
        super().__init__(world, random.Random(f"script {seed}"))
        self._start()
        self._ask()
        self._publish()
        if faulty and self._topology.spares and self._rng.random() < 0.3:
            self._break_for_long()
        elif faulty and self._rng.random() < 0.7:
            self._break()

    def run(self) -> Script:
        """Have everything happen; ends when all is withdrawn and what is remembered ran out."""
        world = self.world
        world.pass_time(world.start_us + WITHDRAWN_US - SECOND)
        self.check_agreement()
        world.pass_time(world.start_us + WITHDRAWN_US + 2 * SECOND)
        world.pass_time(world.start_us + WITHDRAWN_US + 28 * SECOND, 2 * SECOND)
        return self.script

    def check_agreement(self) -> None:
        """At rest, all gateways that can hear of one another know and apply the same."""
        world, topology = self.world, self._topology
        if topology.kind == "air" and world.apart:
            return
        tables = {
            name: sorted((row.name, row.rank) for row in core.table.rows())
            for name, core in world.cores.items()
        }
        if any(table != next(iter(tables.values())) for table in tables.values()):
            world.broken.append(f"tables differ: {tables}")
        live = {core.gossip.presence.roster.live() for core in world.cores.values()}
        if live and live != {topology.attachments}:
            world.broken.append(f"not all are thought to be there: {live}")
        for service in topology.services:
            applied = {
                tuple(sorted(each.what for each in world.cores[name].applied(service)))
                for name in topology.at(service)
                if name in world.cores
            }
            if len(applied) > 1:
                world.broken.append(f"applied at {service} differs: {applied}")

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
                world.skew_us[name] = rng.randint(-2, 2) * SECOND
            self._at(number * 50 * MS, lambda name=name: world.start(name))

    def _ask(self) -> None:
        rng, services = self._rng, self._topology.services
        keys: dict[tuple[str, str, int], tuple[str, ...]] = {}
        for client in range(rng.randint(1, 5)):
            source = rng.choice(services)
            others = [service for service in services if service != source]
            one, other = (rng.choice([*others, "*", services[0][0] + "?"]) for _ in range(2))
            patterns = tuple(dict.fromkeys((one, other)))
            key = (source, f"c{client}", rng.choice([0, 3, 6]))
            keys[key] = patterns
            at_us = SECOND // 2 + rng.randint(0, REQUESTS_US)
            self._command(at_us, SUB, key, patterns)
            if rng.random() < 0.5:
                part = patterns if rng.random() < 0.6 else (rng.choice(services),)
                at_us += rng.choice([2 * MS, 10 * MS, 300 * MS, 4 * SECOND])
                self._command(at_us, UNSUB, key, part)
                if rng.random() < 0.4:
                    at_us += rng.choice([2 * MS, 200 * MS])
                    self._command(at_us, SUB, key, patterns)
        for key in keys:
            self._command(WITHDRAWN_US, UNSUB, key, ("*",))

    def _command(
        self, at_us: int, kind: RequestType, key: tuple[str, str, int], patterns: tuple[str, ...]
    ) -> None:
        command = Command(at_us, kind, *key, patterns)
        self.script.commands.append(command)
        self._at(at_us, lambda: self._make(command))

    def _make(self, command: Command) -> None:
        """Make a request; it may be long on its way to where it enters, overtaken by newer ones."""
        world = self.world
        patterns = ",".join(command.patterns)
        request = world.request(
            command.kind, command.source, patterns, command.least, command.requester
        )
        delay_us = self._rng.choice([0, 0, 40 * MS])
        opaque = self._rng.random() < 0.6
        gateway = self._rng.choice(self._topology.gateways)

        def insist() -> None:
            """Make the request again unless some gateway took it: one may have crashed first."""
            if not any(_knows(core, request) for core in world.cores.values()):
                enter()

        def enter() -> None:
            world.at(400 * MS, insist)
            heard = any(
                world.works(name, command.source) for name in self._topology.at(command.source)
            )
            if opaque and heard:
                world.say(command.source, request)
            elif world.cores:
                world.inject(gateway if gateway in world.cores else min(world.cores), request)

        world.at(delay_us, enter)

    def _publish(self) -> None:
        rng = self._rng
        for origin in range(rng.randint(1, 3)):
            service, persistent = rng.choice(self._topology.services), rng.random() < 0.5
            persistent = persistent and service in self._topology.persistent
            priorities = [0, 0, 5] if rng.random() < 0.3 else [0]
            for burst in range(rng.randint(2, 6)):
                at_us = rng.randint(*(LATE_US if burst == 0 else EVENTS_US))
                for _ in range(rng.randint(1, 4)):
                    at_us += 3 * MS
                    self._event(
                        at_us, service, f"o{origin}", rng.choice(priorities), persistent=persistent
                    )

    def _event(
        self, at_us: int, service: str, origin: str, priority: int, *, persistent: bool
    ) -> None:
        number = self._rng.randint(0, 9)
        self._at(
            at_us,
            lambda: self._emit(service, origin, number, priority, persistent=persistent),
        )

    def _emit(
        self, service: str, origin: str, number: int, priority: int = 0, *, persistent: bool
    ) -> None:
        world = self.world
        identity = world.emit(service, origin, number, persistent=persistent, priority=priority)
        at_us = world.now_us - world.start_us
        self.script.events.append(Emission(at_us, service, number, identity, persistent))


def _knows(core: GatewayCore, request: ControlEvent) -> bool:
    return any(
        row.version >= request.version and row.requester == request.requester
        for row in core.table.rows()
    )
