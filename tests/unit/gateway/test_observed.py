"""Transparent requests that adapters make of what they observe."""

from typing import Any

from fes.control import RequestType, to_event
from fes.gateway import AdapterSettings, GatewayCore
from fes.gateway.inputs import Tick
from fes.gateway.outputs import Decided
from fes.gateway.settings import Instant
from fes.link.messages import HeardControl, PublishControl, Subscribe, Unsubscribe
from fes.model import binary
from support.gateways.cores import NOW, SECOND, core_of, orders, request, say

OFF_THE_AIR = {
    "north": AdapterSettings("g1.north", "north"),
    "south": AdapterSettings("g1.south", "south", accept=frozenset(), relay=False),
}


def observe(
    core: GatewayCore,
    now: Instant = NOW,
    kind: RequestType = RequestType.SUBSCRIPTION,
    **more: Any,
) -> list[object]:
    """Have the adapter at `south` observe something; return what the gateway does."""
    control = request(kind, requester="observed", **more)
    message = HeardControl(control.stamp, binary.encode(to_event(control)), observed=True)
    return list(core.handle(message, now, "south")[1])


def test_what_is_observed_is_applied_whatever_control_events_may_enter() -> None:
    """Nobody sent a control event, so no allow-list is asked."""
    outputs = observe(core_of("north", "south", adapters=OFF_THE_AIR))
    (order,) = [each for each in orders(outputs, "north") if isinstance(each, Subscribe)]
    assert order.filter == "subject = 'Speed' AND rate > 30"
    assert not orders(outputs, "south")


def test_it_is_passed_on_as_any_request_that_enters_here() -> None:
    outputs = observe(core_of("north", "south"), dist_list="far")
    assert [type(each) for each in orders(outputs, "south")] == [PublishControl]
    assert [type(each) for each in orders(outputs, "north")] == [PublishControl]


def test_it_comes_from_the_adapters_own_event_service_whatever_it_says() -> None:
    core = core_of("north", "middle", "south")
    observe(core, source="middle", path=("middle",))
    assert [row.source for row in core.table.rows()] == ["south"]


def test_a_publication_is_not_observed() -> None:
    core = core_of("north", "south")
    outputs = observe(core, kind=RequestType.PUBLICATION)
    (decided,) = [each for each in outputs if isinstance(each, Decided)]
    assert decided.decision == "refused"
    assert "not observed" in decided.reason


def test_a_renewal_orders_nothing_and_a_lease_that_is_not_renewed_ends() -> None:
    core = core_of("north", "south")
    observe(core, expires_us=NOW.wall_us + 30 * SECOND)
    later = Instant(NOW.wall_us + 20 * SECOND, NOW.time_us + 20 * SECOND)
    outputs = observe(core, later, sequence=2, expires_us=later.wall_us + 30 * SECOND)
    assert not [each for each in orders(outputs, "north") if isinstance(each, Subscribe)]

    end = after(later, 31 * SECOND)
    _, ended = core.handle(Tick(), end)
    assert [type(each) for each in orders(list(ended), "north")] == [Unsubscribe]


def test_what_one_adapter_no_longer_sees_another_still_asks_for() -> None:
    """Both see a client at `south`; the gateway that hears of the other's request is `g1`."""
    core = core_of("north", "south")
    observe(core)
    other = request(requester="observed/g2.south", path=("south",), version=5, sequence=2)
    say(core, other, "south")
    assert [row.requester for row in core.table.rows()] == [
        "observed/g1.south",
        "observed/g2.south",
    ]

    observe(core, kind=RequestType.UNSUBSCRIPTION, sequence=3)

    (applied,) = core.applied("north")
    assert applied.filter == request().filter


def after(now: Instant, more_us: int) -> Instant:
    return Instant(now.wall_us + more_us, now.time_us + more_us)
