"""Random topologies: chains, trees, cycles, diamonds, shared event services, air."""

import random
from dataclasses import dataclass, field

KINDS = ("chain", "tree", "cycle", "diamond", "shared", "air")

CROWDED = 0.001
"""Share of federations with a crowd."""

BEHIND = 6
"""Event services behind the one where a crowd is."""

Attachment = tuple[str, str]


@dataclass(frozen=True)
class Topology:
    """Who is attached where, and what each event service can do.

    Attributes:
        kind: How it was drawn.
        attachments: (gateway, event service), in the file's order.
        air: Event services that are access points of the one medium.
        persistent: Event services that keep events.
        repeating: Event services whose native clients do not suppress a repeated identity.
    """

    kind: str
    attachments: tuple[Attachment, ...]
    air: tuple[str, ...] = ()
    persistent: frozenset[str] = frozenset()
    repeating: frozenset[str] = frozenset()
    _services: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Derive what follows from the fields."""
        services = tuple(dict.fromkeys(service for _, service in self.attachments))
        object.__setattr__(self, "_services", services)

    @property
    def services(self) -> tuple[str, ...]:
        return self._services

    @property
    def gateways(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(gateway for gateway, _ in self.attachments))

    @property
    def keeps_all(self) -> bool:
        """Whether every event service keeps events but those on the air, where gateways answer."""
        return self.persistent == frozenset(self.services) - frozenset(self.air)

    @property
    def has_one_way(self) -> bool:
        """Whether there is one way only between any two event services."""
        return self.kind in ("chain", "tree")

    @property
    def spares(self) -> tuple[Attachment, ...]:
        """What may break while there is a way between all others: (gateway, service or "")."""
        if self.air:
            return ()
        whole = tuple((gateway, "") for gateway in self.gateways)
        return tuple(
            (gateway, service)
            for gateway, service in (*whole, *self.attachments)
            if self._is_joined_without(gateway, service)
        )

    def _is_joined_without(self, gateway: str, service: str) -> bool:
        left = [
            each for each in self.attachments if each[0] != gateway or service not in ("", each[1])
        ]
        reached, before = {self.services[0]}, -1
        while len(reached) != before:
            before = len(reached)
            near = {name for name, attached in left if attached in reached}
            reached.update(attached for name, attached in left if name in near)
        return reached == set(self.services)

    def at(self, service: str) -> tuple[str, ...]:
        return tuple(gateway for gateway, attached in self.attachments if attached == service)

    def of(self, gateway: str) -> tuple[str, ...]:
        return tuple(service for name, service in self.attachments if name == gateway)


def random_topology(rng: random.Random, kind: str | None = None) -> Topology:
    """Return a topology of 2 to 8 event services."""
    kind = kind or rng.choice(KINDS)
    attachments = tuple(_BUILDERS[kind](rng))
    bare = Topology(kind, attachments)
    air = tuple(name for name in bare.services if kind == "air" and name.startswith("a"))
    wired = [name for name in bare.services if name not in air]
    every = rng.random() < 0.7
    persistent = {name for name in wired if every or rng.random() < 0.4}
    repeating = {name for name in wired if len(bare.at(name)) == 1 and rng.random() < 0.3}
    return Topology(kind, attachments, air, frozenset(persistent - repeating), frozenset(repeating))


def random_crowd(rng: random.Random) -> Topology | None:
    """Return a topology of dozens of gateways on one event service; mostly None."""
    if rng.random() >= CROWDED:
        return None
    attachments = tuple(
        (f"g{number}", service)
        for number in range(rng.randint(12, 40))
        for service in ("s0", f"s{1 + number % BEHIND}")
    )
    every = rng.random() < 0.5
    services = Topology("crowd", attachments).services
    persistent = frozenset(services if every else services[1:3])
    return Topology("crowd", attachments, persistent=persistent)


def _chain(rng: random.Random) -> list[Attachment]:
    length = rng.randint(1, 4)
    return [(f"g{i}", f"s{i + step}") for i in range(length) for step in (0, 1)]


def _cycle(rng: random.Random) -> list[Attachment]:
    length = rng.randint(2, 4)
    return [(f"g{i}", f"s{(i + step) % length}") for i in range(length) for step in (0, 1)]


def _tree(rng: random.Random) -> list[Attachment]:
    found: list[Attachment] = []
    services = 1
    for i in range(rng.randint(2, 4)):
        found.append((f"g{i}", f"s{rng.randrange(services)}"))
        for _ in range(rng.randint(1, 2)):
            found.append((f"g{i}", f"s{services}"))
            services += 1
    return found


def _diamond(rng: random.Random) -> list[Attachment]:
    found = [("g0", "s0"), ("g0", "s1"), ("g1", "s0"), ("g1", "s1"), ("g2", "s1"), ("g2", "s2")]
    if rng.random() < 0.5:
        found += [("g3", "s2"), ("g3", "s3"), ("g1", "s3")]
    return found


def _shared(rng: random.Random) -> list[Attachment]:
    found: list[Attachment] = []
    for i in range(rng.randint(2, 4)):
        found += [(f"g{i}", "s0"), (f"g{i}", f"s{i + 1}")]
    return [*found, ("g0", "s2")] if rng.random() < 0.5 else found


def _on_air(rng: random.Random) -> list[Attachment]:
    found: list[Attachment] = []
    for car in range(rng.randint(1, 2)):
        found += [(f"gv{car}", f"c{car}"), (f"gv{car}", f"av{car}")]
    for post in range(rng.randint(1, 2)):
        found += [(f"gm{post}", f"am{post}"), (f"gm{post}", "m0")]
    return found


_BUILDERS = {
    "chain": _chain,
    "tree": _tree,
    "cycle": _cycle,
    "diamond": _diamond,
    "shared": _shared,
    "air": _on_air,
}
