"""Gateways that query a real naming service and a real policy service."""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from eventservices.bus import BusClient, BusOptions, BusSettings, EventBus, LocalTransport
from eventservices.bus.binding.naming_client import NamingClient
from eventservices.natslink import NatsLink
from eventservices.servers import NatsServer, ServerSpec
from fes.model import Event
from fes.testing.eventually import eventually
from fes_naming import read_links
from fes_naming.server import NamingServer
from fes_policy import Engine, parse_rules
from fes_policy.building import Building, Place, User
from fes_policy.server import PolicyServer
from fes_policy.whereabouts import Whereabouts
from support.processes.packs import CHAIN, Running, running

pytestmark = pytest.mark.broker

GUIDED = (
    CHAIN
    + """
brokers:
  n: {kind: nats, url: "%(url)s"}
naming: {broker: n, building: NAME, servers: [host], buses: middle}
policy: {broker: n, building: NAME, users: {south: ann}}
"""
)
SPEED = "subject = 'Speed' AND rate > 30"
BUILDING = Building(
    users={"ann": User(("staff",), ("00000000000a",))},
    places={"room": Place(stations=("s1",)), "hall": Place(stations=("s2",))},
)
ALL = '@id("all") permit (principal, action, resource);'
ROOM = """@id("room") @filter("owner = 'ann' AND @User = 'ann'")
permit (principal, action, resource) when { context has place && context.place == "room" };"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("guide", tmp_path_factory.mktemp("guide"))) as started:
        yield started


class House:
    """A federation, a naming server, a policy server, and a bus of the building."""

    def __init__(self, server: NatsServer, folder: Path, name: str, rules: str) -> None:
        self.server, self.folder, self.name = server, folder, name
        self.stack = AsyncExitStack()
        self.rules = rules

    async def decide(self) -> None:
        """Start the policy service."""
        engine = Engine(parse_rules(self.rules), BUILDING, Whereabouts(BUILDING))
        self.policy = PolicyServer([self.server.url], self.name, engine)
        await self.policy.open()

    async def stop_deciding(self) -> None:
        """Stop the policy service, whichever runs now."""
        await self.policy.close()

    async def open(self) -> "House":
        enter = self.stack.enter_async_context
        urls = [self.server.url]
        links = self.folder / "links"
        links.write_text("***THIS_DOMAIN_IS***=.\n")
        self.naming = NamingServer(urls, self.name, "host", read_links(links))
        await enter(self.naming)
        await self.decide()
        self.stack.push_async_callback(self.stop_deciding)
        link = await enter(NatsLink(urls))
        self.names = NamingClient(link, self.name, ["host"])
        options = BusOptions(BusSettings(naming=True), naming=self.names)
        self.bus = await enter(EventBus(urls, self.name, "room-12", options))
        self.client = await enter(BusClient(LocalTransport(self.bus, "badges")))
        text = GUIDED.replace("NAME", self.name).replace("%(url)s", self.server.url)
        self.run: Running = await enter(running(self.folder, text))
        return self

    def subscribed(self, service: str) -> list[str]:
        return list(self.run.bus(service).subscribed)

    def nowhere(self) -> bool:
        """Return whether the gateways know that there is no source, and that all is permitted."""
        guide = self.run.pack._guide
        known = guide is not None and guide._places.get("Speed") == () and any(guide._rights)
        return known and not self.subscribed("north") and not self.subscribed("middle")

    async def subscribe(self, dist_list: str = "*") -> None:
        body = {"type": "subscription", "source": "south", "dist_list": dist_list}
        answer = await self.run.post("g2", **body, filter=SPEED)
        assert answer.status_code == 202


@pytest.fixture
async def houses(server: NatsServer, tmp_path: Path) -> AsyncIterator[list[House]]:
    made: list[House] = []
    yield made
    for each in made:
        await each.stack.aclose()


async def house(
    houses: list[House], server: NatsServer, folder: Path, name: str, rules: str = ALL
) -> House:
    made = House(server, folder, name, rules)
    houses.append(made)
    return await made.open()


async def test_a_subscription_applies_where_an_announcement_or_a_bus_has_a_source(
    houses: list[House], server: NatsServer, tmp_path: Path
) -> None:
    at = await house(houses, server, tmp_path, "g1")
    await at.subscribe()
    await eventually(at.nowhere, what="no service has a source")
    body = {"source": "north", "dist_list": "south", "event": {"subject": "Speed"}}
    await at.run.post("g1", type="announcement", **body)
    await eventually(lambda: at.subscribed("north"), what="the announced source")
    assert (await at.names.lookup("Speed")).buses == ("north",)
    assert at.subscribed("middle") == []
    await at.client.advertise("Speed")  # at a bus: those of the building are `middle`
    await eventually(lambda: at.subscribed("middle"), what="the bus's source")
    await at.run.post("g1", type="unannouncement", **body)
    await eventually(lambda: not at.subscribed("north"), what="the source that is gone")


async def test_a_new_source_reaches_the_gateways_within_a_second_or_so(
    houses: list[House], server: NatsServer, tmp_path: Path
) -> None:
    at = await house(houses, server, tmp_path, "g2")
    await at.subscribe()
    await eventually(at.nowhere, what="no source")
    await at.client.advertise("Speed")
    began = time.monotonic()
    await eventually(lambda: at.subscribed("middle"), what="the new source")
    # The next look-up by itself would be after ten seconds: the event of the naming service did it.
    assert time.monotonic() - began < 9


async def test_where_the_naming_service_is_away_a_subscription_applies_everywhere(
    houses: list[House], server: NatsServer, tmp_path: Path
) -> None:
    at = await house(houses, server, tmp_path, "g3")
    await at.naming.close()
    await at.subscribe()
    await eventually(lambda: at.subscribed("north") and at.subscribed("middle"), what="everywhere")


async def test_a_step_out_of_the_room_stops_delivery_and_the_rule_filters_at_the_source(
    houses: list[House], server: NatsServer, tmp_path: Path
) -> None:
    at = await house(houses, server, tmp_path, "g4", ROOM)
    await at.subscribe("north")
    sightings = await at.client.advertise(BUILDING.sighting)
    badge = bytes.fromhex("00000000000a")

    async def seen(station: str) -> None:
        await sightings.notify({"station": station, "badge": badge})

    assert at.subscribed("north") == []  # nobody knows where ann is
    await eventually(lambda: at.bus.counters["remote_sinks"] >= 1, what="the policy's own sink")
    await seen("s1")
    await eventually(lambda: at.subscribed("north"), what="ann is in the room")
    (filter_,) = at.subscribed("north")
    assert "owner = 'ann'" in filter_
    car, city = at.run.client("north", "car"), at.run.client("south", "city")
    car.publish(Event.of("Speed", rate=50.0, owner="bob"))
    wanted = Event.of("Speed", rate=50.0, owner="ann")
    car.publish(wanted)
    await eventually(lambda: city.events() == [wanted], what="what the rule lets pass")
    await seen("s2")
    await eventually(lambda: not at.subscribed("north"), what="ann has left the room")
    car.publish(wanted)
    assert city.events() == [wanted]


async def test_while_the_policy_service_is_away_nothing_new_is_granted(
    houses: list[House], server: NatsServer, tmp_path: Path
) -> None:
    at = await house(houses, server, tmp_path, "g5")
    await at.policy.close()
    await at.subscribe("north")
    host = at.run.pack.hosts["g1"]
    await eventually(lambda: host.core.guiding.questions().askers, what="the request is known")
    assert at.subscribed("north") == []
    await at.decide()
    await eventually(lambda: at.subscribed("north"), what="the decision")
