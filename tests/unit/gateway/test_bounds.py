"""What is kept is bounded in bytes, and what is worthless makes room for what is not."""

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest
from fes.control import ControlEvent, RequestType
from fes.gateway import GatewayCore
from fes.gateway.forwarding.transit import weight_of_event
from fes.gateway.inputs import Inject, LinkDown, Tick
from fes.gateway.outputs import ToAdapter
from fes.gateway.requests.row import weight_of_request
from fes.gateway.settings import Instant
from fes.link.messages import Announce, Confirmed, Publish, Taken, Unannounce
from fes.model import Event, binary
from hypothesis import given, settings
from hypothesis import strategies as st
from support.gateways.cores import NOW, core_of, heard, inject, orders, request, say
from support.gateways.custodies import PERSISTENT, asked, event_of, publications, reasons, take

MIB = 1024 * 1024


UNSUB = RequestType.UNSUBSCRIPTION


def ends(seconds: float) -> int:
    """Return the end of a lease that begins now."""
    return NOW.wall_us + round(seconds * 1e6)


def at(seconds: float) -> Instant:
    return Instant(NOW.wall_us + round(seconds * 1e6), NOW.time_us + round(seconds * 1e6))


def three(**changes: Any) -> tuple[GatewayCore, dict[str, int]]:
    """Return a gateway between `north`, `south`, whose link is up, and `east`, whose is not."""
    core = core_of("north", "south", "east", **changes)
    for service in ("north", "south"):
        core.handle(PERSISTENT, NOW, service)
    core.handle(LinkDown(), NOW, "east")
    for sequence, source in enumerate(("south", "east"), 1):
        text = f"subject = 'Speed' AND rate > {sequence}"
        inject(core, request(source=source, dist_list="north", sequence=sequence, filter=text))
    return core, {applied.sources[0]: applied.number for applied in core.applied("north")}


def hear(core: GatewayCore, number: int, sequence: int, **changes: Any) -> tuple[bool, list[Any]]:
    """Have an event heard; tell whether its source may forget it, and what was decided."""
    _, outputs = core.handle(event_of((number,), sequence, **changes), NOW, "north")
    (answer,) = [
        o.order for o in outputs if isinstance(o, ToAdapter) and isinstance(o.order, Taken)
    ]
    return answer.taken, list(outputs)


def body_of(size: int) -> bytes:
    return binary.encode(Event.of("Speed", rate=40.0, text="x" * size))


def test_a_full_custody_of_a_dead_destination_refuses_nothing_for_a_live_one() -> None:
    """Rule B7."""
    core, numbers = three(custody=5)
    assert [hear(core, numbers["east"], n)[0] for n in range(1, 6)] == [True] * 5
    taken, outputs = hear(core, numbers["south"], 10)
    assert taken
    assert len(publications(outputs)) == 1
    assert not hear(core, numbers["east"], 11)[0]


def test_a_dead_destination_uses_no_more_bytes_than_it_leaves_free() -> None:
    core, numbers = three(custody_bytes=4 * MIB)
    body = body_of(200_000)
    assert [hear(core, numbers["east"], n, body=body)[0] for n in range(1, 11)] == [True] * 10
    assert [hear(core, numbers["south"], n, body=body)[0] for n in range(40, 43)] == [True] * 3
    assert not hear(core, numbers["east"], 50, body=body)[0]
    assert core.delivery.custody.bytes <= 4 * MIB


def test_what_expired_is_let_go_at_a_tick_even_where_there_is_no_way() -> None:
    """Rule B8."""
    core, numbers = three(custody=5)
    for sequence in range(1, 6):
        hear(core, numbers["east"], sequence, expires_us=at(2).time_us)
    assert not hear(core, numbers["east"], 6)[0]
    mutations, outputs = core.handle(Tick(), at(3))
    assert reasons(list(outputs), "dropped") == ["expired"] * 5
    assert len(core.delivery.custody) == 0 == core.delivery.custody.bytes
    assert len([each for each in mutations if each.key.startswith(("row", "mark"))]) == 10
    assert hear(core, numbers["east"], 6)[0]


def test_what_is_on_its_way_is_not_let_go_before_it_is_answered() -> None:
    core, numbers = three()
    _, outputs = hear(core, numbers["south"], 1, expires_us=at(0.5).time_us)
    (order,) = publications(outputs)
    _, outputs = core.handle(Tick(), at(1))
    assert reasons(list(outputs), "dropped") == []
    core.handle(Confirmed(order.row), at(1.1), "south")
    assert len(core.delivery.custody) == 0


def test_without_an_answer_it_is_let_go_where_it_would_be_sent_again() -> None:
    core, numbers = three()
    hear(core, numbers["south"], 1, expires_us=at(2).time_us)
    told = [reasons(list(core.handle(Tick(), at(second))[1]), "dropped") for second in range(1, 9)]
    assert [reason for each in told for reason in each] == ["expired"]
    assert len(core.delivery.custody) == 0


