"""Rings of gateways between plain event services, whose native clients suppress nothing."""

from collections import Counter

import pytest
from fes.gateway.forwarding.next_hop import NextHops
from fes.gateway.inputs import Input, LinkUp
from support.drawing.topologies import Topology
from support.simulation.access import Access, Native
from support.simulation.scripted import SUB, Ask, Break, Say, played
from support.simulation.services import Passed
from support.simulation.world import World

RINGS = {
    "triangle": "A-m A-n B-n B-k C-k C-m",
    "triangle, another order": "C-k B-n A-n A-m C-m B-k",
    "ring of four": "A-m A-n B-n B-k C-k C-j D-j D-m",
    "triangle with one at all": "A-m A-n A-k B-n B-k C-k C-m",
    "two at all": "A-m A-n A-k B-m B-n B-k",
}
SEEDS = range(3)
MOMENTS = (4, 7, 9, 13, 20, 25)
FAULTS = {
    "none": (),
    "A is killed": (Break(6, 15, "A"),),
    "B is killed": (Break(6, 15, "B"),),
    "A is killed and started at once": (Break(6.9, 7.1, "A"),),
    "A is separated from m": (Break(6, 15, "A", "m"),),
}


class OneStamps(World):
    """A world where the last gateway at each event service stamps, and others leave that to it."""

    def handle(
        self, gateway: str, message: Input, service: str = "", passed: Passed | None = None
    ) -> None:
        if isinstance(message, LinkUp):
            stamps = gateway != self.topology.at(service)[-1]
            message = LinkUp(message.persistent, message.suppresses, stamps=stamps)
        super().handle(gateway, message, service, passed)

    def _hear(self, access: Access, native: Native, token: int) -> bool:
        unstamped = not native.chain
        if unstamped and access.gateway != self.topology.at(access.service)[-1]:
            return False
        return super()._hear(access, native, token)


def ring(name: str, *, persistent: bool = False) -> Topology:
    """Return a ring where no native client suppresses anything."""
    pairs = tuple((each[0], each[2:]) for each in RINGS.get(name, name).split())
    services = frozenset(service for _, service in pairs)
    return Topology("written", pairs, (), services if persistent else frozenset(), services)


def play(
    where: Topology,
    faults: tuple[Break, ...] = (),
    seed: int = 1,
    kind: type[World] = World,
) -> tuple[World, list[str]]:
    """Have every service ask all others for everything; return the world and what it broke."""
    services, keeps = where.services, bool(where.persistent)
    asks = [
        Ask(1, SUB, own, ",".join(each for each in services if each != own), requester=own)
        for own in services
    ]
    says = [Say(at, own, (5,), keeps, own) for own in services for at in MOMENTS]
    world, _, broken = played(where, asks, says, faults, seed, kind=kind)
    return world, broken


def copies(world: World, service: str) -> Counter[str]:
    """Return how many events of each origin native clients of an event service got."""
    return Counter(delivery.identity.origin for delivery in world.deliveries[service])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", RINGS)
def test_in_a_ring_of_plain_services_each_event_comes_once(name: str, seed: int) -> None:
    """Rule F10."""
    where = ring(name)
    world, broken = play(where, seed=seed)

    assert broken == []
    for service in where.services:
        assert copies(world, service) == dict.fromkeys(where.services, len(MOMENTS))


@pytest.mark.parametrize("kind", [World, OneStamps])
@pytest.mark.parametrize("name", RINGS)
@pytest.mark.parametrize("fault", FAULTS)
def test_no_copy_comes_of_a_fault_in_a_ring(fault: str, name: str, kind: type[World]) -> None:
    _, broken = play(ring(name), FAULTS[fault], kind=kind)

    assert broken == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", [*RINGS, "B-n B-k A-m A-n"])
def test_what_one_gateway_alone_stamps_goes_on_to_all(name: str, seed: int) -> None:
    """Rule F11."""
    where = ring(name)
    world, broken = play(where, seed=seed, kind=OneStamps)

    assert broken == []
    for service in where.services:
        assert copies(world, service) == dict.fromkeys(where.services, len(MOMENTS))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", RINGS)
def test_what_is_stored_comes_once_in_a_ring_too(name: str, seed: int) -> None:
    """Rule F12."""
    where = ring(name, persistent=True)
    for kind in (World, OneStamps):
        world, broken = play(where, seed=seed, kind=kind)

        assert broken == []
        for service in where.services:
            assert copies(world, service) == dict.fromkeys(where.services, len(MOMENTS))


@pytest.mark.parametrize(
    ("name", "wrong", "persistent", "kind"),
    [
        ("standby", lambda *_: None, False, World),
        ("_is_alone", lambda *_: False, False, OneStamps),
        ("is_left", lambda *_: False, True, World),
    ],
)
def test_without_one_of_these_rules_a_ring_is_not_sound(
    name: str,
    wrong: object,
    kind: type[World],
    monkeypatch: pytest.MonkeyPatch,
    *,
    persistent: bool,
) -> None:
    monkeypatch.setattr(NextHops, name, wrong)
    _, broken = play(ring("triangle", persistent=persistent), kind=kind)

    assert any(each.startswith(("doubled", "lost")) for each in broken)
