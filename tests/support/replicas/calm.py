"""Whether all is well in a town."""

from fes.gateway.replication import is_request
from fes_gateway.replicas.membership import View
from support.replicas.parts import Connected, Member
from support.replicas.town import Town
from support.simulation.timeline import SECOND

AFTERMATH_US = 2 * SECOND
"""How long what went wrong may have consequences that nobody sees."""


def is_calm(town: Town) -> bool:
    """Tell whether all work and know the same of one another."""
    view = town.shared.view
    if any(adapter.process.stalled for adapter in town.adapters.values()):
        return False
    if town.disturbed and town.now_us - town.disturbed[-1] < AFTERMATH_US:
        return False
    if view is None or town.slow or len(town.adapters) < len(town.services):
        return False
    if any(service.fails or service.slow for service in town.services.values()):
        return False
    if view.members != tuple(sorted(town.members)) or len(town.addresses) > len(town.members):
        return False
    follow = all(_follows(name, each, view) for name, each in town.members.items())
    return follow and all(_sees(adapter, view) for adapter in town.adapters.values())


def agrees(town: Town) -> bool:
    """Tell whether all replicas have the rows of the request table that the journal has."""
    rows = sorted(filter(is_request, town.table()))
    return all(
        sorted(row.name for row in member.host.core.table.rows()) == rows
        for member in town.members.values()
    )


def _follows(name: str, member: Member, view: View) -> bool:
    replica, error = member.host.replica, member.host.committing.error
    if replica is None or member.process.stalled or error:
        return False
    return replica.membership.view == view and (name == view.leader) == member.reigns


def _sees(adapter: Connected, view: View) -> bool:
    board = adapter.runtime.multiplexer
    newest = board._views.newest
    return (
        newest is not None
        and newest.number == view.number
        and tuple(sorted(adapter.links)) == view.members
        and board.counters["replica_links"] == len(view.members)
        and all(link.up for link in adapter.links.values())
        and adapter.runtime.acknowledgements.settled
    )
