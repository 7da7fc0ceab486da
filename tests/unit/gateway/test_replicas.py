"""Replicas of one gateway: what each decides, and what each takes over from the others."""

import pytest
from fes.control import RequestType, signal_event
from fes.control.signal import Attendance, Hello
from fes.gateway.inputs import Inject, LinkDown, LinkUp, Tick
from fes.gateway.outputs import Decided, DropRow, ForLeader, ToAdapter
from fes.gateway.replication import INBOX, Forwarded, Tail, is_request, write_forwarded
from fes.gateway.settings import Instant
from fes.link.messages import (
    Confirmed,
    Done,
    Heard,
    HeardControl,
    Publish,
    PublishControl,
    Subscribe,
    Taken,
    Unsubscribe,
)
from fes.model import Event, Stamp, binary
from support.gateways.cores import NOW, SECOND, heard, orders, request, signals
from support.gateways.custodies import event_of, given, publications, reasons, say_given
from support.gateways.replicated import numbers, replicas

PERSISTENT = LinkUp(persistent=True)


def later(seconds: float) -> Instant:
    passed = round(seconds * SECOND)
    return Instant(NOW.wall_us + passed, NOW.time_us + passed)


def ticks(count: int) -> list[Instant]:
    return [later(passed) for passed in range(count)]


@pytest.mark.parametrize("asked", ["a", "b"])
def test_a_request_made_at_any_replica_holds_at_all(asked: str) -> None:
    """Rule P1."""
    one = replicas()
    one.take(asked, Inject(request()))
    for core in one.cores.values():
        (applied,) = core.applied("north")
        assert applied.sources == ("south",)
        assert [row.source for row in core.table.rows()] == ["south"]
    assert len({core.table.digest for core in one.cores.values()}) == 1
    assert not any(key.startswith(INBOX) for key in one.state)


def test_every_replica_knows_what_became_of_a_request() -> None:
    one = replicas("a", "b")
    control = request()
    one.take("a", Inject(control))
    for core in one.cores.values():
        steps = core.outcomes.get(control.id)
        assert steps is not None
        assert ("accepted", "north") in [(each.decision, each.detail) for each in steps]
        assert ("ordered", "north") in [(each.decision, each.service) for each in steps]


def test_each_replica_orders_at_its_own_links() -> None:
    """Rule P2."""
    one = replicas("a", "b")
    for name, asked in (("a", RequestType.SUBSCRIPTION), ("b", RequestType.UNSUBSCRIPTION)):
        one.told.clear()
        one.take(name, Inject(request(asked, sequence=asked)))
        ordered = [
            (replica, type(order))
            for replica, output in one.told
            for order in orders([output], "north")
            if isinstance(order, Subscribe | Unsubscribe)
        ]
        kind = Subscribe if asked is RequestType.SUBSCRIPTION else Unsubscribe
        assert sorted(replica for replica, _ in ordered) == ["a", "b"]
        assert {each for _, each in ordered} == {kind}


def test_what_is_not_sound_is_refused_where_it_was_said() -> None:
    one = replicas()
    outputs = one.take("b", Inject(request(filter="rate >")))
    assert [o.decision for o in outputs if isinstance(o, Decided)] == ["refused"]
    assert not any(isinstance(each, ForLeader) for each in outputs)


def test_a_request_that_no_leader_read_is_taken_by_the_next() -> None:
    """Rule P3."""
    one = replicas()
    one.kill("a")
    one.take("b", Inject(request()))
    assert numbers(one, "b") == ()
    one.lead("c")
    assert len(numbers(one, "b")) == len(numbers(one, "c")) == 1
    assert not any(key.startswith(INBOX) for key in one.state)


def test_a_leader_opens_forwarded_requests_once_and_nothing_else_that_others_committed() -> None:
    core = replicas("a").cores["a"]
    asked = write_forwarded(Forwarded.of(request()))
    changes = {f"{INBOX}1": asked, f"{INBOX}2": None, "row\x1fx\x1fy": b"?", "contact": b"1"}

    mutations, _ = core.follow(Tail(False, changes), NOW)
    again, _ = core.follow(Tail(True, changes), NOW)

    dropped = [each.key for each in mutations if isinstance(each, DropRow)]
    assert dropped == [f"{INBOX}1"]
    assert len(core.table) == 1
    assert again == []


