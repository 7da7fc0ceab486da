"""REST: domains and their quality of service."""

from enum import Enum

from eventservices.cns.domains import EventLogDomainFactory
from fastapi import FastAPI

from event_domains.http.problems import problems
from event_domains.http.schemas import (
    DefaultsIn,
    DomainIn,
    DomainOut,
    Identifier,
    Made,
    Properties,
    RangeOut,
)
from event_domains.http.views import domain_out

_TAGS: list[str | Enum] = ["domains"]


def add_domains(app: FastAPI, factory: EventLogDomainFactory) -> None:
    """Add the paths of domains."""

    @app.get("/v1/domains", tags=_TAGS)
    async def get_all_domains() -> list[DomainOut]:
        """List the domains."""
        every = factory.get_all_domains()
        return [domain_out(factory.get_event_domain(each)) for each in every]

    @app.post("/v1/domains", status_code=201, responses=problems(422, 429, 503), tags=_TAGS)
    async def create_event_domain(given: DomainIn) -> Made:
        """Create a domain."""
        create = {
            "event": factory.create_event_domain,
            "typed": factory.create_typed_event_domain,
            "log": factory.create_event_log_domain,
        }[given.kind]
        _, domain_id = await create(given.qos, given.admin)
        return Made(id=domain_id)

    @app.get("/v1/domains/{domain_id}", responses=problems(404, 422), tags=_TAGS)
    async def get_event_domain(domain_id: Identifier) -> DomainOut:
        """Show a domain."""
        return domain_out(factory.get_event_domain(domain_id))

    @app.delete(
        "/v1/domains/{domain_id}", status_code=204, responses=problems(404, 422, 503), tags=_TAGS
    )
    async def destroy(domain_id: Identifier) -> None:
        """Close all connections and forget the domain; its channels go on."""
        await factory.get_event_domain(domain_id).destroy()

    _add_properties(app, factory)


def _add_properties(app: FastAPI, factory: EventLogDomainFactory) -> None:
    @app.patch("/v1/domains/{domain_id}/qos", responses=problems(404, 422, 503), tags=_TAGS)
    async def set_qos(domain_id: Identifier, given: Properties) -> dict[str, int]:
        """Change properties, all or none, and return both."""
        domain = factory.get_event_domain(domain_id)
        await domain.set_qos(given)
        return domain.get_qos()

    @app.post("/v1/domains/{domain_id}/qos/validation", responses=problems(404, 422), tags=_TAGS)
    async def validate_qos(domain_id: Identifier, given: Properties) -> dict[str, RangeOut]:
        """Return the values that both properties may have, and change nothing."""
        ranges = factory.get_event_domain(domain_id).validate_qos(given)
        return {name: RangeOut.model_validate(each._asdict()) for name, each in ranges.items()}

    @app.patch("/v1/domains/{domain_id}/defaults", responses=problems(404, 422), tags=_TAGS)
    async def set_defaults(domain_id: Identifier, given: DefaultsIn) -> DomainOut:
        """Make channels the default ones for suppliers, or for consumers."""
        domain = factory.get_event_domain(domain_id)
        for member_id in (given.supplier_channel, given.consumer_channel):
            if member_id is not None:
                domain.state.member(member_id)
        if given.supplier_channel is not None:
            await domain.set_default_supplier_channel(given.supplier_channel)
        if given.consumer_channel is not None:
            await domain.set_default_consumer_channel(given.consumer_channel)
        return domain_out(domain)
