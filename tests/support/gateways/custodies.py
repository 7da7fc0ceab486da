"""A gateway between event services that keep events, and what it is told and says of custody."""

from collections.abc import Sequence
from typing import Any

from fes.control import ControlEvent, RequestType, from_event, signal_event, to_event
from fes.control.signal import Acknowledgement
from fes.gateway import GatewayCore
from fes.gateway.inputs import LinkUp
from fes.gateway.outputs import Decided, DropRow, Mutation, Output, PutRow
from fes.gateway.settings import Instant
from fes.link.messages import (
    Heard,
    HeardControl,
    Publish,
    PublishControl,
)
from fes.model import Event, binary
from support.gateways.cores import (
    NOW,
    core_of,
    heard,
    inject,
    orders,
    request,
)

PERSISTENT = LinkUp(persistent=True)
"""The link of an adapter whose event service keeps events."""


def asked(*sources: str, **changes: Any) -> tuple[GatewayCore, tuple[int, ...]]:
    """Return a gateway at persistent services, and the subscriptions of `north` of some sources."""
    core = core_of("north", "south", **changes)
    for service in ("north", "south"):
        core.handle(PERSISTENT, NOW, service)
    for sequence, source in enumerate(sources, 1):
        inject(core, request(source=source, dist_list="north", sequence=sequence))
    return core, tuple(applied.number for applied in core.applied("north"))


def take(
    core: GatewayCore, event: Heard, now: Instant = NOW
) -> tuple[list[Mutation], list[Output]]:
    mutations, outputs = core.handle(event, now, "north")
    return list(mutations), list(outputs)


def event_of(numbers: tuple[int, ...], sequence: int = 1, **changes: Any) -> Heard:
    return heard(numbers, sequence, **{"persistent": True, "token": sequence, **changes})


def publications(outputs: Sequence[object]) -> list[Publish]:
    return [order for order in orders(outputs) if isinstance(order, Publish)]


def gifts(outputs: Sequence[object]) -> list[tuple[int, int]]:
    """Return (row, after) of the publications given to other gateways."""
    found = [
        from_event(binary.decode(order.body), None)
        for order in orders(outputs)
        if isinstance(order, PublishControl)
    ]
    return [(control.row, control.after) for control in found]


def reasons(outputs: Sequence[object], decision: str) -> list[str]:
    return [o.reason for o in outputs if isinstance(o, Decided) and o.decision == decision]


def restarted(core: GatewayCore, *batches: Sequence[Mutation]) -> GatewayCore:
    """Return the gateway that a journal gives back."""
    state: dict[str, bytes] = {}
    for mutation in [each for batch in batches for each in batch]:
        if isinstance(mutation, PutRow):
            state[mutation.key] = mutation.value
        elif isinstance(mutation, DropRow):
            state.pop(mutation.key, None)
    return GatewayCore(core.settings, state, after=NOW.wall_us + 1)


def acknowledge(core: GatewayCore, *rows: int, to: str = "g1") -> list[Output]:
    signal = signal_event(Acknowledgement("g2", to, rows), "test", "south")
    return list(core.handle(HeardControl(None, binary.encode(signal)), NOW, "south")[1])


def given(row: int, *, sequence: int = 1, after: int = 0, **changes: Any) -> ControlEvent:
    """Return a publication that g2 gives to g1 at `south`."""
    event = Event.of("Speed", rate=40.0).with_attributes({"Reliability": 1})
    fields: dict[str, Any] = {
        "source": "far",
        "dist_list": "north",
        "event": event,
        "path": ("south",),
        "giver": "g2",
        "next_gateway": "g1",
        **changes,
    }
    return request(RequestType.PUBLICATION, sequence=sequence, row=row, after=after, **fields)


def say_given(control: ControlEvent) -> HeardControl:
    return HeardControl(None, binary.encode(to_event(control)))


def give(core: GatewayCore, control: ControlEvent) -> tuple[list[Mutation], list[Output]]:
    mutations, outputs = core.handle(say_given(control), NOW, "south")
    return list(mutations), list(outputs)