def test_a_leader_remembers_a_bounded_number_of_opened_requests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fes.gateway.replication.OPENED", 2)
    core = replicas("a").cores["a"]
    asked = write_forwarded(Forwarded.of(request()))

    for number in range(1, 4):
        core.follow(Tail(False, {f"{INBOX}{number}": asked}), NOW)

    whole = Tail(True, {f"{INBOX}{number}": asked for number in (2, 3)})
    assert core.follow(whole, NOW)[0] == []
    mutations, _ = core.follow(Tail(False, {f"{INBOX}1": asked}), NOW)
    assert DropRow(f"{INBOX}1") in mutations, "the oldest was forgotten"


def test_a_control_event_that_a_follower_hears_is_the_leaders_to_decide() -> None:
    one = replicas()
    control = request(path=("south",))
    outputs = one.take("b", say_given(control), "south")
    assert [type(each) for each in outputs] == [ForLeader]
    assert all(len(numbers(one, name)) == 1 for name in one.cores)


def test_what_was_forwarded_and_cannot_be_read_is_refused_and_gone() -> None:
    one = replicas("a", "b")
    one._append("b", {f"{INBOX}b\x1f1": b"\xc1"})
    assert one.state.keys().isdisjoint({f"{INBOX}b\x1f1"})


def test_every_replica_delivers_best_effort_events_of_its_origins() -> None:
    """Rule P4."""
    one = replicas()
    one.take("a", Inject(request()))
    for name in one.cores:
        outputs = one.take(name, heard(numbers(one, name), sequence=ord(name)), "north")
        (order,) = publications(outputs)
        assert order.stamp.sequence == ord(name)


def test_an_event_in_custody_is_the_leaders() -> None:
    """Rule P5."""
    one = replicas("a", "b", link=PERSISTENT)
    one.take("a", Inject(request()))
    assert orders(one.take("b", event_of(numbers(one, "b")), "north")) == [Taken(1, taken=False)]
    untaken = event_of(numbers(one, "b"), token=0)
    assert reasons(one.take("b", untaken, "north"), "dropped") == ["is for the replica that leads"]
    assert one.take("b", say_given(given(7)), "south") == []
    assert Taken(1) in orders(one.take("a", event_of(numbers(one, "a")), "north"))


def test_a_publication_goes_on_from_any_replica_and_a_persistent_one_from_the_leader() -> None:
    one = replicas("a", "b")
    best = request(RequestType.PUBLICATION, source="far", path=("south",))
    (order,) = publications(one.take("b", say_given(best), "south"))
    assert order.row == 0
    event = Event.of("Speed", rate=1.0).with_attributes({"Reliability": 1})
    kept = request(RequestType.PUBLICATION, source="far", path=("south",), event=event, sequence=2)
    assert [type(each) for each in one.take("b", say_given(kept), "south")] == [ForLeader]


def test_who_takes_over_goes_on_with_the_rows_under_their_numbers() -> None:
    """Rule P6."""
    one = replicas("a", "b", link=PERSISTENT)
    one.take("a", Inject(request()))
    (first,) = publications(one.take("a", event_of(numbers(one, "a")), "north"))
    one.kill("a")
    (again,) = publications(one.lead("b"))
    assert (again.row, again.stamp) == (first.row, first.stamp)
    one.take("b", Confirmed(first.row), "south")
    (fresh,) = publications(one.take("b", event_of(numbers(one, "b"), sequence=2), "north"))
    assert fresh.row > first.row
    once_more = orders(one.take("b", event_of(numbers(one, "b"), token=9), "north"))
    assert once_more == [Taken(9)]


def test_only_the_leader_speaks_for_the_gateway() -> None:
    """Rule P7."""
    one = replicas("a", "b")
    told = {
        name: [s for now in ticks(4) for s in signals(one.take(name, Tick(), now=now))]
        for name in one.cores
    }
    assert told["b"] == []
    assert len(told["a"]) >= 3
    hello = signal_event(Hello("g2", 5, 1, 1), "test", "south")
    message = HeardControl(None, binary.encode(hello))
    assert signals(one.take("b", message, "south", later(3))) == []
    assert signals(one.take("a", message, "south", later(3)))


