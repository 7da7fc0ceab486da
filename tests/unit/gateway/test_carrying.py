"""Persistent events at one gateway: when they wait, go, go again, and are let go."""

from datetime import UTC, datetime

import pytest
from fes.gateway import AdapterSettings, GatewayCore
from fes.gateway.inputs import Inject, LinkDown, LinkUp, Tick
from fes.gateway.outputs import DropRow, PutRow
from fes.gateway.settings import Instant
from fes.link.messages import (
    Confirmed,
    Taken,
)
from fes.model import Event, Stamp
from support.gateways.cores import (
    NOW,
    SECOND,
    core_of,
    heard,
    inject,
    orders,
    request,
    say,
    topology_of,
)
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
    say_given,
    take,
)


def test_a_row_waits_while_there_is_no_way_and_goes_once_there_is() -> None:
    core, numbers = asked("south")
    core.handle(LinkDown(), NOW, "south")

    _, outputs = take(core, event_of(numbers))
    assert publications(outputs) == []
    assert Taken(1) in orders(outputs)

    outputs = list(core.handle(PERSISTENT, NOW, "south")[1])
    assert len(publications(outputs)) == 1


def test_what_failed_for_a_time_is_tried_again_and_what_failed_for_good_is_set_aside() -> None:
    """Rule G14."""
    core, numbers = asked("south")
    (one,) = publications(take(core, event_of(numbers, 1))[1])
    (two,) = publications(take(core, event_of(numbers, 2))[1])

    core.handle(Confirmed(one.row, "is away", retryable=True), NOW, "south")
    core.handle(Confirmed(two.row, "out of turn", retryable=True), NOW, "south")
    later = Instant(NOW.wall_us + 3 * SECOND, NOW.time_us)
    again = publications(list(core.handle(Tick(), later)[1]))
    assert [(order.row, order.after) for order in again] == [(one.row, 0), (two.row, one.row)]

    outputs = core.handle(Confirmed(one.row, "too large"), later, "south")[1]
    assert reasons(list(outputs), "dropped") == ["too large"]
    assert len(core.delivery.custody) == 1


def test_what_was_dropped_beside_what_was_answered_is_not_waited_for_ever_longer() -> None:
    core, numbers = asked("south")
    bus = Stamp("bus", 1, 1, NOW.time_us, "north")
    (one,) = publications(take(core, event_of(numbers, 1))[1])
    (two,) = publications(take(core, event_of(numbers, 2, stamp=bus))[1])
    for seconds in (2, 6, 14, 30):
        again = core.handle(Tick(), Instant(NOW.wall_us + seconds * SECOND, NOW.time_us))[1]
        assert {order.row for order in publications(list(again))} == {one.row, two.row}

    answered = Instant(NOW.wall_us + 31 * SECOND, NOW.time_us)
    core.handle(Confirmed(one.row), answered, "south")
    later = Instant(NOW.wall_us + 32 * SECOND, NOW.time_us)
    (again_two,) = publications(list(core.handle(Tick(), later)[1]))
    assert again_two.row == two.row

    much_later = Instant(NOW.wall_us + 63 * SECOND, NOW.time_us)
    assert publications(list(core.handle(Tick(), much_later)[1])) == [], "nothing is answered"


def test_urgent_events_go_first_when_rows_go_on() -> None:
    """Rule G11."""
    core, numbers = asked("south")
    core.handle(LinkDown(), NOW, "south")
    for sequence, priority in ((1, 0), (2, 5), (3, -3), (4, 5)):
        take(core, event_of(numbers, sequence, priority=priority))

    outputs = list(core.handle(PERSISTENT, NOW, "south")[1])

    assert [order.stamp.sequence for order in publications(outputs)] == [2, 4, 1, 3]


def test_an_expired_row_is_dropped_and_one_with_a_start_time_waits_for_it() -> None:
    core, numbers = asked("south")
    core.handle(LinkDown(), NOW, "south")
    take(core, event_of(numbers, 1, expires_us=NOW.time_us + SECOND))
    take(core, event_of(numbers, 2, starts_us=NOW.time_us + 60 * SECOND))
    later = Instant(NOW.wall_us + 2 * SECOND, NOW.time_us + 2 * SECOND)

    outputs = list(core.handle(PERSISTENT, later, "south")[1])
    assert publications(outputs) == []
    assert reasons(outputs, "dropped") == ["expired"]

    begun = Instant(later.wall_us + 60 * SECOND, later.time_us + 60 * SECOND)
    outputs = list(core.handle(Tick(), begun)[1])
    assert [order.stamp.sequence for order in publications(outputs)] == [2]


