"""A world whose script is written down, not drawn."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from fes.control import RequestType
from support.drawing.breaking import RECOVERY_US
from support.drawing.script import SUB, UNSUB, WITHDRAWN_US, Play
from support.drawing.topologies import Topology
from support.drawing.traits import Traits
from support.drawing.wishes import Reading, at_least
from support.simulation.happened import Command, Script
from support.simulation.oracle import violations
from support.simulation.world import ALL_PLENTY, SECOND, World

OPAQUE = ""


class Ask(NamedTuple):
    """A request: when, what, from and for which event services, where it enters, until when."""

    at_s: float
    kind: RequestType
    source: str
    dist_list: str
    way: str = OPAQUE
    least: int = 0
    requester: str = "client"
    expires_s: float = 0


class Say(NamedTuple):
    """Some events of one origin, 3 ms apart."""

    at_s: float
    home: str
    numbers: tuple[int, ...] = (5,)
    persistent: bool = False
    origin: str = "o"


class Break(NamedTuple):
    """A gateway, or its link to an event service, is gone for some time."""

    from_s: float
    to_s: float
    gateway: str
    service: str = ""


class Scripted(Play):
    """Has a written script happen in a world.

    Args:
        world: Nothing started.
        asks: Requests; all are withdrawn in the end.
        says: Events.
        breaks: Faults; where there is a way round, events count again once it is taken.
    """

    def __init__(
        self, world: World, asks: Sequence[Ask], says: Sequence[Say], breaks: Sequence[Break] = ()
    ) -> None:
        self._asks, self._says, self._breaks = asks, says, breaks
        super().__init__(world, 0, faulty=bool(breaks))

    def _start(self) -> None:
        for gateway in self._topology.gateways:
            self.world.start(gateway)

    def _ask(self) -> None:
        last = [
            Ask(WITHDRAWN_US / SECOND, UNSUB, a.source, "*", a.way, a.least, a.requester)
            for a in self._asks
            if a.kind is SUB
        ]
        for ask in [*self._asks, *last]:
            patterns = tuple(ask.dist_list.split(","))
            at_us = round(ask.at_s * SECOND)
            wish = at_least(ask.least)
            ends_us = round(ask.expires_s * SECOND)
            command = Command(at_us, ask.kind, ask.source, ask.requester, wish, patterns, ends_us)
            self.script.commands.append(command)
            self._at(at_us, partial(self._enter, command, ask.way))

    def _enter(self, command: Command, way: str) -> None:
        world, request = self.world, self._request(command)
        if way == OPAQUE:
            world.say(command.source, request)
        else:
            world.inject(way, request)

    def _publish(self) -> None:
        for say in self._says:
            for number, value in enumerate(say.numbers):
                at_us = round(say.at_s * SECOND) + 3_000 * number
                self._event_of(at_us, say, value)

    def _burst(self, from_us: int, services: tuple[str, ...]) -> None:
        """Publish nothing that is not written."""

    def _event_of(self, at_us: int, say: Say, number: int) -> None:
        said = Reading(number)
        self._at(at_us, lambda: self._emit(say.home, say.origin, said, persistent=say.persistent))

    def _move(self) -> None:
        self._break()

    def _stream(self, *_: object) -> None:
        """Publish nothing that is not written."""

    def _break_for_long(self, *_: str) -> None:
        self._break()

    def _break(self) -> None:
        self.world.calm = False
        for gone in self._breaks:
            from_us, to_us = round(gone.from_s * SECOND), round(gone.to_s * SECOND)
            breaks = self._break_link if gone.service else self._end_gateway
            breaks(from_us, to_us, (gone.gateway, gone.service))
            if to_us - from_us > RECOVERY_US:
                self.script.faults.append((from_us, from_us + RECOVERY_US))
                self.script.faults.append((to_us, to_us + RECOVERY_US))
            else:
                self.script.faults.append((from_us, to_us + RECOVERY_US))
            self.script.spans.append((from_us, to_us + RECOVERY_US))

    def _end_gateway(self, from_us: int, to_us: int, what: tuple[str, str]) -> None:
        self._at(from_us, lambda: self.world.kill(what[0]))
        self._at(to_us, lambda: self.world.start(what[0]))


__all__ = ["SUB", "UNSUB", "Ask", "Break", "Say", "Scripted", "played", "topology"]


def topology(
    attachments: str,
    *,
    air: tuple[str, ...] = (),
    best_effort: tuple[str, ...] = (),
    repeating: tuple[str, ...] = (),
) -> Topology:
    """Return a topology written as `A-s0 A-s1 B-s1`; what is not said to be else is persistent."""
    pairs = tuple((gateway, service) for gateway, service in map(_pair, attachments.split()))
    bare = Topology("written", pairs)
    persistent = frozenset(bare.services) - {*air, *best_effort, *repeating}
    return Topology("written", pairs, air, persistent, frozenset(repeating))


def played(
    where: Topology,
    asks: Sequence[Ask],
    says: Sequence[Say],
    breaks: Sequence[Break] = (),
    seed: int = 1,
    traits: Traits = ALL_PLENTY,
    kind: type[World] = World,
) -> tuple[World, Script, list[str]]:
    """Play a script; return the world, the script as it happened, and the broken promises."""
    world = kind(where, seed, traits=traits)
    script = Scripted(world, asks, says, breaks).run()
    return world, script, violations(world, script)


def _pair(text: str) -> tuple[str, str]:
    gateway, _, service = text.partition("-")
    return gateway, service
