"""Gateways that tell one another signals, one test at a time."""

from collections.abc import Sequence
from typing import Any, TypeVar

from fes.control import Signal, signal_event
from fes.control.signal import Attendance, Hello
from fes.federation.topology import Topology
from fes.gateway import AdapterSettings, GatewayCore, GatewaySettings
from fes.gateway.inputs import LinkUp, Tick
from fes.gateway.settings import Instant
from fes.link.messages import HeardControl
from fes.model import binary
from support.gateways.cores import NOW, SECOND, signals

S = TypeVar("S", bound=Signal)

RING = Topology(
    (("g1", "a"), ("g1", "b"), ("g2", "b"), ("g2", "c"), ("g3", "c"), ("g3", "a")),
)


def gateway(name: str, topology: Topology = RING, **changes: Any) -> GatewayCore:
    """Return a gateway of a topology, its links up."""
    services = [service for other, service in topology.attachments if other == name]
    settings: dict[str, Any] = {
        "id": name,
        "system": "test",
        "adapters": {
            service: AdapterSettings(
                f"{name}.{service}", service, on_medium=service in topology.on_medium
            )
            for service in services
        },
        "services": tuple(dict.fromkeys(service for _, service in topology.attachments)),
        "topology": topology,
        **changes,
    }
    core = GatewayCore(GatewaySettings(**settings), after=NOW.wall_us)
    for service in services:
        core.handle(LinkUp(), NOW, service)
    return core


def at(seconds: float) -> Instant:
    return Instant(NOW.wall_us + round(seconds * SECOND), NOW.time_us)


def tell(
    core: GatewayCore, signal: Signal, service: str, now: Instant = NOW, system: str = "test"
) -> list[object]:
    """Have a gateway hear a signal; return what comes of it."""
    body = binary.encode(signal_event(signal, system, service))
    return list(core.handle(HeardControl(None, body), now, service)[1])


def pass_time(core: GatewayCore, first: int, last: int, *hellos: tuple[Hello, str]) -> list[object]:
    """Let seconds pass, with some hellos heard in each; return all outputs."""
    found: list[object] = []
    for second in range(first, last + 1):
        for hello, service in hellos:
            found += tell(core, hello, service, at(second))
        found += core.handle(Tick(), at(second))[1]
    return found


def hello(name: str, *services: str, epoch: int = 1, **changes: Any) -> Hello:
    """Return what a gateway says that is at some event services and knows nothing else."""
    known = (Attendance(name, epoch, epoch, services),) if services else ()
    return Hello(name, epoch, **{"table": 0, "roster": 0, "attendances": known, **changes})


def of(kind: type[S], outputs: Sequence[object], service: str = "") -> list[S]:
    """Return the signals of a kind that a gateway says at an event service, or at all."""
    found = signals(list(outputs), service)
    return [signal for signal in found if isinstance(signal, kind)]