def test_a_row_that_is_given_anew_when_its_start_time_came_goes_once_by_its_new_number() -> None:
    core, _ = asked()
    starts = datetime.fromtimestamp(NOW.time_us / 1e6 + 1, UTC).isoformat()
    told = {"Reliability": 1, "StartTime": starts}
    event = Event.of("Speed", rate=40.0).with_attributes(told)
    due = Instant(NOW.wall_us + SECOND, NOW.time_us + SECOND)
    assert publications(give(core, given(1, event=event))[1]) == []

    outputs = core.handle(say_given(given(2, event=event)), due, "south")[1]
    (order,) = publications(list(outputs))
    assert publications(list(core.handle(Tick(), due)[1])) == []
    later = Instant(due.wall_us + 3 * SECOND, due.time_us + 3 * SECOND)
    assert [o.row for o in publications(list(core.handle(Tick(), later)[1]))] == [order.row]
    core.handle(Confirmed(order.row), later, "north")

    assert len(core.delivery.custody) == 0


def test_rows_whose_start_time_came_go_the_urgent_first() -> None:
    core, numbers = asked("south")
    starts_us = NOW.time_us + SECOND
    for sequence, priority in ((1, 0), (2, 5), (3, 0)):
        event = event_of(numbers, sequence, priority=priority, starts_us=starts_us)
        assert publications(take(core, event)[1]) == []

    outputs = core.handle(Tick(), Instant(NOW.wall_us + SECOND, starts_us))[1]

    found = [order.stamp.sequence for order in publications(list(outputs))]
    assert found == [2, 1, 3]


@pytest.mark.parametrize("error", ["", "is away"])
def test_an_adapter_answers_only_for_what_it_was_to_publish(error: str) -> None:
    """Rule G20."""
    core, numbers = asked("south")
    (order,) = publications(take(core, event_of(numbers))[1])
    later = event_of(numbers, 2, starts_us=NOW.time_us + 60 * SECOND)
    take(core, later)

    core.handle(Confirmed(order.row, error, retryable=True), NOW, "north")
    core.handle(Confirmed(order.row + 1, error, retryable=True), NOW, "south")

    assert len(core.delivery.custody) == 2


def test_a_best_effort_event_waits_for_its_start_time_too() -> None:
    """Rule F3."""
    core, numbers = asked("south", waiting=1)
    starts_us = NOW.time_us + 5 * SECOND

    held = take(core, heard(numbers, 1, starts_us=starts_us))[1]
    over = take(core, heard(numbers, 2, starts_us=starts_us))[1]
    assert publications(held) == []
    assert reasons(over, "dropped") == ["too many wait for their StartTime"]

    begun = Instant(NOW.wall_us + 5 * SECOND, starts_us)
    outputs = list(core.handle(Tick(), begun)[1])
    assert [order.stamp.sequence for order in publications(outputs)] == [1]


def test_a_persistent_event_waits_for_its_start_time_where_its_destination_keeps_none() -> None:
    core, numbers = asked("south")
    core.handle(LinkUp(persistent=False), NOW, "south")
    starts_us = NOW.time_us + 5 * SECOND

    early = take(core, event_of(numbers, starts_us=starts_us))[1]
    assert publications(early) == []

    begun = Instant(NOW.wall_us + 5 * SECOND, starts_us)
    assert len(publications(list(core.handle(Tick(), begun)[1]))) == 1


def test_marks_are_kept_for_the_retransmission_horizon_and_no_longer() -> None:
    """Rule G13."""
    core, numbers = asked("south", retransmission_us=10 * SECOND)
    (order,) = publications(take(core, event_of(numbers))[1])
    core.handle(Confirmed(order.row), NOW, "south")
    assert core.delivery.custody.marks == 1

    core.handle(Tick(), Instant(NOW.wall_us + 9 * SECOND, NOW.time_us))
    assert core.delivery.custody.marks == 1
    mutations, _ = core.handle(Tick(), Instant(NOW.wall_us + 10 * SECOND, NOW.time_us))

    assert core.delivery.custody.marks == 0
    assert any(isinstance(each, DropRow) for each in mutations)


def test_the_record_of_what_is_repeated_is_kept_for_the_horizon_again() -> None:
    """Rule G29."""
    core, numbers = asked("south", retransmission_us=10 * SECOND)
    event = event_of(numbers)
    (order,) = publications(take(core, event)[1])
    core.handle(Confirmed(order.row), NOW, "south")

    for after_s in (
        9,
        18,
        27,
    ):  # who sends it again has no answer, and goes on for longer than that
        later = Instant(NOW.wall_us + after_s * SECOND, NOW.time_us)
        core.handle(Tick(), later)
        _, outputs = core.handle(event, later, "north")
        assert reasons(outputs, "suppressed") == ["repeated"]
        assert publications(outputs) == []

    core.handle(Tick(), Instant(NOW.wall_us + 37 * SECOND, NOW.time_us))
    assert core.delivery.custody.marks == 0


