"""REST: the channels of a domain."""

from enum import Enum

from eventservices.cns.domains import ChannelPlace, EventDomainFactory
from fastapi import FastAPI

from event_domains.http.problems import problems
from event_domains.http.schemas import ChannelIn, ChannelOut, Made
from event_domains.http.views import channel_out

_PATH = "/v1/domains/{domain_id}/channels"
_TAGS: list[str | Enum] = ["channels"]


def add_channels(app: FastAPI, factory: EventDomainFactory) -> None:
    """Add the paths of channels."""

    @app.get(_PATH, responses=problems(404), tags=_TAGS)
    async def get_all_channels(domain_id: int) -> list[ChannelOut]:
        """List the channels."""
        domain = factory.get_event_domain(domain_id)
        return [channel_out(domain, member_id) for member_id in domain.get_all_channels()]

    @app.post(_PATH, status_code=201, responses=problems(404, 422, 429, 503), tags=_TAGS)
    async def add_channel(domain_id: int, given: ChannelIn) -> Made:
        """Add a channel as it is; its clients need not know."""
        place = ChannelPlace(given.broker, given.channel)
        return Made(id=await factory.get_event_domain(domain_id).add_channel(place))

    @app.get(f"{_PATH}/{{member_id}}", responses=problems(404), tags=_TAGS)
    async def get_channel(domain_id: int, member_id: int) -> ChannelOut:
        """Show a channel."""
        return channel_out(factory.get_event_domain(domain_id), member_id)

    @app.delete(f"{_PATH}/{{member_id}}", status_code=204, responses=problems(404, 503), tags=_TAGS)
    async def remove_channel(domain_id: int, member_id: int) -> None:
        """Remove a channel and its connections; the channel goes on without the domain."""
        await factory.get_event_domain(domain_id).remove_channel(member_id)

    @app.get(f"{_PATH}/{{member_id}}/offer-channels", responses=problems(404), tags=_TAGS)
    async def get_offer_channels(domain_id: int, member_id: int) -> list[int]:
        """List the channels whose events reach this one."""
        return list(factory.get_event_domain(domain_id).get_offer_channels(member_id))

    @app.get(f"{_PATH}/{{member_id}}/subscription-channels", responses=problems(404), tags=_TAGS)
    async def get_subscription_channels(domain_id: int, member_id: int) -> list[int]:
        """List the channels that this one's events reach."""
        return list(factory.get_event_domain(domain_id).get_subscription_channels(member_id))
