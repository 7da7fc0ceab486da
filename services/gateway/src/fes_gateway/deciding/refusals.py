"""Requests in the file that an event service of this gateway refused."""

from collections.abc import Iterator

from fes.gateway import GatewayCore
from fes.gateway.requests.desired import Applied

STATIC = "static"
"""Requester of the requests in the file, before `/` and the gateway where they enter."""

SHOWN = 200
"""Most characters of a filter or subject."""

_FINE = frozenset({"ordered", "applied"})


def refused_requests(core: GatewayCore) -> dict[str, str]:
    """Return the reasons of requests in the file that failed, by adapter and request.

    Args:
        core: The gateway's core.
    """
    found = dict(_refused(core))
    if not found:
        return {}
    static = {
        str(row.request.identity)
        for row in core.table.rows()
        if row.requester.startswith(f"{STATIC}/") and not row.withdrawn
    }
    return {
        part: applied.state
        for part, applied in found.items()
        if not static.isdisjoint(applied.requests)
    }


def _refused(core: GatewayCore) -> Iterator[tuple[str, Applied]]:
    for service, adapter in core.settings.adapters.items():
        for applied in core.applied(service):
            if applied.state not in _FINE:
                what = (applied.filter or applied.what)[:SHOWN]
                yield f"{adapter.id}: {applied.kind.name.lower()} {what!r}", applied
