"""What gateways tell one another: hellos, tables, and who is there."""

import msgspec
import pytest
from fes.control import RequestType
from fes.control.signal import Ask, Attendance, Hello, Missing, Table
from fes.federation.topology import Hop, Topology
from fes.gateway import AdapterSettings, GatewayCore
from fes.gateway.inputs import Inject, LinkDown, LinkUp, Ready, Tick
from fes.gateway.outputs import Decided, PutRow
from support.gateways.cores import NOW, SECOND, core_of, inject, request
from support.gateways.gossiping import at, gateway, hello, of, pass_time, tell


def test_a_gateway_says_hello_once_an_interval_and_where_others_are() -> None:
    """Rule H1."""
    core = core_of("north", "south")

    said = pass_time(core, 1, 10)

    assert 8 <= len(of(Hello, said, "south")) <= 10
    assert of(Hello, said, "north") == [], "no other gateway is there"


def test_a_hello_has_what_its_gateway_is_attached_to() -> None:
    core = gateway("g1")

    said = of(Hello, pass_time(core, 1, 3), "b")[-1]

    assert isinstance(said, Hello)
    own = core.gossip.presence.roster.get("g1")
    assert own.version >= 0
    assert own in said.attendances


def test_in_a_crowd_each_says_hello_more_rarely() -> None:
    """Rule H2."""
    crowd = Topology(tuple((f"g{n}", name) for n in range(40) for name in ("shared", f"own{n}")))

    said = pass_time(gateway("g0", crowd), 1, 20)

    assert len(of(Hello, said, "shared")) in (4, 5)


def test_neighbours_that_know_the_same_ask_nothing() -> None:
    """Rule H3."""
    core = gateway("g1")
    twin = gateway("g2")
    inject(core, request(source="a", dist_list="c"))
    for signal in of(Table, tell(core, Ask("g2", "g1"), "b")):
        tell(twin, signal, "b")
    tell(core, of(Hello, pass_time(twin, 1, 2), "b")[-1], "b")
    tell(twin, of(Hello, pass_time(core, 1, 2), "b")[-1], "b")
    same = of(Hello, pass_time(twin, 3, 3), "b")[-1]
    assert isinstance(same, Hello)
    assert (same.table, same.roster) == (core.table.digest, core.gossip.presence.roster.digest)

    asked = of(Ask, pass_time(core, 3, 4, (same, "b")))

    assert asked == []


def test_one_who_was_not_there_asks_and_is_told_the_table() -> None:
    """Rule H4."""
    old, new = gateway("g1"), gateway("g2")
    inject(old, request(source="a", dist_list="c"))
    said = of(Hello, pass_time(old, 1, 2), "b")[-1]

    (ask,) = of(Ask, tell(new, said, "b", at(1)))
    told = of(Table, tell(old, ask, "b", at(1)), "b")
    outputs = [output for table in told for output in tell(new, table, "b", at(1))]

    assert new.table.digest == old.table.digest
    assert [applied.filter for applied in new.applied("c")] == [request().filter]
    assert of(Table, outputs, "c"), "what is new is told on"
    assert of(Table, outputs, "b") == [], "but not where it came from"


def test_what_somebody_else_asked_for_is_not_asked_for_again() -> None:
    """Rule H6."""
    core = gateway("g2")

    tell(core, Ask("g9", "g1"), "b")

    assert of(Ask, tell(core, hello("g1", table=5), "b")) == []
    pass_time(core, 1, 3)
    assert len(of(Ask, tell(core, hello("g1", table=5), "b", at(3)))) == 1


def test_what_may_be_on_its_way_is_not_asked_for_at_once() -> None:
    """Rule H5."""
    core = gateway("g2")
    inject(core, request(source="a", dist_list="c"))

    assert of(Ask, tell(core, hello("g1", table=5), "b")) == []
    pass_time(core, 1, 3)
    assert len(of(Ask, tell(core, hello("g1", table=5), "b", at(3)))) == 1


def test_a_difference_that_does_not_go_is_asked_about_ever_more_rarely() -> None:
    """Rule H7."""
    core = gateway("g2")

    said = pass_time(core, 1, 100, (hello("g1", "a", "b", table=5), "b"))

    assert 5 <= len(of(Ask, said, "b")) <= 10