def test_a_record_is_not_written_again_for_each_copy_of_a_flood() -> None:
    core, numbers = asked("south", retransmission_us=80 * SECOND)
    event = event_of(numbers)
    (order,) = publications(take(core, event)[1])
    core.handle(Confirmed(order.row), NOW, "south")

    written = []
    for after_s in range(1, 31):
        later = Instant(NOW.wall_us + after_s * SECOND, NOW.time_us)
        mutations, _ = core.handle(event, later, "north")
        written += [each for each in mutations if isinstance(each, PutRow)]

    assert len(written) == 3, "once each eighth of the horizon"


def test_too_many_marks_let_the_oldest_go_and_count_it() -> None:
    core, numbers = asked("south", marks=2)
    for sequence in (1, 2, 3):
        (order,) = publications(take(core, event_of(numbers, sequence))[1])
        core.handle(Confirmed(order.row), NOW, "south")

    assert (core.delivery.custody.marks, core.delivery.custody.forgotten) == (2, 1)


def test_a_destination_that_keeps_nothing_gets_it_once_behind_those_that_wait() -> None:
    """Rule G10."""
    core, numbers = asked("south")
    core.handle(LinkDown(), NOW, "south")
    take(core, event_of(numbers, 1))
    core.handle(LinkUp(), NOW, "south")

    assert len(core.delivery.custody) == 0
    _, outputs = take(core, event_of(numbers, 2))
    assert [order.row for order in publications(outputs)] == [0]
    assert reasons(outputs, "degraded") == [""]


def test_marks_of_a_destination_that_cannot_suppress_survive_a_restart() -> None:
    """Rule F6."""
    core, numbers = asked("south")
    core.handle(LinkUp(suppresses=False), NOW, "south")
    subscribed = list(core.handle(Inject(request(sequence=9, requester="two")), NOW)[0])
    mutations, outputs = take(core, heard(numbers))
    assert len(publications(outputs)) == 1
    assert len(mutations) == 1

    again = restarted(core, subscribed, mutations)
    for service in ("north", "south"):
        again.handle(LinkUp(suppresses=False), NOW, service)
    numbers = tuple(applied.number for applied in again.applied("north"))

    assert publications(take(again, heard(numbers))[1]) == []
    assert len(publications(take(again, heard(numbers, 2))[1])) == 1


def test_a_row_for_a_service_that_the_file_no_longer_has_is_let_go() -> None:
    core, numbers = asked("far")
    batch = take(core, event_of(numbers))[0]
    smaller = core_of("north", "south", services=("north", "south")).settings
    state = {each.key: each.value for each in batch if isinstance(each, PutRow)}
    again = GatewayCore(smaller, state, after=NOW.wall_us + 1)

    outputs = list(again.handle(PERSISTENT, NOW, "south")[1])

    assert reasons(outputs, "dropped") == ["no such event service"]
    assert len(again.delivery.custody) == 0


@pytest.mark.parametrize("source", ["far", "south"])
def test_on_the_air_gateways_answer_one_another_and_native_clients_do_not(source: str) -> None:
    """Rule G9."""
    adapters = {
        "north": AdapterSettings("g1.north", "north"),
        "south": AdapterSettings("g1.south", "south", on_medium=True),
    }
    core = core_of(
        "north",
        "south",
        adapters=adapters,
        topology=topology_of("north", "south", mediums=("south",)),
    )
    inject(core, request(source=source, dist_list="north"))
    numbers = tuple(applied.number for applied in core.applied("north"))

    _, outputs = take(core, event_of(numbers))

    assert len(core.delivery.custody) == int(source == "far")
    assert len(gifts(outputs)) == int(source == "far")


def test_decisions_about_given_events_are_told() -> None:
    core, _ = asked()

    decisions = say(core, given(1), "south")

    assert ("applied", "north") in [(each.decision, each.to) for each in decisions]


def test_what_waited_behind_an_expired_row_goes_after_what_is_urgent() -> None:
    core, numbers = asked("south")
    expires_us = NOW.time_us + 2 * SECOND
    for event in (
        event_of(numbers, 1, expires_us=expires_us),
        event_of(numbers, 2),
        event_of(numbers, 3, priority=5),
    ):
        for sent in publications(take(core, event)[1]):
            core.handle(Confirmed(sent.row, "is away", retryable=True), NOW, "south")
    later = Instant(NOW.wall_us + 4 * SECOND, NOW.time_us + 4 * SECOND)

    outputs = list(core.handle(Tick(), later)[1])

    assert reasons(outputs, "dropped") == ["expired"]
    assert [(each.priority, each.stamp.sequence) for each in publications(outputs)] == [
        (5, 3),
        (0, 2),
    ]
