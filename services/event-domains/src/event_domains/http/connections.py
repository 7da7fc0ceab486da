"""REST: the connections of a domain."""

from enum import Enum

from eventservices.cns import ClientType
from eventservices.cns.domains import (
    Connection,
    EventLogDomainFactory,
    NotificationStyle,
    TypedConnection,
)
from fastapi import FastAPI

from event_domains.http.problems import problems
from event_domains.http.schemas import (
    MOST_LISTED,
    After,
    ConnectionIn,
    ConnectionOut,
    Identifier,
    Made,
    Most,
)
from event_domains.http.views import connection_out, page

_PATH = "/v1/domains/{domain_id}/connections"
_TAGS: list[str | Enum] = ["connections"]


def add_connections(app: FastAPI, factory: EventLogDomainFactory) -> None:
    """Add the paths of connections."""

    @app.get(_PATH, responses=problems(404, 422), tags=_TAGS)
    async def get_all_connections(
        domain_id: Identifier, after: After = -1, most: Most = MOST_LISTED
    ) -> list[ConnectionOut]:
        """List connections, by identifier; the next begin after the last of these."""
        domain = factory.get_event_domain(domain_id)
        listed = page(domain.get_all_connections(), after, most)
        return [connection_out(domain, each) for each in listed]

    @app.post(_PATH, status_code=201, responses=problems(404, 409, 422, 429, 503), tags=_TAGS)
    async def add_connection(domain_id: Identifier, given: ConnectionIn) -> Made:
        """Connect two channels; when this is answered, events pass."""
        ends = (given.supplier_id, given.consumer_id)
        style = NotificationStyle[given.notification_style.name]
        if given.key is not None:
            typed = factory.get_typed_event_domain(domain_id)
            made = await typed.add_typed_connection(TypedConnection(*ends, given.key, style))
            return Made(id=made)
        connection = Connection(*ends, ClientType[given.ctype.value], style)
        return Made(id=await factory.get_event_domain(domain_id).add_connection(connection))

    @app.get(f"{_PATH}/{{connection_id}}", responses=problems(404, 422), tags=_TAGS)
    async def get_connection(domain_id: Identifier, connection_id: Identifier) -> ConnectionOut:
        """Show a connection, and what became of its events."""
        return connection_out(factory.get_event_domain(domain_id), connection_id)

    @app.delete(
        f"{_PATH}/{{connection_id}}", status_code=204, responses=problems(404, 422, 503), tags=_TAGS
    )
    async def remove_connection(domain_id: Identifier, connection_id: Identifier) -> None:
        """Remove a connection; when this is answered, no event passes it any more."""
        await factory.get_event_domain(domain_id).remove_connection(connection_id)