def test_a_large_table_is_told_in_bounded_parts_over_several_ticks() -> None:
    """Rule H8."""
    core = gateway("g1")
    for number in range(1000):
        inject(
            core, request(source="a", dist_list="c", requester=f"c{number}", sequence=number + 1)
        )

    first = of(Table, tell(core, Ask("g2", "g1"), "b"), "b")
    rest = of(Table, pass_time(core, 1, 5), "b")
    tables = [each for each in first + rest if isinstance(each, Table)]

    assert len(first) == 4
    assert [table.number for table in tables] == list(range(10))
    assert all(len(table.rows) <= 100 for table in tables)


def test_a_row_that_is_not_accepted_or_not_sound_does_not_enter() -> None:
    """Rule E4."""
    shut = AdapterSettings("g2.b", "b", accept=frozenset({RequestType.SUBSCRIPTION}))
    core = gateway("g2", adapters={"b": shut, "c": AdapterSettings("g2.c", "c")})
    old = gateway("g1")
    inject(old, request(source="a", dist_list="c"))
    inject(old, request(RequestType.ANNOUNCEMENT, source="a", dist_list="c", sequence=2))
    (table,) = of(Table, tell(old, Ask("g2", "g1"), "b"))
    assert isinstance(table, Table)
    raw = msgspec.json.decode(table.rows[0])
    bad = [[*raw[:3], "x", *raw[4:]], [*raw[:4], "a,b", *raw[5:]], [*raw[:6], 2**62, *raw[7:]], 5]
    rows = tuple(msgspec.Raw(msgspec.json.encode(row)) for row in bad)

    outputs = tell(core, msgspec.structs.replace(table, rows=table.rows + rows), "b")

    assert [row.kind for row in core.table.rows()] == [RequestType.SUBSCRIPTION]
    refused = [o.reason for o in outputs if isinstance(o, Decided) and o.decision == "refused"]
    assert len(refused) == 5


@pytest.mark.parametrize("system", ["another"])
def test_signals_of_another_system_are_refused(system: str) -> None:
    core = gateway("g2")

    outputs = tell(core, hello("g1", "a", "b"), "b", system=system)

    assert [o.decision for o in outputs if isinstance(o, Decided)] == ["refused"]
    assert core.gossip.presence.roster.get("g1").version == -1


def test_where_no_control_event_may_enter_no_signal_does() -> None:
    """Rule E3."""
    shut = AdapterSettings("g2.b", "b", accept=frozenset())
    core = gateway("g2", adapters={"b": shut, "c": AdapterSettings("g2.c", "c")})

    assert tell(core, hello("g1", "a", "b"), "b") == []


def test_a_standby_takes_over_once_hellos_cease() -> None:
    """Rule R2."""
    core = gateway("g1")
    heard = ((hello("g2", "b", "c"), "b"), (hello("g3", "a", "c"), "a"))
    pass_time(core, 1, 5, *heard)
    assert core.gossip.presence.routes.hops("g1")["c"] == Hop("b", "g2")

    pass_time(core, 6, 10, heard[1])
    assert core.gossip.presence.routes.hops("g1")["c"] == Hop("a", "g3")

    pass_time(core, 11, 11, *heard)
    assert core.gossip.presence.routes.hops("g1")["c"] == Hop("b", "g2")


def test_a_gateway_is_not_missed_before_it_had_time_to_say_hello() -> None:
    core = gateway("g1")

    pass_time(core, 1, 3)

    assert core.gossip.presence.routes.hops("g1")["c"] == Hop("b", "g2")


def test_a_clock_that_jumps_and_a_process_that_stood_still_miss_nobody() -> None:
    """Rule R3."""
    core = gateway("g1")
    pass_time(core, 1, 3, (hello("g2", "b", "c"), "b"), (hello("g3", "a", "c"), "a"))

    for seconds in (600.0, 601.0):
        core.handle(Tick(), at(seconds))

    assert core.gossip.presence.roster.get("g1").missing == ()


def test_who_misses_whom_is_told_on_and_changes_the_ways_of_others() -> None:
    """Rule R4."""
    core = gateway("g1")
    pass_time(core, 1, 2, (hello("g2", "b", "c"), "b"), (hello("g3", "a", "c"), "a"))
    missed = Attendance("g2", 2, 1, ("b", "c"), (Missing("g3", "c", 1),))

    outputs = tell(core, hello("g2", attendances=(missed,)), "b", at(2))

    told = of(Hello, outputs, "a")[-1]
    assert isinstance(told, Hello)
    assert missed in told.attendances
    assert ("g3", "c") not in core.gossip.presence.roster.live()


