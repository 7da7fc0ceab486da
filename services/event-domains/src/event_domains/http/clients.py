"""REST: clients join a domain, each with a lease that it renews."""

import time
from enum import Enum

from eventservices.cns.domains import ChannelNotFoundError, EventDomain, EventLogDomainFactory
from eventservices.cns.domains.leases import Client
from eventservices.credentials import without_credentials
from fastapi import FastAPI

from event_domains.http.problems import problems
from event_domains.http.schemas import ClientIn, ClientOut, Identifier, Role

_PATH = "/v1/domains/{domain_id}/clients"
_TAGS: list[str | Enum] = ["clients"]
_CONSUMERS = (Role.PUSH_CONSUMER, Role.PULL_CONSUMER)


def add_clients(app: FastAPI, factory: EventLogDomainFactory) -> None:
    """Add the paths of clients."""

    @app.get(_PATH, responses=problems(404, 422), tags=_TAGS)
    async def get_clients(domain_id: Identifier) -> list[ClientOut]:
        """List the clients whose lease runs."""
        domain = factory.get_event_domain(domain_id)
        return [_client_out(domain, each) for each in domain.leases.known(time.monotonic())]

    @app.post(_PATH, status_code=201, responses=problems(404, 422, 429), tags=_TAGS)
    async def connect(domain_id: Identifier, given: ClientIn) -> ClientOut:
        """Return the channel that a client is to use, and begin its lease."""
        domain = factory.get_event_domain(domain_id)
        member_id = _channel_of(domain, given)
        form = given.ctype.value.removesuffix("_EVENT").lower()
        role = f"{'' if form == 'any' else f'{form}_'}{given.role.value}"
        now_s = time.monotonic()
        client = domain.leases.add(given.name, role, member_id, given.lease_s, now_s)
        return _client_out(domain, client)

    @app.put(f"{_PATH}/{{client_id}}", responses=problems(404, 422), tags=_TAGS)
    async def renew(domain_id: Identifier, client_id: Identifier) -> ClientOut:
        """Begin a client's lease again."""
        domain = factory.get_event_domain(domain_id)
        return _client_out(domain, domain.leases.renew(client_id, time.monotonic()))

    @app.delete(f"{_PATH}/{{client_id}}", status_code=204, responses=problems(404, 422), tags=_TAGS)
    async def leave(domain_id: Identifier, client_id: Identifier) -> None:
        """Forget a client that left; idempotent."""
        factory.get_event_domain(domain_id).leases.remove(client_id)


def _channel_of(domain: EventDomain, given: ClientIn) -> int:
    consumes = given.role in _CONSUMERS
    default = domain.default_consumer_channel if consumes else domain.default_supplier_channel
    member_id = default if given.member_id is None else given.member_id
    if member_id is None:
        raise ChannelNotFoundError("the domain has no default channel")
    domain.state.member(member_id)
    return member_id


def _client_out(domain: EventDomain, client: Client) -> ClientOut:
    place = domain.state.member(client.member_id).place
    return ClientOut(
        id=client.client_id,
        name=client.name,
        role=client.role,
        member_id=client.member_id,
        broker=without_credentials(place.broker)[0],
        channel=place.channel,
        lease_s=client.lease_s,
    )
