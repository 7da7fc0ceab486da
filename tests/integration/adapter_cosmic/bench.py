"""An adapter on a bus in memory, with a device and a native node beside it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adapter_cosmic.adapter import CosmicAdapter
from eventservices.cosmic import Bus, BusSettings, Interface, Node, NodeSettings
from fes.adapter.pool import ConnectionPool
from fes.mapping import Mapping, load_rules
from fes.testing.conformance.bench import Captured, captured
from support.processes.canbus import virtual
from support.processes.contexts import adapter_context

CAN_SPEED = {
    "native": {"can_id": 12345, "extended": True},
    "identity": "native",
    "subject": "Speed",
    "parameters": {
        "license_no": {"bytes": [0, 6], "type": "string"},
        "rate": {"bytes": [7, 7], "type": "double"},
    },
}


@dataclass
class Bench:
    """What a test needs: the gateway's end, and a node of other people."""

    gateway: Captured
    node: Node
    bus: Bus
    adapter: CosmicAdapter
    interface: Interface


@asynccontextmanager
async def bench(
    *rules: dict[str, Any], base: Path = Path(), control: bool = False, **settings: Any
) -> AsyncIterator[Bench]:
    """Open all, with an adapter of some rules and settings."""
    interface = virtual().interface
    given = {"channel": interface.channel, "bit_rate": 0, "node": 1, **settings}
    context = adapter_context("g", "cosmic-v", CosmicAdapter, ConnectionPool(), settings=given)
    mapping = Mapping(load_rules(list(rules), base), automatic=CosmicAdapter.automatic)
    adapter = CosmicAdapter(replace(context, mapping=mapping, hears_control=control))
    async with (
        Bus(BusSettings(interface, 0, hashed=True)) as bus,
        captured(adapter) as gateway,
    ):
        node = bus.node(NodeSettings("vehicle", 0, "cosmic-v"))
        yield Bench(gateway, node, bus, adapter, interface)