def test_a_full_request_table_counts_bytes_and_still_takes_what_makes_it_smaller() -> None:
    core = core_of("north", "south", requests_bytes=MIB)
    told = []
    for number in range(12):
        event = Event.of(f"S{number}", text="x" * 200_000)
        control = request(
            RequestType.ANNOUNCEMENT, sequence=number + 1, event=event, dist_list="north"
        )
        told += inject(core, control)
    refused = [each.reason for each in told if each.decision == "refused"]
    assert len(refused) == 12 - 5
    assert set(refused) == {f"the request table is full ({MIB} bytes)"}
    assert core.table.bytes <= MIB
    smaller = request(
        RequestType.ANNOUNCEMENT, sequence=90, event=Event.of("S0", text="x"), dist_list="north"
    )
    assert [each.decision for each in inject(core, smaller)].count("refused") == 0
    more = request(
        RequestType.ANNOUNCEMENT, sequence=91, event=Event.of("S9", text="x"), dist_list="north"
    )
    assert [each.decision for each in inject(core, more)].count("refused") == 0


def test_fabricated_announcements_are_bounded_in_bytes_and_the_newest_stays() -> None:
    core = core_of("north", "south", announced_bytes=MIB)
    inject(core, request())
    numbers = tuple(one.number for one in core.applied("north"))
    announced: dict[int, int] = {}
    for sequence in range(1, 15):
        body = binary.encode(Event.of(f"S{sequence}", text="x" * 250_000))
        event = heard(numbers, sequence, subject=f"S{sequence}", body=body)
        for order in orders(list(core.handle(event, NOW, "north")[1]), "south"):
            if isinstance(order, Announce):
                announced[order.number] = len(order.body)
            elif isinstance(order, Unannounce):
                del announced[order.number]
    assert 0 < sum(announced.values()) <= core.delivery.announcements.bytes <= MIB
    assert len(announced) == 4


def test_what_is_due_at_one_moment_is_delivered_in_parts_that_leave_others_their_turn() -> None:
    core = core_of("north", "south")
    inject(core, request())
    numbers = tuple(one.number for one in core.applied("north"))
    for sequence in range(1, 251):
        core.handle(heard(numbers, sequence, starts_us=at(5).time_us), NOW, "north")
    delivered = []
    while core.delivery.is_behind(at(6).time_us):
        outputs = list(core.handle(Tick(), at(6))[1])
        delivered.append(sum(isinstance(order, Publish) for order in orders(outputs, "south")))
    assert delivered == [100, 100, 50]


def test_events_that_wait_for_their_start_are_bounded_in_bytes() -> None:
    core = core_of("north", "south", waiting_bytes=MIB)
    inject(core, request())
    numbers = tuple(one.number for one in core.applied("north"))
    dropped = []
    for sequence in range(1, 11):
        event = heard(numbers, sequence, body=body_of(200_000), starts_us=at(5).time_us)
        dropped += reasons(list(core.handle(event, NOW, "north")[1]), "dropped")
    assert dropped == ["too many wait for their StartTime"] * 5
    core.handle(Tick(), at(6))
    assert core.delivery.waiting_bytes == 0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 9), st.booleans()), max_size=40))
def test_the_bytes_of_custody_are_those_of_its_rows(
    steps: list[tuple[int, int, bool]],
) -> None:
    core, numbers = three(custody=3)
    moment, sent = 0.0, []
    for sequence, step, east in steps:
        number = numbers["east" if east else "south"]
        if step < 6:
            expires_us = at(moment + step).time_us if step % 2 else 0
            event = event_of((number,), sequence, body=body_of(step * 50), expires_us=expires_us)
            sent += publications(list(core.handle(event, at(moment), "north")[1]))
        elif step < 8 and sent:
            core.handle(Confirmed(sent.pop().row), at(moment), "south")
        else:
            moment += step
            sent += publications(list(core.handle(Tick(), at(moment))[1]))
        custody = core.delivery.custody
        assert custody.bytes == sum(weight_of_event(row.event) for row in custody)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc*"), st.integers(1, 5), st.integers(0, 3))))
def test_the_bytes_of_the_request_table_are_those_of_its_rows(
    steps: list[tuple[str, int, int]],
) -> None:
    core = core_of("north", "south", horizon_us=10_000_000)
    for sequence, (pattern, which, step) in enumerate(steps, 1):
        moment = at(float(sequence))
        kind = RequestType.UNSUBSCRIPTION if step == 1 else RequestType.SUBSCRIPTION
        control = request(
            kind,
            sequence=sequence,
            dist_list=pattern,
            requester="r" * which,
            version=moment.wall_us,
            expires_us=moment.wall_us + 3_000_000 if step == 2 else 0,
        )
        core.handle(Inject(control), moment)
        core.handle(Tick(), moment)
        assert core.table.bytes == sum(map(weight_of_request, core.table.rows()))


@pytest.mark.parametrize("sequences", [(2**63 - 1,), (2**62, 2**63 - 1)])
def test_one_event_with_an_absurd_sequence_does_not_mute_its_origin(
    sequences: tuple[int, ...],
) -> None:
    """Rule B10."""
    core = core_of("north", "south")
    inject(core, request())
    numbers = tuple(one.number for one in core.applied("north"))
    for sequence in (1, *sequences, 2, 3):
        outputs = list(core.handle(heard(numbers, sequence), NOW, "north")[1])
        assert len(publications(outputs)) == 1


