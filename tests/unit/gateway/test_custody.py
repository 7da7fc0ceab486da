"""Persistent events at one gateway: taken, given on, answered for."""

from fes.control import signal_event
from fes.control.signal import Acknowledgement, Attendance, Hello
from fes.gateway.inputs import Inject, Tick
from fes.gateway.outputs import DropRow, PutRow
from fes.gateway.settings import Instant
from fes.link.messages import (
    Confirmed,
    HeardControl,
    Taken,
)
from fes.model import binary
from support.gateways.cores import (
    NOW,
    SECOND,
    orders,
    request,
    signals,
)
from support.gateways.custodies import (
    PERSISTENT,
    acknowledge,
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


def test_the_source_is_answered_with_the_commit_and_the_row_goes_with_the_confirmation() -> None:
    """Rule G1."""
    core, numbers = asked("south")

    mutations, outputs = take(core, event_of(numbers))
    assert [type(each) for each in mutations] == [PutRow]
    assert Taken(1) in orders(outputs, "north")
    (order,) = publications(outputs)
    assert order.row > 0
    assert len(core.delivery.custody) == 1

    mutations, _ = core.handle(Confirmed(order.row), NOW, "south")
    assert [type(each) for each in mutations] == [DropRow, PutRow]
    assert len(core.delivery.custody) == 0


def test_an_event_that_its_service_gives_again_is_answered_and_not_published_again() -> None:
    """Rule G2."""
    core, numbers = asked("south")
    (order,) = publications(take(core, event_of(numbers))[1])

    while_held = take(core, event_of(numbers, token=7))[1]
    core.handle(Confirmed(order.row), NOW, "south")
    when_gone = take(core, event_of(numbers, token=8))[1]

    for outputs, token in ((while_held, 7), (when_gone, 8)):
        assert publications(outputs) == []
        assert Taken(token) in orders(outputs)


def test_full_custody_takes_no_more_and_has_the_source_give_it_again() -> None:
    """Rule G12."""
    core, numbers = asked("south", custody=1)
    take(core, event_of(numbers, 1))

    mutations, outputs = take(core, event_of(numbers, 2))

    assert mutations == []
    assert Taken(2, taken=False) in orders(outputs)
    assert reasons(outputs, "refused") == ["custody is full"]


def test_a_row_for_afar_waits_for_the_next_gateways_acknowledgement() -> None:
    """Rule G3."""
    core, numbers = asked("far")

    _, outputs = take(core, event_of(numbers))
    ((row, after),) = gifts(outputs)
    assert (row > 0, after) == (True, 0)

    acknowledge(core, row + 5)
    acknowledge(core, row, to="another")
    assert len(core.delivery.custody) == 1, "an acknowledgement names the row it answers"
    acknowledge(core, row)
    assert len(core.delivery.custody) == 0


def test_a_row_that_an_adapter_is_to_confirm_does_not_go_with_an_acknowledgement() -> None:
    core, numbers = asked("south")
    (order,) = publications(take(core, event_of(numbers))[1])

    acknowledge(core, order.row)

    assert len(core.delivery.custody) == 1
    core.handle(Confirmed(order.row), NOW, "south")
    assert len(core.delivery.custody) == 0


def test_several_rows_are_on_their_way_and_each_names_the_one_before() -> None:
    """Rule G4."""
    core, numbers = asked("far", in_flight=3)

    sent = [gift for n in range(1, 6) for gift in gifts(take(core, event_of(numbers, n))[1])]
    assert len(sent) == 3
    assert [after for _, after in sent] == [0, sent[0][0], sent[1][0]]

    (more,) = gifts(acknowledge(core, sent[0][0]))
    assert more[1] == sent[2][0]


def test_without_an_answer_all_from_the_oldest_are_sent_again_ever_more_rarely() -> None:
    """Rule G6."""
    core, numbers = asked("far")
    first = [gifts(take(core, event_of(numbers, n))[1])[0] for n in (1, 2)]
    moments = []
    for second in range(1, 40):
        now = Instant(NOW.wall_us + second * SECOND, NOW.time_us)
        here = signal_event(Hello("g2", 1, 0, 0), "test", "south")
        core.handle(HeardControl(None, binary.encode(here)), now, "south")
        again = gifts(list(core.handle(Tick(), now)[1]))
        if again:
            assert again == first
            moments.append(second)

    assert moments[:3] == [3, 7, 15]


def test_a_neighbour_that_comes_back_gets_at_once_what_it_has_not_answered() -> None:
    """Rule G7."""
    core, numbers = asked("far")
    gifts(take(core, event_of(numbers))[1])
    hello = Hello("g2", 1, 0, 0, attendances=(Attendance("g2", 1, 1, ("south", "far")),))
    back = signal_event(hello, "test", "south")

    outputs = core.handle(HeardControl(None, binary.encode(back)), NOW, "south")[1]

    assert len(gifts(list(outputs))) == 1


def test_a_neighbour_that_comes_back_has_no_adapter_publish_anything_again() -> None:
    core, numbers = asked("far", "south")
    urgent = take(core, event_of(numbers, 1, priority=5))[1]
    other = take(core, event_of(numbers, 2))[1]
    (failed,) = publications(other)
    core.handle(Confirmed(failed.row, "is away", retryable=True), NOW, "south")
    hello = Hello("g2", 1, 0, 0, attendances=(Attendance("g2", 1, 1, ("south", "far")),))
    back = HeardControl(None, binary.encode(signal_event(hello, "test", "south")))
    later = Instant(NOW.wall_us + 3 * SECOND, NOW.time_us)

    outputs = list(core.handle(back, later, "south")[1])

    assert gifts(outputs) == gifts(urgent) + gifts(other)
    assert [order.row for order in publications(outputs)] == [failed.row]


def test_a_gateway_that_is_given_an_event_acknowledges_it_after_the_commit() -> None:
    core, _ = asked()
    gift = given(1)

    mutations, outputs = give(core, gift)

    assert any(isinstance(each, PutRow) for each in mutations)
    assert signals(list(outputs), "south")[-1] == Acknowledgement("g1", "g2", (1,))
    assert len(publications(list(outputs))) == 1


def test_an_event_given_twice_is_acknowledged_twice_and_published_once() -> None:
    core, _ = asked()
    give(core, given(1))

    mutations, outputs = give(core, given(1))

    assert mutations == []
    assert publications(list(outputs)) == []
    assert reasons(list(outputs), "suppressed") == ["repeated"]
    assert signals(list(outputs), "south")[-1] == Acknowledgement("g1", "g2", (1,))


def test_an_event_out_of_turn_is_neither_taken_nor_acknowledged() -> None:
    core, _ = asked()
    give(core, given(1))

    mutations, outputs = give(core, given(3, sequence=3, after=2))
    assert mutations == []
    assert signals(list(outputs), "south") == []

    give(core, given(2, sequence=2, after=1))
    assert give(core, given(3, sequence=3, after=2))[0]


def test_custody_that_comes_back_is_held_anew_and_an_old_answer_says_nothing() -> None:
    core, numbers = asked("far")
    ((row, _),) = gifts(take(core, event_of(numbers))[1])

    back = given(9, source="north", dist_list="far", path=("elsewhere",))
    control = say_given(back)
    core.handle(control, NOW, "north")
    acknowledge(core, row)

    assert len(core.delivery.custody) == 1


def test_rows_go_on_after_a_restart_in_their_order() -> None:
    """Rule G15."""
    core, numbers = asked("far")
    subscribed = list(core.handle(Inject(request(source="far", sequence=9)), NOW)[0])
    batches = [take(core, event_of(numbers, n))[0] for n in (1, 2, 3)]

    again = restarted(core, subscribed, *batches)
    again.handle(PERSISTENT, NOW, "north")
    outputs = again.handle(PERSISTENT, NOW, "south")[1]

    sent = gifts(list(outputs))
    assert [after for _, after in sent] == [0, sent[0][0], sent[1][0]]
