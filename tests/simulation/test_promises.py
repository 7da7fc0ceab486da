"""The promises of the gateway protocol, over random federations.

`FES_SEEDS` sets how many federations; `FES_FIRST_SEED=N FES_SEEDS=1` replays the one that a failure
names.
"""

import os
import random

import pytest
from fes.control import RequestType
from support.oracle import Command, Emission, violations
from support.topologies import KINDS, random_topology
from support.world import SECOND, World

SEEDS = int(os.environ.get("FES_SEEDS", "60"))
FIRST = int(os.environ.get("FES_FIRST_SEED", "0"))
END_US = 5 * SECOND


def play(world: World, seed: int) -> tuple[list[Command], list[Emission]]:
    """Make requests, publish, and withdraw everything in the end."""
    rng = random.Random(f"script {seed}")
    commands = _commands(rng, world)
    events: list[Emission] = []
    for command in commands:
        world.at(command.at_us - world.now_us, lambda command=command: _ask(world, rng, command))
    for origin in range(rng.randint(1, 3)):
        service = rng.choice(world.topology.services)
        for _ in range(rng.randint(1, 6)):
            start_us = rng.randint(SECOND, 4 * SECOND)
            for burst in range(rng.randint(1, 4)):
                number = rng.randint(0, 9)
                world.at(
                    start_us + burst * 3_000,
                    lambda service=service, origin=origin, number=number: events.append(
                        Emission(
                            world.now_us,
                            service,
                            number,
                            world.emit(service, f"o{origin}", number),
                        )
                    ),
                )
    world.run(END_US + 2 * SECOND)
    return commands, events


def settle(world: World) -> None:
    """Let leases and withdrawals run out."""
    for _ in range(45):
        world.run(world.now_us + 2 * SECOND)
        world.tick()
    world.run(world.now_us + SECOND)


def _commands(rng: random.Random, world: World) -> list[Command]:
    services = world.topology.services
    commands: list[Command] = []
    for client in range(rng.randint(1, 5)):
        source = rng.choice(services)
        others = [service for service in services if service != source]
        patterns = tuple(rng.choice([*others, "*", services[0][0] + "?"]) for _ in range(2))
        least = rng.choice([0, 3, 6])
        at_us = world.now_us + rng.randint(0, 2 * SECOND)
        key = (source, f"c{client}", least)
        commands.append(Command(at_us, RequestType.SUBSCRIPTION, *key, patterns))
        if rng.random() < 0.5:
            part = patterns if rng.random() < 0.6 else (rng.choice(services),)
            at_us += rng.randint(SECOND // 100, SECOND)
            commands.append(Command(at_us, RequestType.UNSUBSCRIPTION, *key, part))
            if rng.random() < 0.4:
                at_us += rng.randint(SECOND // 100, SECOND)
                commands.append(Command(at_us, RequestType.SUBSCRIPTION, *key, patterns))
        commands.append(Command(END_US + SECOND, RequestType.UNSUBSCRIPTION, *key, ("*",)))
    return commands


def _ask(world: World, rng: random.Random, command: Command) -> None:
    """Make a request; it may be long on its way to where it enters, and overtaken by newer ones."""
    request = world.request(
        command.kind, command.source, ",".join(command.patterns), command.least, command.requester
    )
    delay_us = rng.choice([0, 0, SECOND // 25, SECOND // 4])
    if rng.random() < 0.6:
        world.at(delay_us, lambda: world.say(command.source, request))
    else:
        gateway = rng.choice(world.topology.gateways)
        world.at(delay_us, lambda: world.inject(gateway, request))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + SEEDS))
def test_a_calm_federation_keeps_its_promises(seed: int) -> None:
    world = World(random_topology(random.Random(seed), KINDS[seed % len(KINDS)]), seed)

    commands, events = play(world, seed)
    settle(world)

    assert events, "a script without events shows nothing"
    assert violations(world, commands, events) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_silent_federation_falls_silent(kind: str) -> None:
    world = World(random_topology(random.Random(1), kind), 1)
    source, other = world.topology.services[0], world.topology.services[-1]
    request = world.request(RequestType.SUBSCRIPTION, source, "*", 0)
    world.inject(world.topology.gateways[-1], request)
    world.say(other, world.request(RequestType.SUBSCRIPTION, other, "*", 3, "other"))

    steps = world.run(world.now_us + 60 * SECOND)

    assert 0 < world.control_sent < 200
    assert world.last_control_us < 3 * SECOND
    assert steps < 20_000


@pytest.mark.parametrize("kind", KINDS)
def test_a_gateway_started_again_decides_as_before(kind: str) -> None:
    world = World(random_topology(random.Random(2), kind), 2)
    source = world.topology.services[-1]
    world.inject(
        world.topology.gateways[0], world.request(RequestType.SUBSCRIPTION, source, "*", 3)
    )
    world.run(world.now_us + SECOND)
    before = {key: sorted(f.text for f in a.filters.values()) for key, a in world.access.items()}

    for gateway in world.topology.gateways:
        world.kill(gateway)
        world.start(gateway)
    world.run(world.now_us + SECOND)

    after = {key: sorted(f.text for f in a.filters.values()) for key, a in world.access.items()}
    assert after == before
    assert any(before.values())


def test_equal_seeds_give_equal_runs() -> None:
    def digest() -> list[object]:
        world = World(random_topology(random.Random(7), "cycle"), 7)
        play(world, 7)
        return [(key, value) for key, value in sorted(world.decisions.items())] + [
            [(d.identity, d.at_us) for d in world.deliveries[s]] for s in world.topology.services
        ]

    assert digest() == digest()
