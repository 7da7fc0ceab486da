"""The policy service overrules, takes back in time, and leaks nothing when it is away."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import fes_policy.__main__
import msgspec
import pytest
from eventservices.bus import (
    BusClient,
    BusOptions,
    BusSettings,
    Event,
    EventBus,
    LocalTransport,
    SubscriptionError,
)
from eventservices.bus.binding.policy_client import PolicyClient
from eventservices.bus.core.state import Precedence
from eventservices.bus.filters import Compare, Field
from eventservices.natslink import NatsLink
from eventservices.servers import NatsServer, ServerSpec
from fes.testing.eventually import eventually
from fes_policy import Engine, parse_rules, settings
from fes_policy.building import Building, Place, User
from fes_policy.server import PolicyServer
from fes_policy.whereabouts import Whereabouts

pytestmark = pytest.mark.broker

DOOR = "ie.tcd.cs.Door"
BADGES = {"ann": "00000000000a", "bob": "00000000000b"}
BUILDING = Building(
    users={name: User(("staff",), (badge,)) for name, badge in BADGES.items()},
    places={"room": Place(stations=("s1",)), "hall": Place(stations=("s2",))},
)
STAFF = """@id("staff")
permit (principal in Group::"staff", action, resource == Event::"ie.tcd.cs.Door");"""
ROOM = """@id("room") @filter("floor = 1")
permit (principal in Group::"staff", action, resource in Domain::"ie.")
when { context has places && context.places.contains("room") };"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("policy", tmp_path_factory.mktemp("policy"))) as running:
        yield running


def _ignore(event: Event) -> None:
    del event


class Stage:
    """A policy service, a bus with a source, and a bus with sinks."""

    def __init__(self, server: NatsServer, name: str, rules: str, log: Path | None = None) -> None:
        self.urls, self.name = [server.url], name
        self.rules, self.log = rules, log
        self.precedence: Precedence = "both"
        self.lifetime_s = BUILDING.lifetime_s
        self.retry_us = 100_000
        self.stack = AsyncExitStack()

    def service(self) -> PolicyServer:
        building = msgspec.structs.replace(BUILDING, lifetime_s=self.lifetime_s)
        engine = Engine(parse_rules(self.rules), building, Whereabouts(building))
        return PolicyServer(self.urls, self.name, engine, self.log)

    async def open(self) -> "Stage":
        self.policy = self.service()
        enter = self.stack.enter_async_context
        link = await enter(NatsLink(self.urls))
        settings = BusSettings(policy=True, precedence=self.precedence, retry_us=self.retry_us)
        options = BusOptions(settings, policy=PolicyClient(link, self.name))
        await self.policy.open()
        self.bus = await enter(EventBus(self.urls, self.name, "a", options))
        self.far = await enter(EventBus(self.urls, self.name, "b"))
        self.client = await enter(BusClient(LocalTransport(self.bus, "door")))
        self.door = await self.client.advertise(DOOR)
        self.badges = await enter(BusClient(LocalTransport(self.far, "badges")))
        self.sightings = await self.badges.advertise(BUILDING.sighting)
        await eventually(lambda: self.far.counters["remote_sinks"] == 1, what="policy's own sink")
        return self

    async def user(self, name: str) -> BusClient:
        transport = LocalTransport(self.far, f"c-{name}")
        return await self.stack.enter_async_context(BusClient(transport, user=name, device="desk"))

    async def close(self) -> None:
        await self.stack.aclose()
        await self.policy.close()


@pytest.fixture
async def stages(server: NatsServer) -> AsyncIterator[list[Stage]]:
    made: list[Stage] = []
    yield made
    for stage in made:
        await stage.close()


async def staged(
    stages: list[Stage], server: NatsServer, name: str, rules: str, **more: object
) -> Stage:
    stage = Stage(server, name, rules)
    for key, value in more.items():
        setattr(stage, key, value)
    await stage.open()
    stages.append(stage)
    return stage


async def test_who_has_no_right_is_refused_with_the_reason(
    server: NatsServer, stages: list[Stage]
) -> None:
    stage = await staged(stages, server, "p1", STAFF)
    eve = await stage.user("eve")
    with pytest.raises(SubscriptionError, match="no rule permits it") as caught:
        await eve.subscribe(DOOR, _ignore)
    assert caught.value.number == 1
    got: list[Event] = []
    await (await stage.user("ann")).subscribe(DOOR, got.append)
    await stage.door.notify({"floor": 2})
    await eventually(lambda: len(got) == 1, what="the permitted sink's event")


@pytest.mark.parametrize(
    ("precedence", "expected"), [("policy", [1, 1]), ("both", [1]), ("sink", [1, 3])]
)
async def test_the_policys_filter_and_the_sinks_are_combined_as_set(
    server: NatsServer, stages: list[Stage], precedence: Precedence, expected: list[int]
) -> None:
    rules = '@id("r") @filter("floor = 1") permit (principal, action, resource);'
    stage = await staged(stages, server, f"p2{precedence}", rules, precedence=precedence)
    got: list[Event] = []
    ann = await stage.user("ann")
    await ann.subscribe(DOOR, got.append, Compare(Field("kind"), "=", "open"))
    for floor, kind in ((1, "open"), (1, "shut"), (3, "open"), (3, "shut")):
        await stage.door.notify({"floor": floor, "kind": kind})
    await eventually(lambda: len(got) == len(expected), what="what the filters let pass")
    assert [each.values["floor"] for each in got] == expected


