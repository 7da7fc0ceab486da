"""Domains as the REST interface shows them."""

from eventservices.cns.domains import Connection, EventDomain, TypedConnection
from eventservices.cns.domains.picture import Drawn, picture
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


def svg_of(domain: EventDomain) -> str:
    """Return a picture of a domain."""
    state, handles = domain.state, domain.running.handles
    texts = {
        (each.supplier_id, each.consumer_id): _connection_text(number, each)
        for number, each in state.connections.items()
    }
    drawn = Drawn(
        title=f"Event domain {domain.id}",
        channels={number: member.place.channel for number, member in state.members.items()},
        connections=texts,
        away=frozenset(number for number, handle in handles.items() if not handle.connected),
    )
    return picture(state.graph, drawn)
