"""Random topologies: chains, trees, cycles, diamonds, shared event services, air."""

import random

from support.world import Topology

KINDS = ("chain", "tree", "cycle", "diamond", "shared", "air")


def random_topology(rng: random.Random, kind: str | None = None) -> Topology:
    """Return a topology of 2 to 7 event services."""
    kind = kind or rng.choice(KINDS)
    return Topology(kind, tuple(_BUILDERS[kind](rng)), _air(kind))


def _air(kind: str) -> tuple[str, ...]:
    return ("av0", "am0", "am1") if kind == "air" else ()


def _chain(rng: random.Random) -> list[tuple[str, str]]:
    length = rng.randint(1, 4)
    return [(f"g{i}", f"s{i + step}") for i in range(length) for step in (0, 1)]


def _cycle(rng: random.Random) -> list[tuple[str, str]]:
    length = rng.randint(2, 4)
    return [(f"g{i}", f"s{(i + step) % length}") for i in range(length) for step in (0, 1)]


def _tree(rng: random.Random) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    services = 1
    for i in range(rng.randint(2, 4)):
        found.append((f"g{i}", f"s{rng.randrange(services)}"))
        for _ in range(rng.randint(1, 2)):
            found.append((f"g{i}", f"s{services}"))
            services += 1
    return found


def _diamond(rng: random.Random) -> list[tuple[str, str]]:
    found = [("g0", "s0"), ("g0", "s1"), ("g1", "s0"), ("g1", "s1"), ("g2", "s1"), ("g2", "s2")]
    if rng.random() < 0.5:
        found += [("g3", "s2"), ("g3", "s3"), ("g1", "s3")]
    return found


def _shared(rng: random.Random) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for i in range(rng.randint(2, 4)):
        found += [(f"g{i}", "s0"), (f"g{i}", f"s{i + 1}")]
    return found


def _on_air(_rng: random.Random) -> list[tuple[str, str]]:
    return [
        ("gv0", "c0"),
        ("gv0", "av0"),
        ("gm0", "am0"),
        ("gm0", "m0"),
        ("gm1", "am1"),
        ("gm1", "m0"),
    ]


_BUILDERS = {
    "chain": _chain,
    "tree": _tree,
    "cycle": _cycle,
    "diamond": _diamond,
    "shared": _shared,
    "air": _on_air,
}
