"""Connections of a domain that gateways make, over a gateway that is away."""

from types import SimpleNamespace
from typing import Any

import pytest
from eventservices.cns.domains.moving import gateways
from eventservices.cns.domains.moving.gateways import GatewayConnections, Subscription
from eventservices.cns.domains.moving.handles import Brokers
from eventservices.cns.domains.records import ChannelPlace, Connection
from eventservices.errors import EventServiceError, NotConnectedError
from eventservices.natslink import LinkOptions
from fes.testing.eventually import eventually


class Gateway:
    """Answers, or is away."""

    def __init__(self) -> None:
        self.is_away = False
        self.active: set[str] = set()

    async def subscribe(self, subscription: Subscription) -> None:
        self.active.add(subscription.requester)

    async def unsubscribe(self, subscription: Subscription) -> None:
        if self.is_away:
            raise NotConnectedError("away")
        self.active.discard(subscription.requester)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_subscription_is_ended_once_its_gateway_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gateways, "RETRY_S", (0.001, 0.01, 30.0))
    gateway = Gateway()
    place = ChannelPlace("", "jms", "jms", "http://127.0.0.1:1")
    state: Any = SimpleNamespace(member=lambda _: SimpleNamespace(place=place))
    made = GatewayConnections("domain", state, gateway)
    for number in range(3):
        await made.connect(number, Connection(0, 1))
    gateway.is_away = True
    await made.disconnect(0)
    await made.disconnect(1)
    assert len(gateway.active) == 3
    gateway.is_away = False
    await eventually(lambda: gateway.active == {"domain-2"})
    await made.close()


async def test_of_too_many_subscriptions_to_end_the_oldest_is_left_and_counted(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(gateways, "MOST_ENDING", 2)
    gateway = Gateway()
    place = ChannelPlace("", "jms", "jms", "http://127.0.0.1:1")
    state: Any = SimpleNamespace(member=lambda _: SimpleNamespace(place=place))
    made = GatewayConnections("domain", state, gateway)
    gateway.is_away = True
    for number in range(3):
        await made.connect(number, Connection(0, 1))
        await made.disconnect(number)
    assert made.left == 1
    (line,) = [each for each in caplog.records if each.message == "subscription_left"]
    assert line.__dict__["requester"] == "domain-0"
    await made.close()


async def test_an_address_that_leads_nowhere_leaves_nothing() -> None:
    brokers = Brokers(LinkOptions(open_timeout_s=0.5))
    for number in range(3):
        with pytest.raises(EventServiceError):
            await brokers.open(ChannelPlace(f"no address {number}", "channel"))
    assert not brokers._opening
