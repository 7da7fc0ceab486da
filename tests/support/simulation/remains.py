"""What is left in a world at its end."""

from support.simulation.world import SECOND, World


def left(world: World) -> list[str]:
    """Return what is left of requests and events that should be."""
    found = []
    for (gateway, service), access in world.access.items():
        if access.filters:
            found.append(f"left: {gateway} at {service} still has {list(access.filters)}")
        if access.announced:
            found.append(f"left: {gateway} at {service} still announces {access.announced}")
    for place, durable in world.durable.items():
        if durable.kept:
            found.append(f"left: {len(durable.kept)} events are kept for {place}")
    if world.now_us - world.last_control_us < 10 * SECOND:
        found.append("not silent: something else than hellos was said at the end")
    return [*found, *_left_in_gateways(world)]


def _left_in_gateways(world: World) -> list[str]:
    found = []
    for name, core in world.cores.items():
        if len(core.table):
            found.append(f"left: {name} still has {list(core.table.rows())}")
        if len(core.delivery.custody):
            found.append(f"left: {name} still holds {list(core.delivery.custody)}")
        if core.delivery.custody.marks:
            found.append(f"left: {name} still has {core.delivery.custody.marks} marks")
        kept = [
            key
            for key in world.journals.state(name)
            if not key.startswith(("contact", "res", "roster", "late", "scopes"))
        ]
        if kept:
            found.append(f"left: the journal of {name} still has {kept}")
    return found
