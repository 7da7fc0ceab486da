"""Plays a seed's federation; as a program, shows what happened in it.

python -m support.play.replay SEED [IDENTITY ...]    (from the folder `tests`)

With identities, such as `o1/1/12`, it also shows what each gateway decided about these events.
"""

import random
import sys
from dataclasses import replace

from fes.gateway import GatewayCore
from fes.gateway.outputs import Decided, Output
from support.drawing.script import Play
from support.drawing.topologies import KINDS, random_crowd, random_topology
from support.drawing.traits import random_traits
from support.simulation.happened import Script
from support.simulation.journals import Journals
from support.simulation.oracle import violations
from support.simulation.world import World


def world_of(seed: int, journals: Journals | None = None) -> World:
    """Return the world of a seed, nothing started."""
    rng = random.Random(seed)
    topology = random_topology(rng, KINDS[seed % len(KINDS)])
    traits = random_traits(rng, topology)
    crowd = random_crowd(random.Random(f"crowd {seed}"))
    if crowd is not None:
        world = World(crowd, seed, journals, replace(traits, closed=frozenset()))
        world.storm_steps *= len(crowd.gateways)
        return world
    return World(topology, seed, journals, traits)


def play(seed: int, world: World | None = None) -> tuple[World, Script, list[str]]:
    """Play a federation to its end; return it, its script and its broken promises."""
    world = world or world_of(seed)
    script = Play(world, seed).run()
    return world, script, violations(world, script)


def main(seed: int, identities: tuple[str, ...] = ()) -> int:
    """Play a seed and show it; return how many promises were broken, at most 1."""
    world = world_of(seed)
    _show("topology", world.topology, world.traits)
    _listen(world, identities)
    world, script, broken = play(seed, world)
    for command in script.commands:
        _show(_seconds(command.at_us), command)
    for event in script.events:
        if not identities or str(event.identity) in identities:
            _show(_seconds(event.at_us), event)
    _show("faults", dict(world.faults), "between", script.faults)
    _show(f"{len(broken)} promises were broken", *broken, sep="\n")
    return min(1, len(broken))


def _listen(world: World, identities: tuple[str, ...]) -> None:
    """Have a world show what gateways decide about some events, and when they start and end."""
    send, start, kill = world.send, world.start, world.kill

    def now() -> str:
        return _seconds(world.now_us - world.start_us)

    def tell_and_send(core: GatewayCore, gateway: str, outputs: list[Output]) -> None:
        for each in outputs:
            if isinstance(each, Decided) and each.id in identities:
                _show(now(), gateway, each)
        send(core, gateway, outputs)

    def tell_and_start(gateway: str) -> None:
        _show(now(), gateway, "starts")
        start(gateway)

    def tell_and_kill(gateway: str) -> None:
        _show(now(), gateway, "is killed")
        kill(gateway)

    vars(world).update(send=tell_and_send, start=tell_and_start, kill=tell_and_kill)


def _seconds(time_us: int) -> str:
    return f"{time_us / 1e6:9.4f}"


def _show(*what: object, sep: str = " ") -> None:
    sys.stdout.write(sep.join(map(str, what)) + "\n")


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), tuple(sys.argv[2:])))
