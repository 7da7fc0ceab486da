"""A made-up day of some buses, by a seed."""

from dataclasses import replace

from eventservices.bus.core import BusSettings
from support.buses.world import Network, World

NAMES = ("a.x", "a.y", "b")


def play(seed: int, *, events: int = 150, crashes: bool = True) -> World:
    """Return a world in which much was sent, in trouble, and everything has arrived since."""
    world = World(seed, 2 + seed % 4, Network(), _settings(seed))
    random = world.random
    world.network = Network(random.choice((0, 0.1, 0.3)), random.choice((0, 0.2)), 200_000)
    for _ in range(3):
        world.advertise(random.choice(list(world.rows)), random.choice(NAMES))
        _subscribe(world)
    world.run(2)
    for _ in range(events):
        _act(world, crashes=crashes)
    world.heal()
    # Whatever happened, what is subscribed now arrives.
    for bus, name in list(world.sources):
        for key in range(20):
            probed = world.notify(bus, name, key)
            assert probed
            world.run(0.05)
    world.probes = world.sent[-20 * len(world.sources) :]
    world.run(5)
    return world


def _settings(seed: int) -> BusSettings:
    settings = BusSettings(silent_us=60_000_000)
    return replace(settings, window=4, sink_items=5, in_flight=2) if seed % 3 == 0 else settings


def _subscribe(world: World) -> None:
    random = world.random
    accepted = frozenset(random.sample(range(20), random.choice((1, 2, 20))))
    durable = f"d{len(world.sinks)}" if random.random() < 0.4 else ""
    world.subscribe(random.choice(list(world.cores)), random.choice(NAMES), accepted, durable)


def _act(world: World, *, crashes: bool) -> None:
    random, dice = world.random, world.random.random()
    if dice < 0.8:
        sources = [each for each in world.sources if each[0] in world.cores]
        for bus, name in random.sample(sources, min(2, len(sources))):
            for _ in range(random.randint(1, 4)):
                world.notify(bus, name, random.randrange(20), persistent=random.random() < 0.5)
    elif dice < 0.86 and len(world.sinks) < 12 and world.cores:
        _subscribe(world)
    elif dice < 0.90 and world.cores:
        world.advertise(random.choice(list(world.cores)), random.choice(NAMES))
    elif dice < 0.93:
        _leave(world)
    elif crashes and dice < 0.97 and len(world.cores) > 1:
        bus = random.choice(list(world.cores))
        world.crash(bus)
        world.run(random.choice((0.1, 3)))
        world.restart(bus)
    world.run(random.choice((0.05, 0.05, 0.3)))


def _leave(world: World) -> None:
    present = [each for each in world.sinks if each.granted and not each.ended and not each.durable]
    if len(present) > 1:
        sink = world.random.choice(present)
        world.random.choice((world.unsubscribe, world.lose_client))(sink)
