"""A member may be another event service: such a connection is a subscription at its gateway."""

import json

import httpx
import pytest
from event_domains.gateways import GatewayClient
from eventservices.cns.domains import (
    ChannelPlace,
    ClientTypeError,
    Connection,
    CycleCreationForbiddenError,
    DomainOptions,
    EventDomain,
    EventDomainFactory,
)
from eventservices.errors import NotConnectedError
from fes_gateway.http.schemas import RequestIn

GATEWAY = "http://gateway:8080"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Gateway:
    """Answers as a gateway does, and keeps what it was asked for."""

    def __init__(self) -> None:
        self.requests: list[RequestIn] = []
        self.status = 202

    def __call__(self, request: httpx.Request) -> httpx.Response:
        assert str(request.url) == f"{GATEWAY}/v1/requests"
        self.requests.append(RequestIn.model_validate(json.loads(request.content)))
        return httpx.Response(self.status, json={"detail": "no"})


async def domain_at(gateway: Gateway) -> EventDomain:
    http = httpx.AsyncClient(transport=httpx.MockTransport(gateway))
    options = DomainOptions(subscribing=GatewayClient(http))
    factory = EventDomainFactory(options=options)
    domain, _ = await factory.create_event_domain({"CycleDetection": 1})
    for name in ("cns-1", "jms-1", "siena-1"):
        await domain.add_channel(ChannelPlace("", name, name, GATEWAY))
    await domain.add_channel(ChannelPlace("", "unknown", "", GATEWAY))
    return domain


async def test_a_connection_is_a_subscription_and_its_end_the_unsubscription() -> None:
    gateway = Gateway()
    domain = await domain_at(gateway)
    assert await domain.add_connection(Connection(0, 1)) == 0
    await domain.add_connection(Connection(1, 2))
    await domain.remove_connection(0)
    await domain.destroy()
    asked = [(each.type, each.source, each.dist_list) for each in gateway.requests]
    assert asked == [
        ("subscription", "jms-1", "cns-1"),
        ("subscription", "siena-1", "jms-1"),
        ("unsubscription", "jms-1", "cns-1"),
        ("unsubscription", "siena-1", "jms-1"),
    ]
    assert len({each.requester for each in gateway.requests}) == 2


async def test_a_cycle_over_other_services_is_found_with_its_members() -> None:
    domain = await domain_at(Gateway())
    await domain.add_connection(Connection(0, 1))
    with pytest.raises(CycleCreationForbiddenError) as raised:
        await domain.add_connection(Connection(1, 0))
    assert raised.value.cyc == (0, 1)


async def test_what_a_gateway_refuses_is_not_connected() -> None:
    gateway = Gateway()
    domain = await domain_at(gateway)
    gateway.status = 422
    with pytest.raises(NotConnectedError, match="refuses"):
        await domain.add_connection(Connection(0, 1))
    with pytest.raises(ClientTypeError):
        await domain.add_connection(Connection(0, 3))
    assert domain.get_all_connections() == ()
    with pytest.raises(ClientTypeError):
        domain.get_channel(0)
