"""CNS → SIENA → STEAM → CNS, and back: what a native client gets is what another published."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from adapter_cns.mapping import Forms
from adapter_cns.settings import Settings
from eventservices.cns import ClientType, Connection, EventChannel, StructuredEvent
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import Stamp
from fes.filter.text import value_text
from fes.mapping import Mapping, Native
from fes.model import Event, Field, Type, binary
from fes.testing.conformance.adapter import EVERY_TYPE
from fes.testing.conformance.crossing import AWKWARD, EDGES
from fes.testing.eventually import eventually
from support.packs import Running, running

pytestmark = pytest.mark.broker

FILE = """
version: 1
system: chain
media: {air: {}}
brokers: {nats: {kind: nats, url: "%(url)s"}, mqtt: {kind: mqtt, url: "%(mqtt)s"}}
event_services:
  left: {kind: cns, brokers: [nats]}
  siena: {kind: siena, brokers: [nats]}
  air-1: {kind: steam, brokers: [mqtt], medium: air, settings: {location: {lat: 50.0, lon: 11.0}}}
  air-2: {kind: steam, brokers: [mqtt], medium: air, settings: {location: {lat: 50.001, lon: 11.0}}}
  right: {kind: cns, brokers: [nats], settings: {mode: pull}}
gateways:
  g1: {adapters: {left: {}, siena: {}}}
  g2: {adapters: {siena: {}, air-1: {control: {accept: [], relay: false}}}}
  g3: {adapters: {air-2: {control: {accept: [], relay: false}}, right: {}}}
requests:
"""

STEPS = (
    ("g1", "siena", "left"),
    ("g2", "air-1", "siena"),
    ("g3", "right", "air-2"),
    ("g3", "air-2", "right"),
    ("g2", "siena", "air-1"),
    ("g1", "left", "siena"),
)
"""Gateway, where events go, where they come from: there and back."""


@dataclass
class End:
    """A native client of one of both channels."""

    name: str
    got: list[tuple[Event, Stamp]] = field(default_factory=list)
    forms: Forms = field(default_factory=lambda: Forms(Settings(), Mapping()))

    async def open(self, channel: EventChannel) -> None:
        consumers, suppliers = channel.default_consumer_admin, channel.default_supplier_admin
        proxy = consumers.obtain_notification_push_supplier(ClientType.STRUCTURED_EVENT)
        await proxy.subscription_change([("*", subject) for subject in SUBJECTS], [])
        await proxy.connect_structured_push_consumer(self)
        self._supplier = suppliers.obtain_notification_push_consumer(ClientType.STRUCTURED_EVENT)
        await self._supplier.connect_structured_push_supplier(origin=f"native {self.name}")

    def push_structured_event(self, event: StructuredEvent, stamp: Stamp | None) -> None:
        assert stamp is not None
        native = self.forms.from_structured(event)
        assert native.subject is not None
        self.got.append((Event(native.subject, native.parameters, native.attributes), stamp))

    async def publish(self, event: Event) -> Stamp:
        made = self.forms.to_native(Native(event.subject, event.parameters, event.attributes))
        assert isinstance(made, StructuredEvent)
        return await self._supplier.push_structured_event(made)


@dataclass
class Chain:
    """The federation, and its two ends."""

    federation: Running
    left: End
    right: End

    def counted(self, adapter: str) -> dict[str, int]:
        (runtime,) = [one for one in self.federation.pack.runtimes if one.adapter.id == adapter]
        return runtime.counted().counters


EVENTS = (
    EVERY_TYPE,
    EDGES,
    *(Event.of(name, {name: name, "rate": 1.5}, {f"{name}!": name}) for name in AWKWARD),
    Event.of("Speed", {"rate": 83.0}, {"Priority": -7, "Reliability": 0}),
    Event.of("Speed", {}, {"StartTime": "2020-01-01T00:00:00Z", "Proximity": "0,1,0,0,300"}),
)
SUBJECTS = sorted({event.subject for event in EVENTS})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("chain", tmp_path_factory.mktemp("nats"), mqtt=True)) as started:
        yield started


@pytest.fixture
async def chain(server: NatsServer, tmp_path: Path) -> AsyncIterator[Chain]:
    wanted = " OR ".join(f"subject = {value_text(name)}" for name in SUBJECTS)
    requests = "".join(
        f"  - {{gateway: {gateway}, type: subscription, source: {to}, dist_list: {of},"
        f" filter: {json.dumps(wanted)}}}\n"
        for gateway, to, of in STEPS
    )
    text = FILE % {"url": server.url, "mqtt": server.mqtt_url} + requests
    async with running(tmp_path, text.replace("%", "%%")) as federation, AsyncExitStack() as stack:
        connection = await stack.enter_async_context(Connection(server.url, name="native"))
        ends = [End("left"), End("right")]
        for end in ends:
            await end.open(await connection.open_channel(end.name))
        await eventually(lambda: all(applied(federation, *step) for step in STEPS), 20.0)
        yield Chain(federation, *ends)


def applied(federation: Running, gateway: str, to: str, of: str) -> bool:
    """Tell whether a step of the chain is in force."""
    found = federation.pack.hosts[gateway].core.applied(of)
    return any(to in each.sources and each.state == "applied" for each in found)


async def test_every_event_of_every_type_crosses_all_and_comes_back_as_it_was(chain: Chain) -> None:
    """Natively published at one end, natively received at the other, both ways, once."""
    for here, there in ((chain.left, chain.right), (chain.right, chain.left)):
        here.got.clear()
        there.got.clear()
        stamps = [await here.publish(event) for event in EVENTS]

        await arrived(there)

        assert [stamp.identity for _, stamp in there.got] == [stamp.identity for stamp in stamps]
        got = [binary.encode(event) for event, _ in there.got]
        assert got == [binary.encode(event) for event in EVENTS]
        assert {stamp.home for _, stamp in there.got} == {here.name}
        assert len(here.got) == len(EVENTS)
    counted = chain.counted("g1.siena")
    assert (counted["degraded_priority"], counted["degraded_proximity"]) == (2, 1)


async def test_what_one_cannot_carry_is_refused_there_with_a_count_and_harms_no_other(
    chain: Chain,
) -> None:
    """SIENA's names have 255 characters at most; CNS takes any."""
    await chain.left.publish(Event("Speed", (Field("n" * 300, Type.LONG, 1),)))
    await chain.left.publish(Event.of("Speed", rate=83.0))

    await eventually(lambda: chain.right.got)

    assert [event.parameter("rate") for event, _ in chain.right.got] == [83.0]
    assert chain.counted("g1.siena")["publish_failed"] == 1


async def arrived(end: End) -> None:
    """Wait for all events, and put them in the order of their origin."""
    await eventually(lambda: len(end.got) >= len(EVENTS), 20.0, "all events")
    end.got.sort(key=lambda each: each[1].sequence)