async def test_a_rule_that_is_taken_back_stops_delivery_and_what_waits(
    server: NatsServer, stages: list[Stage]
) -> None:
    stage = await staged(stages, server, "p3", STAFF)
    got: list[Event] = []
    told: list[str] = []
    gate = asyncio.Event()

    async def listen(event: Event) -> None:
        got.append(event)
        await gate.wait()

    ann = await stage.user("ann")
    await ann.subscribe(DOOR, listen, on_ended=lambda _, reason: told.append(reason))
    for number in range(300):
        await stage.door.notify({"floor": number})
    await eventually(lambda: bool(got), what="the first event")
    await stage.policy.replace(parse_rules("forbid (principal, action, resource);"))
    await eventually(lambda: bool(told), what="the sink is told")
    gate.set()
    await stage.door.notify({"floor": -1})
    await eventually(
        lambda: stage.far.counters["waiting_to_deliver"] == 0, what="nothing waits any more"
    )
    assert len(got) < 300
    assert -1 not in [each.values["floor"] for each in got]

    def withdrawn() -> int:
        return sum(each.counters.get("withdrawn", 0) for each in (stage.far, stage.bus))

    await eventually(lambda: withdrawn() >= 300 - 64 - len(got), what="what waited is withdrawn")
    assert stage.bus.counters["revocations"] == 1


async def test_a_step_out_of_the_room_ends_the_right(
    server: NatsServer, stages: list[Stage]
) -> None:
    stage = await staged(stages, server, "p4", ROOM)
    badge = bytes.fromhex(BADGES["ann"])
    await stage.sightings.notify({"station": "s1", "badge": badge})
    whereabouts = stage.policy.engine.whereabouts
    await eventually(lambda: whereabouts.place("ann", 0) is not None, what="ann's place")
    got: list[Event] = []
    told: list[str] = []
    ann = await stage.user("ann")
    await ann.subscribe(DOOR, got.append, on_ended=lambda _, reason: told.append(reason))
    await stage.door.notify({"floor": 1})
    await stage.door.notify({"floor": 2})
    await eventually(lambda: len(got) == 1, what="the room's filter passes one")
    await stage.sightings.notify({"station": "s2", "badge": badge})
    await eventually(lambda: bool(told), what="the right ended")
    await stage.door.notify({"floor": 1})
    await eventually(lambda: stage.bus.counters["remote_sinks"] == 0, what="the sink is gone")
    assert len(got) == 1


async def test_while_the_policy_service_is_away_nothing_new_is_granted_and_all_ends(
    server: NatsServer, stages: list[Stage]
) -> None:
    stage = await staged(stages, server, "p5", STAFF, lifetime_s=3.0)
    got: list[Event] = []
    told: list[str] = []
    ann, bob = await stage.user("ann"), await stage.user("bob")
    await ann.subscribe(DOOR, got.append, on_ended=lambda _, reason: told.append(reason))
    await stage.policy.close()
    leaked: list[Event] = []
    waiting = asyncio.create_task(bob.subscribe(DOOR, leaked.append))
    await eventually(lambda: bool(told), what="ann's decision ended")
    assert "ended" in told[0]
    before = len(got)
    await stage.door.notify({"floor": 1})
    await waiting
    stage.policy = await stage.service().open()

    def users() -> list[str]:
        sinks = stage.bus.core._state.remote.get(DOOR, {})
        return [each.user for each in sinks.values() if each.test is not None]

    await eventually(lambda: users() == ["bob"], what="bob's request is decided")
    await stage.door.notify({"floor": 2})
    await eventually(lambda: len(leaked) == 1, what="the event after bob's decision")
    assert [each.values["floor"] for each in leaked] == [2]
    assert len(got) == before


async def test_a_decision_that_is_renewed_in_time_interrupts_nothing(
    server: NatsServer, stages: list[Stage]
) -> None:
    # A decision is renewed from eight retries before its end on: long before.
    stage = await staged(stages, server, "p6", STAFF, lifetime_s=10.0, retry_us=1_100_000)
    got: list[Event] = []
    told: list[str] = []
    ann = await stage.user("ann")
    await ann.subscribe(DOOR, got.append, on_ended=lambda _, reason: told.append(reason))
    first = next(iter(stage.bus.core._state.remote[DOOR].values())).decision
    assert first is not None

    def renewed() -> bool:
        sinks = stage.bus.core._state.remote.get(DOOR, {})
        return any(
            each.decision and each.decision.until_us > first.until_us for each in sinks.values()
        )

    await eventually(renewed, what="the next decision")
    await stage.door.notify({"floor": 1})
    await eventually(lambda: len(got) == 1, what="an event under the next decision")
    assert told == []


async def test_the_report_on_the_rules_does_not_keep_the_service_from_deciding(
    server: NatsServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    goes_on = threading.Event()
    shown = {"out": "", "err": ""}

    def conflicts(*_: object) -> list[str]:
        goes_on.wait()
        return ["a permit without effect"]

    def has(where: str, text: str) -> bool:
        out, err = capsys.readouterr()
        shown["out"] += out
        shown["err"] += err
        return text in shown[where]

    monkeypatch.setattr(fes_policy.__main__, "conflicts", conflicts)
    (tmp_path / "building.yaml").write_text("{}")
    (tmp_path / "rules.cedar").write_text(STAFF)
    files = [
        "--building",
        str(tmp_path / "building.yaml"),
        "--rules",
        str(tmp_path / "rules.cedar"),
    ]
    options = settings.read(["--nats", server.url, "--building-id", "p7", *files])
    serving = asyncio.create_task(fes_policy.__main__._serve(options))
    try:
        await eventually(lambda: has("out", "ready"), what="the service decides")
        assert shown["err"] == ""
        goes_on.set()
        await eventually(lambda: has("err", "a permit without effect"), what="the report")
    finally:
        goes_on.set()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
