"""What enters at an edge becomes ours there, and what can never be accepted ends."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from fes.control import RequestType, from_event, is_signal, read_signal, signal_event, to_event
from fes.control.signal import Acknowledgement
from fes.federation.topology import Topology
from fes.gateway import AdapterSettings, GatewayCore
from fes.gateway.outputs import Decided, PutRow, ToAdapter
from fes.link.messages import HeardControl, Publish, PublishControl
from fes.model import Event, Stamp, binary
from support.gateways.cores import NOW, core_of, heard, inject, orders, request, say
from support.gateways.custodies import (
    PERSISTENT,
    asked,
    event_of,
    gifts,
    give,
    given,
    publications,
    reasons,
    restarted,
    take,
)


def told(outputs: Sequence[object]) -> list[Any]:
    """Return the publications that a gateway passes on, as control events."""
    return [
        from_event(binary.decode(order.body), None)
        for order in orders(outputs)
        if isinstance(order, PublishControl) and order.publication
    ]


def answers(outputs: Sequence[object]) -> list[Acknowledgement]:
    found = []
    for each in outputs:
        order = getattr(each, "order", None)
        if isinstance(order, PublishControl) and is_signal(event := binary.decode(order.body)):
            signal = read_signal(event, "test")
            found += [signal] if isinstance(signal, Acknowledgement) else []
    return found


def of_home(home: str, sequence: int = 1) -> Stamp:
    return Stamp("samename", 7, sequence, NOW.time_us, home)


@pytest.mark.parametrize("home", ["ch", "car", "NORTH", "north,far", "a b"])
@pytest.mark.parametrize("persistent", [True, False])
def test_a_home_that_is_no_event_service_is_never_used_as_one(
    home: str, *, persistent: bool
) -> None:
    """Rule B4."""
    core, numbers = asked("far", "south")
    stamp = of_home(home)
    _, outputs = take(core, event_of(numbers, stamp=stamp, persistent=persistent))
    (control,) = told(outputs)
    assert (control.source, control.stamp.home) == ("north", "north")
    (order,) = publications(outputs)
    assert order.stamp == of_home("north")
    assert core.delivery.homes_replaced == 1


def test_a_client_publication_in_a_control_event_gets_its_source_as_home() -> None:
    core = core_of("north", "south")
    control = request(
        RequestType.PUBLICATION,
        source="north",
        dist_list="far",
        event=Event.of("Speed", rate=40.0),
    )
    message = HeardControl(of_home("ch"), binary.encode(_with_stamp(control, "ch")))
    _, outputs = core.handle(message, NOW, "north")
    (passed,) = told(list(outputs))
    assert (passed.source, passed.stamp.home) == ("north", "north")


def _with_stamp(control: Any, home: str) -> Event:
    return to_event(msgspec.structs.replace(control, stamp=of_home(home)))


def test_all_access_points_of_a_medium_call_an_unknown_home_the_same() -> None:
    at = (("g1", "a1"), ("g1", "north"), ("g2", "a2"), ("g2", "north"))
    topology = Topology(at, {"a1": "air", "a2": "air"})
    homes = set()
    for service, other in (("a1", "a2"), ("a2", "a1")):
        core = core_of(service, "north", topology=topology, services=("a1", "a2", "north"))
        homes.add(core.settings.home_of("car", service))
        assert core.settings.home_of(other, service) == other
    assert homes == {"a1"}


def test_the_same_identity_of_two_services_is_delivered_twice_and_each_once() -> None:
    """Rule B5."""
    core, numbers = asked("south")
    for token, home in enumerate(("north", "far", "north", "far"), 1):
        _, outputs = take(core, event_of(numbers, token, stamp=of_home(home)))
        assert len(publications(outputs)) == (1 if token < 3 else 0)
    for token, home in enumerate(("north", "far", "north", "far"), 11):
        stamp = of_home(home, 2)
        _, outputs = take(core, event_of(numbers, token, stamp=stamp, persistent=False))
        assert len(publications(outputs)) == (1 if token < 13 else 0)


def test_the_same_identity_of_two_services_stays_two_rows_over_a_restart() -> None:
    core, numbers = asked("south")
    batches = [
        take(core, event_of(numbers, token, stamp=of_home(home)))[0]
        for token, home in enumerate(("north", "far"), 1)
    ]
    again = restarted(core, *batches)
    assert sorted(row.event.stamp.home for row in again.delivery.custody) == ["far", "north"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"source": "ch"}, "parameter 'Source': no event service 'ch'"),
        ({"dist_list": "nowhere"}, "parameter 'DistList': names no event service"),
        (
            {"event": Event.of("Speed").with_attributes({"Reliability": 1, "Timeout": "x"})},
            "attribute 'Timeout'",
        ),
    ],
)
def test_what_can_never_be_accepted_is_refused_for_good(
    changes: dict[str, Any], reason: str
) -> None:
    core, _ = asked("south")
    mutations, outputs = give(core, given(5, **changes))
    (answer,) = answers(outputs)
    assert (answer.to, answer.rows, answer.refused) == ("g2", (), (5,))
    assert answer.reason.startswith(reason)
    assert not any(isinstance(each, PutRow) for each in mutations)


def test_only_the_gateway_that_is_named_refuses_and_only_what_is_of_its_system() -> None:
    core, _ = asked("south")
    cases: tuple[tuple[int, dict[str, Any]], ...] = (
        (5, {"next_gateway": "g3"}),
        (5, {"system": "other"}),
        (0, {}),
    )
    for row, changes in cases:
        _, outputs = give(core, given(row, **{"source": "ch", **changes}))
        assert answers(outputs) == []


def test_what_was_refused_for_good_is_set_aside_and_what_is_behind_goes_on() -> None:
    """Rule B6."""
    core, numbers = asked("far", in_flight=1)
    _, first = take(core, event_of(numbers, 1))
    _, second = take(core, event_of(numbers, 2))
    ((row, _),) = gifts(first)
    assert gifts(second) == []
    refusal = Acknowledgement("g2", "g1", (), (row,), "x" * 5000)
    event = signal_event(refusal, "test", "south")
    mutations, outputs = core.handle(HeardControl(None, binary.encode(event)), NOW, "south")
    (dropped,) = reasons(list(outputs), "dropped")
    assert dropped.startswith("can never be accepted by g2: xxx")
    assert len(dropped) < 400
    assert len(gifts(list(outputs))) == 1
    assert any(isinstance(each, PutRow) and each.key.startswith("mark") for each in mutations)


def test_two_gateways_end_what_the_second_can_never_accept() -> None:
    first, numbers = asked("far")
    _, outputs = take(first, event_of(numbers))
    (passed,) = told(outputs)
    at = (("g2", "south"), ("g2", "far"))
    second = GatewayCore(_other(first, at))
    for service in ("south", "far"):
        second.handle(PERSISTENT, NOW, service)
    event = next(order for order in orders(outputs) if isinstance(order, PublishControl))
    _, said = second.handle(HeardControl(None, event.body), NOW, "south")
    (answer,) = answers(list(said))
    assert answer.refused == (passed.row,)
    back = binary.encode(signal_event(answer, "test", "south"))
    first.handle(HeardControl(None, back), NOW, "south")
    assert len(first.delivery.custody) == 0


def _other(core: GatewayCore, attachments: tuple[tuple[str, str], ...]) -> Any:
    adapters = {name: AdapterSettings(f"{gw}.{name}", name) for gw, name in attachments}
    services = ("south", "far")  # its file does not know `north`
    return replace(core.settings, id="g2", adapters=adapters, services=services)


def test_every_drop_says_where_and_why() -> None:
    """Rule B12."""
    core = core_of("north", "south", "east")
    inject(core, request(source="south", dist_list="north"))
    inject(core, request(source="east", dist_list="north", sequence=2))
    numbers = tuple(one.number for one in core.applied("north"))
    stamp = Stamp("car", 1, 1, NOW.time_us, "south")
    outputs = list(core.handle(heard(numbers, stamp=stamp), NOW, "north")[1])
    drops = [(o.to, o.reason) for o in outputs if isinstance(o, Decided) if o.decision == "dropped"]
    assert drops == [("south", "home is the destination")]
    publishing = [o for o in outputs if isinstance(o, ToAdapter) and isinstance(o.order, Publish)]
    assert [o.service for o in publishing] == ["east"]
    control = request(
        RequestType.PUBLICATION,
        source="far",
        dist_list="east",
        path=("east", "north"),
        event=Event.of("Speed", rate=40.0),
    )
    dropped = [(each.to, each.reason) for each in say(core, control, "north")]
    assert ("east", "path names its destination") in dropped
