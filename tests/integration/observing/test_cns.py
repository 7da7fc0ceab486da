"""Native CNS clients that know nothing of a federation get its events, and are announced in it."""

from pathlib import Path

import pytest
from eventservices.cns import ClientType, StructuredEvent
from eventservices.servers import NatsServer
from eventservices.siena import Notification, Seen
from eventservices.siena.presence import Kind
from eventservices.stamp import Stamp
from fes.testing.eventually import eventually
from integration.observing.town import OFF_THE_AIR, Town
from support.processes.packs import running

pytestmark = pytest.mark.broker

OBSERVING = f"""
gateways:
  g:
    adapters:
      cns: {{observe: {{subscriptions: "steam, siena", announcements: siena}}}}
      siena: {{}}
      steam: {{{OFF_THE_AIR}}}
"""


class Dashboard:
    """A native consumer."""

    def __init__(self) -> None:
        self.shown: list[StructuredEvent] = []

    def push_structured_event(self, event: StructuredEvent, stamp: Stamp | None) -> None:
        assert stamp is not None
        self.shown.append(event)


async def test_a_native_consumer_gets_the_events_of_the_whole_federation(
    server: NatsServer, tmp_path: Path
) -> None:
    town, dashboard = Town(server), Dashboard()
    async with running(tmp_path, town.file(OBSERVING)), town.open():
        admin = town.channel.default_consumer_admin
        proxy = admin.obtain_notification_push_supplier(ClientType.STRUCTURED_EVENT)
        await proxy.subscription_change([("*", "Speed")], [])
        await proxy.connect_structured_push_consumer(dashboard)
        await eventually(lambda: ("Speed", []) in town.at_steam("g.steam"), what="STEAM asked")

        town.publish_on_air("Speed", rate=83.0)
        client, _ = town.citizen("city")
        await client.publish(Notification({"FES_Subject": "Speed", "rate": 84.0}))
        await client.publish(Notification({"FES_Subject": "Other", "rate": 85.0}))

        await eventually(lambda: len(dashboard.shown) == 2)
        assert {one.filterable_data["rate"] for one in dashboard.shown} == {83.0, 84.0}
        await proxy.disconnect_structured_push_supplier()
        await eventually(lambda: town.at_steam("g.steam") == [], what="STEAM let go")


async def test_a_native_offer_is_an_advertisement_at_siena(
    server: NatsServer, tmp_path: Path
) -> None:
    town = Town(server)
    async with running(tmp_path, town.file(OBSERVING)), town.open():
        advertised: dict[str, Seen] = {}

        def see(seen: Seen) -> None:
            if seen.kind is Kind.ADVERTISEMENT and not seen.withdrawn:
                advertised[str(seen.filter)] = seen
            elif seen.kind is Kind.ADVERTISEMENT:
                advertised.pop(str(seen.filter), None)

        town.siena.observe(see)
        await town.offer("Speed")
        await eventually(lambda: advertised, what="an advertisement at SIENA")
        assert "Speed" in next(iter(advertised))
        await town.withdraw("Speed")
        await eventually(lambda: not advertised, what="the advertisement withdrawn")


TWO_GATEWAYS = f"""
gateways:
  g1: {{adapters: {{cns: {{}}, siena: {{}}}}}}
  g2: {{adapters: {{cns: {{observe: {{subscriptions: steam}}}}, steam: {{{OFF_THE_AIR}}}}}}}
requests:
  - {{gateway: g1, type: subscription, source: siena, dist_list: cns, filter: Other}}
"""


async def test_what_another_gateways_adapter_made_is_not_observed(
    server: NatsServer, tmp_path: Path
) -> None:
    town, dashboard = Town(server), Dashboard()
    async with running(tmp_path, town.file(TWO_GATEWAYS)) as federation, town.open():
        await eventually(lambda: "Other" in town.at_cns("g1.cns"), what="the adapter's own")
        admin = town.channel.default_consumer_admin
        proxy = admin.obtain_notification_push_supplier(ClientType.STRUCTURED_EVENT)
        await proxy.subscription_change([("*", "Speed")], [])
        await proxy.connect_structured_push_consumer(dashboard)
        await eventually(lambda: ("Speed", []) in town.at_steam("g2.steam"), what="STEAM asked")
        rows = federation.pack.hosts["g2"].core.table.rows()
        asked = {row.what for row in rows if row.requester.startswith("observed/")}
        assert asked == {"subject = 'Speed'"}
