"""A gateway core on its own: what it is told, and what it orders."""

from collections.abc import Sequence
from typing import Any, TypeGuard

from fes.control import ControlEvent, RequestType, Signal, is_signal, read_signal, to_event
from fes.federation.topology import Topology
from fes.gateway import AdapterSettings, GatewayCore, GatewaySettings
from fes.gateway.inputs import Inject, LinkUp
from fes.gateway.outputs import Decided, ToAdapter
from fes.gateway.settings import Instant
from fes.link.messages import Heard, HeardControl, Order, PublishControl
from fes.model import Event, Stamp, binary

SECOND = 1_000_000
NOW = Instant(1_000 * SECOND, 1_000 * SECOND)
SPEED = Event.of("Speed", rate=40.0)


def core_of(*services: str, **changes: Any) -> GatewayCore:
    """Return a core at attached event services, their links up; `far` lies behind the last."""
    settings: dict[str, Any] = {
        "id": "g1",
        "system": "test",
        "adapters": {name: AdapterSettings(f"g1.{name}", name) for name in services},
        "services": (*services, "far"),
        "topology": topology_of(*services),
        **changes,
    }
    core = GatewayCore(GatewaySettings(**settings))
    for name in services:
        core.handle(LinkUp(), NOW, name)
    return core


def topology_of(*services: str, mediums: tuple[str, ...] = ()) -> Topology:
    """Return who is attached where: g1 at all, g2 at the last, and at `far` behind it."""
    attached = tuple(("g1", name) for name in services)
    return Topology((*attached, ("g2", services[-1]), ("g2", "far")), dict.fromkeys(mediums, "air"))


def request(
    kind: RequestType = RequestType.SUBSCRIPTION,
    *,
    source: str = "south",
    dist_list: str = "north",
    sequence: int = 1,
    **changes: Any,
) -> ControlEvent:
    """Return a request with sound defaults."""
    given: dict[str, Any] = {
        "filter": "subject = 'Speed' AND rate > 30" if "SUBSCRIPTION" in kind.name else "",
        "event": None if "SUBSCRIPTION" in kind.name else SPEED,
        "system": "test",
        "requester": "client",
        **changes,
    }
    stamp = Stamp("client", 1, sequence, NOW.wall_us, source)
    return ControlEvent(stamp=stamp, type=kind, source=source, dist_list=dist_list, **given)


def heard(matched: tuple[int, ...], sequence: int = 1, **changes: Any) -> Heard:
    """Return a native event that an adapter heard."""
    given: dict[str, Any] = {
        "stamp": Stamp("car", 1, sequence, NOW.time_us, "north"),
        "via": (),
        "subject": "Speed",
        "matched": matched,
        "desired": 1,
        "expires_us": 0,
        "priority": 0,
        "persistent": False,
        "body": binary.encode(SPEED),
        **changes,
    }
    return Heard(**given)


def inject(core: GatewayCore, control: ControlEvent, now: Instant = NOW) -> list[Decided]:
    """Inject a request; return the decisions."""
    _, outputs = core.handle(Inject(control), now)
    return [output for output in outputs if isinstance(output, Decided)]


def say(
    core: GatewayCore, control: ControlEvent, service: str, now: Instant = NOW
) -> list[Decided]:
    """Have a control event be heard at an event service; return the decisions."""
    message = HeardControl(control.stamp, binary.encode(to_event(control)))
    _, outputs = core.handle(message, now, service)
    return [output for output in outputs if isinstance(output, Decided)]


def orders(outputs: Sequence[object], service: str = "") -> list[Order]:
    """Return the orders for an adapter, or for all; what gateways tell one another is left out."""
    return [
        output.order
        for output in outputs
        if isinstance(output, ToAdapter)
        and service in ("", output.service)
        and not tells_signal(output.order)
    ]


def tells_signal(order: Order) -> TypeGuard[PublishControl]:
    """Tell whether an order publishes a signal."""
    return isinstance(order, PublishControl) and is_signal(binary.decode(order.body))


def signals(outputs: Sequence[object], service: str = "") -> list[Signal]:
    """Return the signals that a gateway says at an event service, or at all."""
    return [
        read_signal(binary.decode(output.order.body), "test")
        for output in outputs
        if isinstance(output, ToAdapter)
        and service in ("", output.service)
        and tells_signal(output.order)
    ]