def test_who_takes_over_says_hello_and_outdoes_what_was_known_of_the_gateway() -> None:
    """Rule P8."""
    one = replicas("a", "b")
    before = [s for now in ticks(4) for s in signals(one.take("a", Tick(), now=now))]
    assert isinstance(before[0], Hello)
    one.kill("a")
    after = [s for s in signals(one.lead("b", later(8))) if isinstance(s, Hello)]
    assert after[0].epoch > before[0].epoch
    own = [a for h in after for a in h.attendances if a.gateway == "g1"]
    assert own[0].version >= before[0].attendances[0].version


def test_followers_go_by_the_ways_that_the_leader_knows() -> None:
    """Rule P9."""
    one = replicas("a", "b")
    one.take("a", Inject(request(source="far", dist_list="north")))
    gone = Hello("g2", 5, 1, 1, False, (Attendance("g2", NOW.wall_us, NOW.wall_us, ("far",)),))
    one.take("a", HeardControl(None, binary.encode(signal_event(gone, "test", "south"))), "south")
    one.take("a", Tick(), now=later(1))
    follower = one.cores["b"].gossip.presence
    assert follower.roster.digest == one.cores["a"].gossip.presence.roster.digest
    assert follower.routes.hops("g1").get("far") is None


def test_a_follower_withdraws_what_the_leader_let_go() -> None:
    """Rule P11."""
    one = replicas("a", "b")
    ends = NOW.wall_us + SECOND
    one.take("a", Inject(request(expires_us=ends)))
    assert len(numbers(one, "b")) == 1
    one.take("b", Tick(), now=later(2))
    assert len(numbers(one, "b")) == 1
    one.take("a", Tick(), now=later(2))
    assert numbers(one, "b") == numbers(one, "a") == ()
    assert not any(map(is_request, one.state))


def test_what_one_replica_reserved_no_other_sends() -> None:
    """Rule P10."""
    one = replicas("a", "b", link=LinkUp(suppresses=False))
    one.take("a", Inject(request()))
    assert publications(one.take("b", heard(numbers(one, "b"), 5), "north"))
    assert publications(one.take("a", heard(numbers(one, "a"), 5), "north")) == []
    assert publications(one.take("a", heard(numbers(one, "a"), 6), "north"))
    assert publications(one.take("b", heard(numbers(one, "b"), 6), "north")) == []


def test_one_who_starts_later_knows_what_the_others_know() -> None:
    one = replicas("a")
    one.take("a", Inject(request()))
    one.start("b")
    assert len(numbers(one, "b")) == 1
    assert one.cores["b"].table.digest == one.cores["a"].table.digest


def test_what_an_adapter_did_is_known_to_the_replica_that_ordered_it() -> None:
    one = replicas("a", "b")
    one.take("a", Inject(request()))
    (number,) = numbers(one, "b")
    one.take("b", Done(number), "north")
    assert [applied.state for applied in one.cores["b"].applied("north")] == ["applied"]
    assert [applied.state for applied in one.cores["a"].applied("north")] == ["ordered"]
    steps = one.cores["b"].outcomes.get(request().id) or ()
    assert "applied" in [step.decision for step in steps]


def test_an_adapter_that_a_follower_lost_gets_the_whole_state_again() -> None:
    one = replicas("a", "b")
    one.take("a", Inject(request()))
    one.take("b", LinkDown(), "north")
    outputs = one.take("b", LinkUp(), "north")
    assert [o for o in outputs if isinstance(o, ToAdapter) and o.service == "north"]


def test_every_publication_says_whose_event_it_carries() -> None:
    one = replicas("a", "b")
    one.take("a", Inject(request(source="far", dist_list="north")))
    event = heard(numbers(one, "b"), stamp=Stamp("car", 1, 1, NOW.time_us, "north"))
    onward = [o for o in orders(one.take("b", event, "north")) if isinstance(o, PublishControl)]
    assert [(order.publication, order.origin, order.row) for order in onward] == [(True, "car", 0)]
    assert not any(isinstance(order, Publish | Heard) for order in onward)
