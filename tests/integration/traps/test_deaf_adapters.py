"""Connections that look open and hear nothing: they are noticed, told, and built anew."""

import itertools

import pytest
from eventservices.servers import NatsServer
from fes.link.messages import Subscribe
from fes.testing.conformance.bench import Captured, captured
from fes.testing.eventually import eventually
from integration.traps.reached import KINDS, Reached, reached

pytestmark = pytest.mark.broker


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fes.adapter.runtime.PROBE_S", 0.2)


async def hears(service: Reached, gateway: Captured) -> None:
    """Wait until an event that is published from now on is heard."""
    numbers = itertools.count(len(gateway.heard) + 1)
    before = len(gateway.heard)

    async def heard() -> bool:
        await service.publish(next(numbers))
        return len(gateway.heard) > before

    await eventually(heard, 30.0, "an event is heard")


@pytest.mark.parametrize("kind", KINDS)
async def test_a_half_open_connection_is_told_and_made_anew(kind: str, server: NatsServer) -> None:
    async with (
        reached(kind, server) as (service, proxy),
        captured(service.adapter(proxy)) as gateway,
    ):
        await gateway.order(Subscribe(1, "subject = 'Speed'", 1))
        await hears(service, gateway)
        made = proxy.connections

        proxy.deafen()

        await eventually(lambda: not gateway.runtime.ready, what="it says that it is deaf")
        assert gateway.runtime.reason
        assert proxy.swallowed
        await eventually(lambda: gateway.runtime.ready, 20.0, "it is ready again")
        assert proxy.connections > made
        await hears(service, gateway)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_silent_partition_is_told_and_overcome_once_it_heals(
    kind: str, server: NatsServer
) -> None:
    async with (
        reached(kind, server) as (service, proxy),
        captured(service.adapter(proxy)) as gateway,
    ):
        await gateway.order(Subscribe(1, "subject = 'Speed'", 1))
        await hears(service, gateway)

        proxy.silent = True
        await eventually(lambda: not gateway.runtime.ready, what="it says that it is deaf")
        assert proxy.swallowed
        proxy.silent = False

        await eventually(lambda: gateway.runtime.ready, 20.0, "it is ready again")
        await hears(service, gateway)
