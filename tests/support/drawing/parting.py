"""A change of scopes: an event service leaves the scope that all are in, and joins it again."""

import random
from collections.abc import Callable

from fes.federation.scopes.change import Change
from fes.federation.scopes.model import Member
from fes.gateway.inputs import ChangeScopes
from support.simulation.happened import Parting
from support.simulation.world import ALL, SECOND, World

LEAVES_US = (3 * SECOND, 12 * SECOND)
LASTS_US = (1 * SECOND, 6 * SECOND)
AGAIN_US = SECOND // 4
NAMED = 0.4
"""How many event services are in the scope by a client that their broker vouches for."""

REAPPLIED_US = 2 * SECOND
"""How long requests may last to be applied again once a change is known."""


class PartingPlay:
    """Has one event service part from all others for a while.

    Args:
        world: The world; its gateways are not started yet.
        rng: Decides.
        at: Has something happen after some microseconds.
    """

    def __init__(
        self, world: World, rng: random.Random, at: Callable[[int, Callable[[], None]], None]
    ) -> None:
        world.scoped = True
        self._world = world
        self._at = at
        wired = [each for each in world.topology.services if each not in world.topology.air]
        self.parting = Parting(rng.choice(wired))
        self._orderer = world.topology.gateways[0]
        self._done = 0
        self._lasts_us = rng.randint(*LASTS_US)
        at(rng.randint(*LEAVES_US), self._leave)
        for service in world.topology.services:
            if rng.random() < NAMED:
                world.members[service] = f"{service}.client"
        self._member = world.members.get(self.parting.service, self.parting.service)

    def _leave(self) -> None:
        parting = self.parting
        if self._changed(Change(0, ALL, self._member)):
            self._world.faults["event service left a scope"] += 1
            parting.at_us = self._now_us
            self._at(self._lasts_us, self._join)
            self._look()
        elif self._now_us < LEAVES_US[1]:
            self._at(AGAIN_US, self._leave)

    def _join(self) -> None:
        if self._changed(Change(0, ALL, self._member, edge=Member())):
            self.parting.back_us = self._now_us
        else:
            self._at(AGAIN_US, self._join)

    def _changed(self, change: Change) -> bool:
        """Order a change; return whether the gateway that orders lives, and committed it."""
        world = self._world
        if self._orderer not in world.cores or self._orderer in world.crashes:
            return False
        world.handle(self._orderer, ChangeScopes(change))
        self._done += 1
        return True

    def _look(self) -> None:
        """Note since when all gateways know of what was changed."""
        world, parting = self._world, self.parting
        for name, core in world.cores.items():
            parting.generations[name] = core.scopes.generation
        known = min(parting.generations.get(each, 0) for each in world.topology.gateways)
        if known >= 1:
            parting.gone_us = min(parting.gone_us, self._now_us)
        if known >= 2:
            parting.settled_us = self._now_us + REAPPLIED_US
            return
        self._at(AGAIN_US, self._look)

    @property
    def _now_us(self) -> int:
        return self._world.now_us - self._world.start_us
