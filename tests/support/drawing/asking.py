"""What clients of a world ask for, drawn from a seed: wildcards, withdrawals, leases."""

from typing import NamedTuple

from fes.control import ControlEvent, RequestType
from fes.distribution import covers_pattern, parse_list
from fes.gateway import GatewayCore
from support.drawing.breaking import Breaking
from support.drawing.wishes import Wish, random_wish
from support.simulation.happened import Command
from support.simulation.world import MS, SECOND

REQUESTS_US = 13 * SECOND // 2
WITHDRAWN_US = 32 * SECOND
RENEWALS_END_US = 30 * SECOND
"""When the last lease is renewed: nobody's runs out while all are compared."""

SUB, UNSUB = RequestType.SUBSCRIPTION, RequestType.UNSUBSCRIPTION


class Asked(NamedTuple):
    """What a client asks for: with the patterns it makes the request."""

    source: str
    requester: str
    wish: Wish


class Asking(Breaking):
    """Has clients make requests, beside what breaks."""

    def _ask(self) -> None:
        rng, services = self._rng, self._topology.services
        every: list[Asked] = []
        for client in range(rng.randint(1, 5)):
            source = rng.choice(services)
            others = [service for service in services if service != source]
            one, other = (rng.choice([*others, "*", services[0][0] + "?"]) for _ in range(2))
            patterns = tuple(dict.fromkeys((one, other)))
            asked = Asked(source, f"c{client}", random_wish(rng))
            every.append(asked)
            at_us = SECOND // 2 + rng.randint(0, REQUESTS_US)
            if rng.random() < 0.3:
                self._lease(at_us, asked, patterns)
            else:
                self._stand(at_us, asked, patterns)
        for asked in every:
            self._command(WITHDRAWN_US, UNSUB, asked, ("*",))

    def _stand(self, at_us: int, asked: Asked, patterns: tuple[str, ...]) -> None:
        """Ask; perhaps withdraw some or all of it, and perhaps ask again at once."""
        rng = self._rng
        self._command(at_us, SUB, asked, patterns)
        if rng.random() < 0.5:
            part = patterns if rng.random() < 0.6 else (rng.choice(self._topology.services),)
            at_us += rng.choice([2 * MS, 10 * MS, 300 * MS, 4 * SECOND])
            self._command(at_us, UNSUB, asked, part)
            if rng.random() < 0.4:
                at_us += rng.choice([2 * MS, 200 * MS])
                self._command(at_us, SUB, asked, patterns)

    def _lease(self, at_us: int, asked: Asked, patterns: tuple[str, ...]) -> None:
        """Ask for a time, and renew it, though not every renewal comes through; then die."""
        rng = self._rng
        lease_us = rng.randint(6, 9) * SECOND
        to_us = rng.choice([at_us + 1, at_us + 5 * SECOND, 12 * SECOND, RENEWALS_END_US])
        careless = rng.random() < 0.5
        while at_us < to_us:
            if careless and rng.random() < 0.3 and at_us < 20 * SECOND:
                self._at(at_us, lambda: self.world.faults.update({"renewal lost": 1}))
            else:
                self._command(at_us, SUB, asked, patterns, at_us + lease_us)
            at_us += lease_us // 3

    def _command(
        self,
        at_us: int,
        kind: RequestType,
        asked: Asked,
        patterns: tuple[str, ...],
        expires_us: int = 0,
    ) -> None:
        command = Command(at_us, kind, *asked, patterns, expires_us)
        self.script.commands.append(command)
        self._at(at_us, lambda: self._make(command))

    def _make(self, command: Command) -> None:
        """Make a request; it may be long on its way to where it enters, overtaken by newer ones."""
        world = self.world
        request = self._request(command)
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
            if world.observes and heard and opaque:
                observing = next(
                    name
                    for name in self._topology.at(command.source)
                    if world.works(name, command.source)
                )
                world.observe(observing, request)
            elif opaque and heard and command.source not in world.traits.closed:
                world.say(command.source, request)
            elif world.cores:
                world.inject(gateway if gateway in world.cores else min(world.cores), request)

        world.at(delay_us, enter)

    def _request(self, command: Command) -> ControlEvent:
        ends_us = command.expires_us and self.world.start_us + command.expires_us
        patterns = ",".join(command.patterns)
        return self.world.request(
            command.kind, command.source, patterns, command.wish, command.requester, ends_us
        )


def _knows(core: GatewayCore, request: ControlEvent) -> bool:
    """Tell whether a gateway took a request, or a newer one that says something of all of it."""
    rows = [
        row
        for row in core.table.rows()
        if row.version >= request.version and row.requester == request.requester
    ]
    patterns = parse_list(request.dist_list)
    return all(any(covers_pattern(row.pattern, pattern) for row in rows) for pattern in patterns)


__all__ = ["SUB", "UNSUB", "WITHDRAWN_US", "Asked", "Asking"]
