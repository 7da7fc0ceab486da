"""Native SIENA clients that know nothing of a federation get its events all the same."""

import asyncio
from pathlib import Path

import pytest
from eventservices.servers import NatsServer
from eventservices.siena import Notification, where
from eventservices.stamp import Stamp
from fes.testing.eventually import eventually
from integration.observing.town import OFF_THE_AIR, Town
from support.processes.packs import Running, running

pytestmark = pytest.mark.broker

ONE_GATEWAY = f"""
gateways:
  g:
    adapters:
      cns: {{}}
      steam: {{{OFF_THE_AIR}}}
      siena: {{observe: {{subscriptions: "cns, steam"}}}}
"""

TWO_OBSERVERS = f"""
gateways:
  g1: {{adapters: {{cns: {{}}, siena: {{observe: {{subscriptions: cns}}}}}}}}
  g2: {{adapters: {{steam: {{{OFF_THE_AIR}}}, siena: {{observe: {{subscriptions: cns}}}}}}}}
"""

SPEEDING = where(("FES_Subject", "=", "Speed"), ("rate", ">", 70.0))


def rows(federation: Running, gateway: str) -> list[tuple[str, str, bool]]:
    """Return what a gateway's request table has: filter, pattern, whether it was withdrawn."""
    table = federation.pack.hosts[gateway].core.table
    return [(row.filter, row.pattern, row.withdrawn) for row in table.rows()]


def standing(federation: Running, gateway: str) -> list[str]:
    """Return the filters that hold at a gateway."""
    return [filter_ for filter_, _, withdrawn in rows(federation, gateway) if not withdrawn]


def forget(event: Notification, stamp: Stamp | None) -> None:
    """Take what nobody looks at."""


async def test_a_plain_subscription_brings_events_of_all_filtered_at_their_source(
    server: NatsServer, tmp_path: Path
) -> None:
    """No control event, no REST call and no line of the federation's in the client."""
    town = Town(server)
    async with running(tmp_path, town.file(ONE_GATEWAY)), town.open():
        client, heard = town.citizen("city")
        subscription = await client.subscribe(SPEEDING, lambda event, _: heard.append(event))
        await eventually(lambda: "Speed" in town.at_cns("g.cns"), what="a subscription at CNS")
        await eventually(
            lambda: ("Speed", [("rate", ">", 70.0)]) in town.at_steam("g.steam"),
            what="a content filter at STEAM",
        )

        for rate in (50.0, 83.0):
            await town.publish_on_cns("Speed", rate=rate, by="cns")
            town.publish_on_air("Speed", rate=rate, by="steam")
        await town.publish_on_cns("Other", rate=99.0, by="cns")

        await eventually(lambda: len(heard) == 2)
        assert sorted((one.attributes["by"], one.attributes["rate"]) for one in heard) == [
            ("cns", 83.0),
            ("steam", 83.0),
        ]

        await client.cancel(subscription)
        await eventually(lambda: "Speed" not in town.at_cns("g.cns"), what="CNS let go")
        await eventually(lambda: town.at_steam("g.steam") == [], what="STEAM let go")


async def test_two_adapters_that_see_one_client_deliver_once(
    server: NatsServer, tmp_path: Path
) -> None:
    town = Town(server)
    async with running(tmp_path, town.file(TWO_OBSERVERS)) as federation, town.open():
        client, heard = town.citizen("city")
        subscription = await client.subscribe(SPEEDING, lambda event, _: heard.append(event))
        each = ("rate > 70.0 AND subject = 'Speed'", "cns", False)  # from each, told to the other
        await eventually(lambda: rows(federation, "g1") == [each, each])
        await eventually(lambda: rows(federation, "g2") == [each, each])
        await eventually(lambda: "Speed" in town.at_cns("g1.cns"))

        await town.publish_on_cns("Speed", rate=83.0)
        await town.publish_on_cns("Speed", rate=84.0)

        await eventually(lambda: len(heard) >= 2)
        await asyncio.sleep(0.2)  # a second copy would have come by now
        assert [one.attributes["rate"] for one in heard] == [83.0, 84.0]
        await client.cancel(subscription)
        await eventually(lambda: not standing(federation, "g1"))
        await eventually(lambda: not standing(federation, "g2"))


async def test_one_of_two_clients_that_goes_takes_nothing_from_the_other(
    server: NatsServer, tmp_path: Path
) -> None:
    town = Town(server)
    async with running(tmp_path, town.file(ONE_GATEWAY)) as federation, town.open():
        one, heard_by_one = town.citizen("one")
        other, heard_by_other = town.citizen("other")
        await one.subscribe(SPEEDING, lambda event, _: heard_by_one.append(event))
        await other.subscribe(SPEEDING, lambda event, _: heard_by_other.append(event))
        await eventually(lambda: "Speed" in town.at_cns("g.cns"))
        assert len({filter_ for filter_, *_ in rows(federation, "g")}) == 1

        await one.close()
        await town.publish_on_cns("Speed", rate=83.0)

        await eventually(lambda: heard_by_other)
        assert not heard_by_one


async def test_what_was_declared_before_the_federation_started_is_observed(
    server: NatsServer, tmp_path: Path
) -> None:
    town = Town(server)
    async with town.open():
        client, heard = town.citizen("city")
        await client.subscribe(SPEEDING, lambda event, _: heard.append(event))
        async with running(tmp_path, town.file(ONE_GATEWAY)):
            await eventually(lambda: "Speed" in town.at_cns("g.cns"))
            await town.publish_on_cns("Speed", rate=83.0)
            await eventually(lambda: heard)


async def test_a_native_observer_of_the_service_asks_for_nothing(
    server: NatsServer, tmp_path: Path
) -> None:
    """Who watches a service natively does not change what is subscribed to elsewhere."""
    town = Town(server)
    async with running(tmp_path, town.file(ONE_GATEWAY)) as federation, town.open():
        watcher = town.siena.client("watcher", role="observer")
        await watcher.subscribe(where(("rate", "any")), forget)
        client, _ = town.citizen("city")
        await client.subscribe(SPEEDING, forget)
        await eventually(lambda: rows(federation, "g"))
        assert {filter_ for filter_, *_ in rows(federation, "g")} == {
            "rate > 70.0 AND subject = 'Speed'"
        }
