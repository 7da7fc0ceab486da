"""What all gateways of a world come to in the end: they agree, and then fall silent."""

from support.simulation.world import SECOND, World

SILENT_US = 26 * SECOND
"""How long it takes until all that was remembered is forgotten, where nothing waits."""

PATIENCE_US = 60 * SECOND
"""How much longer it may take where custody was full: retries get rare."""


def disagreements(world: World) -> list[str]:
    """Return in what gateways differ that can hear of one another, at rest."""
    topology = world.topology
    if world.apart:
        return []
    found = []
    tables = {
        name: sorted((row.name, row.rank) for row in core.table.rows())
        for name, core in world.cores.items()
    }
    if any(table != next(iter(tables.values())) for table in tables.values()):
        found.append(f"tables differ: {tables}")
    scopes = {name: core.scopes.generation for name, core in world.cores.items()}
    if len(set(scopes.values())) > 1:
        found.append(f"changes of scopes differ: {scopes}")
    live = {core.gossip.presence.roster.live() for core in world.cores.values()}
    if live and live != {topology.attachments}:
        found.append(f"not all are thought to be there: {live}")
    for service in topology.services:
        applied = {
            tuple(sorted(each.what for each in world.cores[name].applied(service)))
            for name in topology.at(service)
            if name in world.cores
        }
        if len(applied) > 1:
            found.append(f"applied at {service} differs: {applied}")
    return found


def fall_silent(world: World) -> None:
    """Let the time go on until all ran out that is remembered, or it took too long."""
    world.pass_time(world.now_us + SILENT_US, 2 * SECOND)
    until_us = world.now_us + PATIENCE_US
    while world.now_us < until_us and _remembers(world) and not world.broken:
        world.pass_time(world.now_us + 4 * SECOND, 2 * SECOND)


def _remembers(world: World) -> bool:
    kept = any(durable.kept for durable in world.durable.values())
    return kept or any(
        len(core.delivery.custody) or core.delivery.custody.marks for core in world.cores.values()
    )
