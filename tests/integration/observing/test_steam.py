"""Native STEAM nodes that know nothing of a federation get its events, and are announced in it."""

from pathlib import Path

import pytest
from eventservices.servers import NatsServer
from eventservices.siena import Seen
from eventservices.siena.presence import Kind
from eventservices.steam import Notification, Term, around
from fes.adapter.base import Adapter
from fes.testing.eventually import eventually
from integration.observing.town import Town
from support.processes.packs import running

pytestmark = pytest.mark.broker

OBSERVING = """
gateways:
  g:
    adapters:
      cns: {}
      siena: {}
      steam:
        control: {accept: [], relay: false}
        observe: {subscriptions: "cns, siena", announcements: siena}
"""


async def test_a_native_node_hears_the_whole_federation_filtered_at_its_source(
    server: NatsServer, tmp_path: Path
) -> None:
    town = Town(server)
    heard: list[Notification] = []
    async with running(tmp_path, town.file(OBSERVING)), town.open():
        made = await town.car.subscribe("Speed", heard.append, [Term("rate", ">", 70.0)])
        await eventually(lambda: "Speed" in town.at_cns("g.cns"), what="a subscription at CNS")

        for rate in (50.0, 83.0):
            await town.publish_on_cns("Speed", rate=rate)

        await eventually(lambda: heard)
        assert [one.parameters["rate"] for one in heard] == [83.0]
        town.car.unsubscribe(made)
        await eventually(lambda: "Speed" not in town.at_cns("g.cns"), what="CNS let go")


async def test_a_native_announcement_is_one_at_the_event_services_that_the_file_names(
    server: NatsServer, tmp_path: Path
) -> None:
    town = Town(server)
    async with running(tmp_path, town.file(OBSERVING)), town.open():
        advertised: dict[str, Seen] = {}

        def see(seen: Seen) -> None:
            if seen.kind is Kind.ADVERTISEMENT and seen.withdrawn:
                advertised.pop(str(seen.filter), None)
            elif seen.kind is Kind.ADVERTISEMENT:
                advertised[str(seen.filter)] = seen

        town.siena.observe(see)
        town.car.announce("Speed", around(300.0))
        await eventually(lambda: advertised, what="an advertisement at SIENA")
        assert "Speed" in next(iter(advertised))

        town.car.unannounce("Speed")
        await eventually(lambda: not advertised, what="the advertisement withdrawn")


async def test_what_an_adapter_made_on_the_air_is_not_observed(
    server: NatsServer, tmp_path: Path
) -> None:
    """Its own node subscribes and announces there, and asks for nothing."""
    town = Town(server)
    request = """
requests:
  - {gateway: g, type: subscription, source: siena, dist_list: steam, filter: "Other"}
"""
    heard: list[Notification] = []
    async with running(tmp_path, town.file(OBSERVING + request)) as federation, town.open():
        await eventually(lambda: town.at_steam("g.steam"), what="the adapter's subscription")
        await town.car.subscribe("Speed", heard.append)
        await eventually(lambda: "Speed" in town.at_cns("g.cns"))
        rows = federation.pack.hosts["g"].core.table.rows()
        observed = {row.what for row in rows if row.requester.startswith("observed/")}
        assert observed == {"subject = 'Speed'"}
        (runtime,) = [one for one in federation.pack.runtimes if one.adapter.id == "g.steam"]
        assert isinstance(runtime.adapter, Adapter)
        assert runtime.counted().counters["observed_requests"] == 1
