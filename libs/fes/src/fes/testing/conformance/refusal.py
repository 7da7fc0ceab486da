"""The behaviour of every adapter whose gateway refuses it, or whose connection is displaced."""

from fes.adapter.runtime import AdapterRuntime
from fes.link.messages import Announce, Subscribe
from fes.model import binary
from fes.testing.conformance.bench import AdapterBench, captured
from fes.testing.conformance.events import SPEED, TIME_US, publication, speed
from fes.testing.eventually import eventually


def counter(runtime: AdapterRuntime, name: str) -> int:
    """Return one of an adapter's counters."""
    return runtime.counted().counters[name]


class AdapterRefusal:
    """A part of the suite: two adapters of one identifier."""

    async def test_one_that_its_gateway_refuses_releases_its_event_service(
        self, bench: AdapterBench
    ) -> None:
        """Two of one name would deprive each other of connections and events."""
        adapter = await bench.adapter("a")
        async with captured(adapter) as gateway:
            runtime = gateway.runtime
            await gateway.order(Subscribe(1, "subject = 'Speed'", 1))
            await gateway.order(Announce(2, binary.encode(speed(0.0))))
            runtime.detach()
            runtime.refused("adapter 'a' is linked already")

            await eventually(lambda: not adapter.connected, what="released")
            await eventually(lambda: counter(runtime, "native_releases") == 1)
            assert (runtime.ready, runtime.reason) == (False, "adapter 'a' is linked already")
            await bench.publish_natively(speed(40.0), TIME_US)
            assert not runtime.outbound.subscriptions

    async def test_one_that_is_granted_its_link_later_hears_and_publishes(
        self, bench: AdapterBench
    ) -> None:
        """No subscription is assumed active that ended with the connection."""
        natively = await bench.listen_natively(SPEED)
        async with captured(await bench.adapter("a")) as gateway:
            runtime = gateway.runtime
            await gateway.order(Subscribe(1, "subject = 'Speed'", 1))
            runtime.detach()
            runtime.refused("adapter 'a' is linked already")
            await eventually(lambda: counter(runtime, "native_releases") == 1)

            runtime.attach(gateway)
            runtime.granted()
            await eventually(lambda: runtime.ready, 15.0, "ready again")
            await eventually(lambda: runtime.outbound.subscriptions, what="subscribed again")
            stamp = await bench.publish_natively(speed(40.0), TIME_US)
            await eventually(lambda: gateway.heard)
            assert [heard.stamp.identity for heard in gateway.heard] == [stamp.identity]
            await gateway.order(Announce(2, binary.encode(speed(0.0))))
            await gateway.order(publication(speed(50.0), 1))
            await eventually(lambda: natively)

    async def test_a_connection_that_another_takes_is_counted_and_made_again(
        self, bench: AdapterBench
    ) -> None:
        """A takeover is never silent; `take_over` skips where connections have no names."""
        adapter = await bench.adapter("a")
        async with captured(adapter) as gateway:
            await bench.take_over(adapter)
            await eventually(
                lambda: counter(gateway.runtime, "native_takeovers") >= 1, 15.0, "told"
            )
            await eventually(lambda: gateway.runtime.ready, 30.0, "ready again")
