"""A service whose clients deliver only what was advertised."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from adapter_siena.codec import SUBJECT
from eventservices.siena import Connection, Notification, Semantics, where
from eventservices.stamp import Stamp
from fes.link.messages import Announce, PublishControl
from fes.model import Event, binary
from fes.testing.conformance.adapter import publication
from fes.testing.conformance.bench import captured
from fes.testing.eventually import eventually
from integration.adapter_siena.bench import Cluster, SienaBench

pytestmark = pytest.mark.broker


@pytest.fixture
async def bench(cluster: Cluster) -> AsyncIterator[SienaBench]:
    async with AsyncExitStack() as stack:
        settings = {"index": SUBJECT, "semantics": "advertisement"}
        yield SienaBench(cluster, stack, settings=settings)


async def test_events_of_any_shape_reach_native_clients_though_one_was_announced(
    bench: SienaBench,
) -> None:
    heard: list[Notification] = []

    def take(notification: Notification, stamp: Stamp | None) -> None:
        assert stamp is not None
        heard.append(notification)

    connection = Connection(
        [bench.cluster.b.url], bench.service, index=SUBJECT, semantics=Semantics.ADVERTISEMENT
    )
    async with connection, captured(await bench.adapter("a")) as gateway:
        await connection.client("city").subscribe(where((SUBJECT, "=", "Speed")), take)
        await gateway.order(Announce(1, binary.encode(Event.of("Speed", rate=0.0))))
        await gateway.order(publication(Event.of("Speed", rate=83.0), 1))
        await gateway.order(publication(Event.of("Speed", rate=84.0, note="x"), 2))
        await gateway.order(publication(Event.of("Speed", {}, {"Priority": 3}), 3))

        await eventually(lambda: len(heard) == 3)
        counters = gateway.runtime.counted().counters
        assert (counters["native_unadvertised"], counters["native_shapes"]) == (0, 3)


async def test_control_events_are_advertised_too(bench: SienaBench) -> None:
    control = Event.of("FES_ControlEvent", Type=2, DistList="x", Source="y", Filter="Speed")
    async with (
        captured(await bench.adapter("a")) as one,
        captured(await bench.adapter("b")) as other,
    ):
        one.runtime.receive(PublishControl(binary.encode(control)))
        await eventually(lambda: other.controls)