def test_a_gateway_that_is_missed_by_a_dead_one_refutes_it() -> None:
    """Rule R5."""
    core = gateway("g3")
    roster = core.gossip.presence.roster
    pass_time(core, 1, 1, (hello("g1", "a", "b"), "a"))
    before = roster.get("g3")
    dead = Attendance("g2", 5, 1, ("b", "c"), (Missing("g3", "c", before.since),))

    said = tell(core, hello("g1", attendances=(dead,)), "a", at(2))

    assert roster.get("g3").since > before.since
    assert ("g3", "c") in roster.live()
    told = of(Hello, said, "a")[-1]
    assert isinstance(told, Hello)
    assert told.attendances[0] == roster.get("g3")


def test_a_gateway_that_is_missed_by_one_that_it_hears_refutes_nothing() -> None:
    core = gateway("g3")
    roster = core.gossip.presence.roster
    alive = hello("g2", "b", "c")
    pass_time(core, 1, 1, (alive, "c"))
    before = roster.get("g3")
    accusing = Attendance("g2", 5, 1, ("b", "c"), (Missing("g3", "c", before.since),))

    tell(core, hello("g2", attendances=(accusing,)), "c", at(2))

    assert roster.get("g3").since == before.since
    assert ("g3", "c") not in roster.live()


def test_one_that_goes_on_missing_a_gateway_is_refuted_only_now_and_then() -> None:
    core = gateway("g3")
    roster = core.gossip.presence.roster
    pass_time(core, 1, 1)
    refuted = []
    for second in range(2, 80):
        since = roster.get("g3").since
        miss = (Missing("g3", "c", since),)
        tell(
            core,
            hello("g1", attendances=(Attendance("g2", second, 1, ("c",), miss),)),
            "a",
            at(second),
        )
        core.handle(Tick(), at(second))
        if roster.get("g3").since > since:
            refuted.append(second)

    assert refuted == [2, 31, 61], "every 30 hello intervals, by the tick before"


def test_a_gateway_started_again_outdoes_what_was_known_of_it() -> None:
    """Rule R6."""
    core = gateway("g1")
    before = Attendance("g1", NOW.wall_us + 50, NOW.wall_us + 50, ("a",))

    said = tell(core, hello("g2", attendances=(before,)), "b")
    said += core.handle(Tick(), at(0))[1]

    own = core.gossip.presence.roster.get("g1")
    assert own.version > before.version
    assert own.at == ("a", "b")


def test_a_service_that_does_not_answer_is_not_told_as_a_way() -> None:
    """Rule R7."""
    core = gateway("g1")

    core.handle(Ready(ready=False), NOW, "b")
    assert core.gossip.presence.routes.hops("g1")["c"] == Hop("a", "g3")
    core.handle(Ready(ready=True), NOW, "b")
    assert core.gossip.presence.routes.hops("g1")["c"] == Hop("b", "g2")
    core.handle(LinkDown(), NOW, "b")
    assert core.gossip.presence.routes.hops("g1")["c"] == Hop("a", "g3")


def test_who_was_away_for_longer_than_the_horizon_takes_the_neighbours_table() -> None:
    """Rule H9."""
    horizon_us = 60 * SECOND
    old, other = (gateway(name, horizon_us=horizon_us) for name in ("g2", "g1"))
    inject(other, request(source="a", dist_list="c", requester="kept"))
    late = at(1000)
    mutations = [
        *old.handle(Inject(request(source="a", dist_list="c", requester="stale")), NOW)[0],
        PutRow("contact", str(NOW.wall_us).encode()),
    ]
    state = {m.key: m.value for m in mutations if isinstance(m, PutRow)}
    back = GatewayCore(old.settings, state, after=late.wall_us)
    for service in ("b", "c"):
        back.handle(LinkUp(), late, service)
    assert [applied.what for applied in back.applied("c")]
    pass_time(other, 1, 70, (hello("g3"), "a"))
    assert not other.gossip.touch.doubtful, "for a horizon only others that may be new were there"

    assert of(Ask, tell(other, hello("g2", table=5, away=True), "b", at(70))) == []
    known = hello("g1", table=other.table.digest)
    asks = of(Ask, pass_time(back, 1_001, 1_003, (known, "b")))
    for table in of(Table, tell(other, asks[0], "b", at(70))):
        tell(back, table, "b", at(1_003))

    assert [row.requester for row in back.table.rows()] == ["kept"]
    assert not back.gossip.table_sync.away