def test_an_event_that_waited_long_for_its_start_is_not_taken_for_a_repetition() -> None:
    """Rule B11."""
    core = core_of("north", "south", window=8)
    inject(core, request())
    numbers = tuple(one.number for one in core.applied("north"))
    core.handle(heard(numbers, 1, starts_us=at(5).time_us), NOW, "north")
    for sequence in range(2, 40):
        core.handle(heard(numbers, sequence), NOW, "north")
    assert len(publications(list(core.handle(Tick(), at(6))[1]))) == 1
    again = heard(numbers, 1, starts_us=at(5).time_us)
    assert publications(list(core.handle(again, at(7), "north")[1])) == []


def test_events_of_two_homes_with_the_same_identity_are_two_events() -> None:
    core, numbers = asked("south")
    body = binary.encode(Event.of("Speed", rate=40.0))
    for token, home in enumerate(("north", "far"), 1):
        stamp = msgspec.structs.replace(event_of(numbers).stamp, home=home)
        for persistent in (True, False):
            event = event_of(numbers, token, stamp=stamp, body=body, persistent=persistent)
            _, outputs = take(core, event)
            if persistent:
                assert len(publications(outputs)) == 1
                core.handle(Confirmed(publications(outputs)[0].row), NOW, "south")


def refused(core: GatewayCore, requests: Iterable[ControlEvent], now: Instant = NOW) -> list[str]:
    """Have each request be received where its client is; return the reasons of refusals."""
    decided = [each for asked in requests for each in say(core, asked, asked.source, now)]
    return [each.reason for each in decided if each.decision == "refused"]


def subscriptions(numbers: range, **changes: Any) -> list[ControlEvent]:
    return [
        request(requester=f"r{number}", sequence=number, **{"version": 1, **changes})
        for number in numbers
    ]


def test_new_requests_of_one_service_are_refused_above_their_rate() -> None:
    """Rule E7."""
    core = core_of("north", "south", max_requests=40, request_rate=2)
    reason = "more than 2 new requests a second of south"

    assert refused(core, subscriptions(range(1, 31))) == []
    assert refused(core, subscriptions(range(1, 11), kind=UNSUB, version=2)) == []
    assert refused(core, subscriptions(range(31, 41))) == []
    assert refused(core, subscriptions(range(1, 6), version=3)) == [reason] * 5
    assert refused(core, subscriptions(range(1, 11), kind=UNSUB, version=4)) == [reason] * 10
    assert refused(core, subscriptions(range(1, 6), version=3), at(2)) == [reason]
    assert refused(core, subscriptions(range(5, 6), version=5), at(1)) == [reason], "set back"


def test_what_ends_or_prolongs_is_accepted_at_any_rate() -> None:
    core = core_of("north", "south", "west", max_requests=20, request_rate=1)
    assert refused(core, subscriptions(range(1, 21), expires_us=ends(60))) == []
    one = range(1, 2)

    assert refused(core, subscriptions(one, expires_us=ends(60.5), version=2))
    assert refused(core, subscriptions(one, expires_us=ends(61), version=3)) == []
    assert refused(core, subscriptions(one, expires_us=0, version=4))
    assert refused(core, subscriptions(one, kind=UNSUB, dist_list="*", version=5)) == []
    assert refused(core, subscriptions(one, kind=UNSUB, dist_list="*", version=6))
    assert refused(core, subscriptions(range(2, 21), kind=UNSUB, version=7)) == []


def test_a_flood_at_one_service_refuses_nothing_of_another_or_of_the_api() -> None:
    core = core_of("north", "south", "west", max_requests=20, request_rate=1)
    assert refused(core, subscriptions(range(1, 11))) == []
    assert refused(core, subscriptions(range(1, 11), kind=UNSUB, version=2)) == []
    assert refused(core, subscriptions(range(1, 11), version=3)) == []
    one_more = subscriptions(range(11, 12))
    assert refused(core, one_more)

    assert refused(core, subscriptions(range(11, 12), source="west")) == []
    assert inject(core, one_more[0])[0].decision == "received"


def test_clients_of_one_service_cannot_keep_the_others_from_asking() -> None:
    """Rule B9."""
    core = core_of("north", "south", requests_bytes=MIB)
    decided = []
    for number in range(12):
        event = Event.of(f"S{number}", text="x" * 150_000)
        decided += say(
            core,
            request(
                RequestType.ANNOUNCEMENT,
                source="north",
                sequence=number + 1,
                event=event,
                dist_list="south",
            ),
            "north",
        )
    assert core.table.bytes_of("north") == core.table.bytes <= MIB // 2 + 160_000
    reasons_given = {each.reason for each in decided if each.decision == "refused"}
    assert reasons_given == {f"requests of north use their share of {MIB} bytes"}
    asked_for = request(source="south", dist_list="north", sequence=50)
    assert "refused" not in [each.decision for each in say(core, asked_for, "south")]
