"""REST: the channels of a domain."""

from enum import Enum
from typing import Annotated

from eventservices.cns.domains import (
    ChannelPlace,
    ClientTypeError,
    EventLogDomainFactory,
    LogAttributes,
    LogFullAction,
)
from fastapi import FastAPI, Query

from event_domains.http.problems import problems
from event_domains.http.schemas import (
    MOST_LISTED,
    After,
    ChannelIn,
    ChannelOut,
    Identifier,
    LogIn,
    LogOut,
    Made,
    Most,
)
from event_domains.http.views import channel_out, page

_PATH = "/v1/domains/{domain_id}/channels"
_TAGS: list[str | Enum] = ["channels"]


def add_channels(app: FastAPI, factory: EventLogDomainFactory) -> None:
    """Add the paths of channels."""

    @app.get(_PATH, responses=problems(404, 422), tags=_TAGS)
    async def get_all_channels(
        domain_id: Identifier, after: After = -1, most: Most = MOST_LISTED
    ) -> list[ChannelOut]:
        """List channels, by identifier; the next begin after the last of these."""
        domain = factory.get_event_domain(domain_id)
        listed = page(domain.get_all_channels(), after, most)
        return [channel_out(domain, member_id) for member_id in listed]

    @app.post(_PATH, status_code=201, responses=problems(404, 422, 429, 503), tags=_TAGS)
    async def add_channel(domain_id: Identifier, given: ChannelIn) -> Made:
        """Add a channel as it is; its clients need not know."""
        return Made(id=await _add(factory, domain_id, given))

    @app.get(f"{_PATH}/{{member_id}}", responses=problems(404, 422), tags=_TAGS)
    async def get_channel(domain_id: Identifier, member_id: Identifier) -> ChannelOut:
        """Show a channel."""
        return channel_out(factory.get_event_domain(domain_id), member_id)

    @app.delete(
        f"{_PATH}/{{member_id}}", status_code=204, responses=problems(404, 422, 503), tags=_TAGS
    )
    async def remove_channel(domain_id: Identifier, member_id: Identifier) -> None:
        """Remove a channel and its connections; the channel goes on without the domain."""
        await factory.get_event_domain(domain_id).remove_channel(member_id)

    @app.get(f"{_PATH}/{{member_id}}/log", responses=problems(404, 422), tags=_TAGS)
    async def get_log(domain_id: Identifier, member_id: Identifier) -> LogOut:
        """Show the log of a channel."""
        log = factory.get_event_log_domain(domain_id).get_log(member_id)
        status = log.availability_status
        return LogOut(
            current_size=log.current_size,
            n_records=log.n_records,
            enabled=log.enabled,
            off_duty=status.off_duty,
            log_full=status.log_full,
            forwarding=log.forwarding,
            not_logged=log.not_logged,
        )

    @app.get(f"{_PATH}/{{member_id}}/log/count", responses=problems(404, 422), tags=_TAGS)
    async def match(
        domain_id: Identifier,
        member_id: Identifier,
        constraint: Annotated[str, Query(max_length=10_000)] = "",
    ) -> int:
        """Count the records that match a constraint in ETCL."""
        return await factory.get_event_log_domain(domain_id).get_log(member_id).match(constraint)

    @app.get(f"{_PATH}/{{member_id}}/offer-channels", responses=problems(404, 422), tags=_TAGS)
    async def get_offer_channels(domain_id: Identifier, member_id: Identifier) -> list[int]:
        """List the channels whose events reach this one."""
        return list(factory.get_event_domain(domain_id).get_offer_channels(member_id))

    @app.get(
        f"{_PATH}/{{member_id}}/subscription-channels", responses=problems(404, 422), tags=_TAGS
    )
    async def get_subscription_channels(domain_id: Identifier, member_id: Identifier) -> list[int]:
        """List the channels that this one's events reach."""
        return list(factory.get_event_domain(domain_id).get_subscription_channels(member_id))


async def _add(factory: EventLogDomainFactory, domain_id: Identifier, given: ChannelIn) -> int:
    """Add a channel of any sort; a domain that has no such sort is not found as such."""
    if not (given.broker or given.gateway):
        raise ClientTypeError("body.broker: is missing, and so is body.gateway")
    place = ChannelPlace(given.broker, given.channel, given.service, given.gateway)
    if given.log is not None:
        logs, settings = factory.get_event_log_domain(domain_id), _settings(given.log)
        if given.interfaces is None:
            return await logs.add_log(place, settings)
        return await logs.add_typed_log(place, given.interfaces, settings)
    if given.interfaces is not None:
        typed = factory.get_typed_event_domain(domain_id)
        return await typed.add_typed_channel(place, given.interfaces)
    return await factory.get_event_domain(domain_id).add_channel(place)


def _settings(given: LogIn) -> LogAttributes:
    return LogAttributes(
        full_action=LogFullAction(given.full_action),
        max_size=given.max_size,
        max_record_life_s=given.max_record_life_s,
        thresholds=tuple(sorted(set(given.thresholds))),
        forwarding=given.forwarding,
        constraint=given.constraint,
    )
