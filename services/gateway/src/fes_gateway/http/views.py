"""The state of a gateway in the schemas of the REST interface."""

from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Final, TypeVar

from eventservices.slices import shared_slice
from fes.control import RequestType
from fes.gateway.requests.desired import Applied
from fes.gateway.requests.row import Row
from fes.model import binary
from fes.model.text import to_plain
from pydantic import BaseModel

from fes_gateway.host import GatewayHost
from fes_gateway.http.schemas import (
    AdapterOut,
    AnnouncementOut,
    AppliedOut,
    ReplicaOut,
    SubscriptionOut,
)

T = TypeVar("T")

TOGETHER: Final = 20
"""Rows in one part of a list."""


async def subscriptions(host: GatewayHost) -> AsyncIterator[bytes]:
    """Yield the active subscriptions, oldest first, as a JSON array in parts."""
    rows = _registry(host, RequestType.SUBSCRIPTION)
    async for part in listed(rows, partial(_subscription, host)):
        yield part


async def announcements(host: GatewayHost) -> AsyncIterator[bytes]:
    """Yield the active announcements, oldest first, as a JSON array in parts."""
    rows = _registry(host, RequestType.ANNOUNCEMENT)
    async for part in listed(rows, partial(_announcement, host)):
        yield part


def adapters(host: GatewayHost) -> list[AdapterOut]:
    """Return the gateway's adapters, in the file's order."""
    return [
        AdapterOut(
            id=state.id,
            service=state.service,
            linked=state.linked,
            ready=state.ready,
            reason=state.reason,
            proved_us=state.proved_us,
            counters=state.counters,
        )
        for state in host.adapters.values()
    ]


def replicas(host: GatewayHost) -> list[ReplicaOut]:
    """Return the replicas that live, by name; none where the gateway is alone."""
    if host.replica is None or host.replica.membership.view is None:
        return []
    view = host.replica.membership.view
    return [
        ReplicaOut(name=name, leads=name == view.leader, this=name == host.replica.name)
        for name in view.members
    ]


async def listed(rows: Sequence[T], shown: Callable[[T], BaseModel]) -> AsyncIterator[bytes]:
    """Yield a JSON array in parts, with turns of the loop in between: tables may be large."""
    own = shared_slice()
    before = b"["
    for start in range(0, len(rows), TOGETHER):
        await own.turn()
        part = [shown(row).model_dump_json() for row in rows[start : start + TOGETHER]]
        own.end()
        yield before + ",".join(part).encode()
        before = b","
    yield b"]" if rows else b"[]"


def _subscription(host: GatewayHost, row: Row) -> SubscriptionOut:
    return SubscriptionOut(
        source=row.source,
        requester=row.requester,
        dist_list=row.pattern,
        filter=row.filter,
        request=str(row.request.identity),
        version=row.version,
        expires_us=row.expires_us,
        applied=_applied(host, row),
    )


def _announcement(host: GatewayHost, row: Row) -> AnnouncementOut:
    return AnnouncementOut(
        source=row.source,
        requester=row.requester,
        dist_list=row.pattern,
        event=to_plain(binary.decode(row.body)),
        request=str(row.request.identity),
        version=row.version,
        expires_us=row.expires_us,
        applied=_applied(host, row),
    )


def _registry(host: GatewayHost, kind: RequestType) -> list[Row]:
    rows = [row for row in host.core.table.rows() if row.kind is kind and not row.withdrawn]
    return sorted(rows, key=lambda row: row.version)


def _applied(host: GatewayHost, row: Row) -> list[AppliedOut]:
    request = str(row.request.identity)
    found = (
        (service, host.core.find(service, row.kind, row.what)) for service in host.settings.adapters
    )
    return [
        AppliedOut(service=service, state=_state(host, row, applied), widened=list(applied.widened))
        for service, applied in found
        if applied is not None and request in applied.requests
    ]


def _state(host: GatewayHost, row: Row, applied: Applied) -> str:
    """Return the state of a request: it is applied once every replica that lives has it."""
    if applied.state == "applied" and not host.is_everywhere(row.name):
        return "ordered"
    return applied.state
