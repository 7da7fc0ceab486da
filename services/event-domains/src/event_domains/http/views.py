"""Domains as the REST interface shows them."""

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from heapq import nsmallest

from eventservices.cns.domains import Connection, EventDomain, TypedConnection
from eventservices.cns.domains.picture import MOST_DRAWN, Drawn, picture
from eventservices.cns.domains.records import AnyConnection
from eventservices.credentials import without_credentials

from event_domains.http.schemas import ChannelOut, ConnectionOut, DomainOut, Form, Style


def domain_out(domain: EventDomain) -> DomainOut:
    """Return a domain without its channels and connections."""
    state = domain.state
    return DomainOut(
        id=domain.id,
        kind=state.record.kind.value,
        qos=domain.get_qos(),
        default_supplier_channel=domain.default_supplier_channel,
        default_consumer_channel=domain.default_consumer_channel,
        channels=len(state.members),
        connections=len(state.connections),
    )


def channel_out(domain: EventDomain, member_id: int) -> ChannelOut:
    """Return a member; errors as of `DomainState.member`."""
    member = domain.state.member(member_id)
    handle = domain.running.handles.get(member_id)
    return ChannelOut(
        id=member_id,
        broker=without_credentials(member.place.broker)[0],
        channel=member.place.channel,
        service=member.place.service,
        kind=member.kind.name,
        connected=handle is None or handle.connected,
        reason="" if handle is None else handle.reason,
    )


def connection_out(domain: EventDomain, connection_id: int) -> ConnectionOut:
    """Return a connection, typed or not; errors as of `DomainState.connection`."""
    record = domain.state.connection(connection_id)
    mover = domain.running.movers.get(connection_id)
    return ConnectionOut(
        id=connection_id,
        supplier_id=record.supplier_id,
        consumer_id=record.consumer_id,
        ctype=Form(record.ctype.name) if isinstance(record, Connection) else None,
        key=record.key if isinstance(record, TypedConnection) else None,
        notification_style=Style(record.notification_style.name.title()),
        runs=mover is None or mover.runs,
        counters={} if mover is None else mover.counts,
    )


def page(identifiers: Sequence[int], after: int, most: int) -> Sequence[int]:
    """Return some of ascending identifiers.

    Args:
        identifiers: All of them.
        after: The last that is not to be among them.
        most: Most identifiers.
    """
    begin = bisect_right(identifiers, after)
    return identifiers[begin : begin + most]


def faults_of(domain: EventDomain) -> dict[str, str]:
    """Return the channels that are away, and why."""
    return {
        f"domain {domain.id} channel {member_id}": handle.reason or "its broker is away"
        for member_id, handle in sorted(domain.running.handles.items())
        if not handle.connected
    }


def _connection_text(number: int, record: AnyConnection) -> str:
    """Return what a picture has at a connection: its form, or its interface, and its style."""
    if isinstance(record, TypedConnection):
        what = record.key
    else:
        what = record.ctype.name.removesuffix("_EVENT").lower()
    return f"{number}: {what} {record.notification_style.name.lower()}"


async def svg_of(domain: EventDomain) -> str:
    """Return a picture of a domain; it is drawn beside the event loop."""
    state, handles = domain.state, domain.running.handles
    part = state.graph.restricted(nsmallest(MOST_DRAWN, state.members))
    texts = {
        (each.supplier_id, each.consumer_id): _connection_text(number, each)
        for number, each in state.connections.items()
        if each.supplier_id in part and each.consumer_id in part
    }
    drawn = Drawn(
        title=f"Event domain {domain.id}",
        channels={number: state.members[number].place.channel for number in part},
        connections=texts,
        away=frozenset(each for each in part if each in handles and not handles[each].connected),
        total=len(state.members),
    )
    return await asyncio.to_thread(picture, part, drawn)
