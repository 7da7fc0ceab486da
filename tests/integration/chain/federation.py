"""The chain CNS - SIENA - STEAM - COSMIC - CNS, in force both ways, and native clients of it."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from eventservices.cns import Connection
from eventservices.cosmic import Broker, Bus, NodeSettings
from eventservices.servers import NatsServer
from fes.filter.language.text import value_text
from fes.model import Event
from fes.testing.conformance.adapter import EVERY_TYPE
from fes.testing.conformance.crossing import AWKWARD, EDGES
from fes.testing.eventually import eventually
from integration.chain.ends import CnsEnd, CosmicEnd, End
from support.processes.canbus import multicast
from support.processes.packs import Running, running

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
  bus: {kind: cosmic, settings: {%(bus)s, channels: {Brake: {class: srt}}}}
  right: {kind: cns, brokers: [nats], settings: {mode: pull}}
gateways:
  g1: {adapters: {left: {}, siena: {}}}
  g2: {adapters: {siena: {}, air-1: {control: {accept: [], relay: false}}}}
  g3: {adapters: {air-2: {control: {accept: [], relay: false}}, bus: {}}}
  g4: {adapters: {bus: {}, right: {}}}
requests:
"""

STEPS = (
    ("g1", "siena", "left"),
    ("g2", "air-1", "siena"),
    ("g3", "bus", "air-2"),
    ("g4", "right", "bus"),
    ("g4", "bus", "right"),
    ("g3", "air-2", "bus"),
    ("g2", "siena", "air-1"),
    ("g1", "left", "siena"),
)
"""Gateway, where events go, where they come from: there and back."""

EVENTS = (
    EVERY_TYPE,
    EDGES,
    *(Event.of(name, {name: name, "rate": 1.5}, {f"{name}!": name}) for name in AWKWARD),
    Event.of("Speed", {"rate": 83.0}, {"Priority": -7, "Reliability": 0}),
    Event.of("Speed", {}, {"StartTime": "2020-01-01T00:00:00Z", "Proximity": "0,1,0,0,300"}),
)
SUBJECTS = sorted({event.subject for event in EVENTS})

ADAPTERS = ("g1.siena", "g2.air-1", "g3.air-2", "g3.bus", "g4.bus")
"""Adapters between the two ends."""

NATIVE = 9
"""Number of the native node; the broker gives the others theirs."""

WANTED = [*SUBJECTS, "Brake"]


@dataclass
class Chain:
    """The federation, and native clients: of both channels, and of the bus between."""

    federation: Running
    left: CnsEnd
    right: CnsEnd
    bus: CosmicEnd

    @property
    def ends(self) -> tuple[End, ...]:
        """All native clients."""
        return (self.left, self.bus, self.right)

    def counted(self, adapter: str) -> dict[str, int]:
        """Return an adapter's counters."""
        (runtime,) = [one for one in self.federation.pack.runtimes if one.adapter.id == adapter]
        return runtime.counted().counters


@asynccontextmanager
async def opened(server: NatsServer, folder: Path) -> AsyncIterator[Chain]:
    """Open all, and return once every step of the chain is in force."""
    can = multicast()
    values = {
        "url": server.url,
        "mqtt": server.mqtt_url,
        "bus": f"interface: udp_multicast, port: {can.interface.port}, bit_rate: 0,"
        " stamped: true, broker: elsewhere",
    }
    text = (FILE % values + requests()).replace("%", "%%")
    async with Bus(can) as bus, AsyncExitStack() as stack:
        Broker(bus, numbers=frozenset({NATIVE}))
        federation = await stack.enter_async_context(running(folder, text))
        connection = await stack.enter_async_context(Connection(server.url, name="native"))
        ends = (CnsEnd("left"), CnsEnd("right"))
        for end in ends:
            await end.open(await connection.open_channel(end.home), WANTED)
        node = CosmicEnd(bus.node(NodeSettings("native bus", NATIVE, "bus")), "bus")
        await node.open(SUBJECTS)
        await eventually(lambda: all(applied(federation, *step) for step in STEPS), 20.0)
        yield Chain(federation, *ends, node)


def requests() -> str:
    """Return the requests that make the chain."""
    wanted = " OR ".join(f"subject = {value_text(name)}" for name in WANTED)
    return "".join(
        f"  - {{gateway: {gateway}, type: subscription, source: {to}, dist_list: {of},"
        f" filter: {json.dumps(wanted)}}}\n"
        for gateway, to, of in STEPS
    )


def applied(federation: Running, gateway: str, to: str, of: str) -> bool:
    """Tell whether a step of the chain is in force."""
    found = federation.pack.hosts[gateway].core.applied(of)
    return any(to in each.sources and each.state == "applied" for each in found)
