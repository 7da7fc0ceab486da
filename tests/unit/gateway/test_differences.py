"""Tables are exchanged as differences: what is equal is not told."""

import os
from collections import Counter

import msgspec
from fes.adapter.inbound.receiver import control_bytes
from fes.control import ControlEvent, RequestType, Signal
from fes.control.signal import Ask, Hello, Table
from fes.federation.topology import Topology
from fes.gateway import GatewayCore
from fes.gateway.inputs import Tick
from fes.gateway.outputs import Decided, ToAdapter
from fes.gateway.peers.table_sync import PART_BYTES, REMEMBERED
from fes.gateway.requests.buckets import fitting
from fes.gateway.requests.validation import rows_of
from fes.gateway.turn import Turn
from fes.link.messages import PublishControl
from fes.model import Event
from fes.model.limits import Limits
from support.gateways.cores import NOW, inject, request, signals
from support.gateways.gossiping import at, gateway, hello, of, pass_time, tell

CROWD = 40


def fill(core: GatewayCore, count: int) -> None:
    """Have a gateway know some requests, without applying them one after the other."""
    turn = Turn(NOW, NOW.wall_us)
    for number in range(count):
        control = msgspec.structs.replace(numbered(number), version=NOW.wall_us)
        core.table.take(rows_of(control, ("c",), turn, core.table.kept_us), NOW.wall_us)


def numbered(number: int) -> ControlEvent:
    return request(source="a", dist_list="c", requester=f"c{number}", sequence=number + 1)


def exchange(asker: GatewayCore, asked: GatewayCore, service: str = "b") -> list[Table]:
    """Have one gateway learn from its neighbour; return what the neighbour told."""
    names = asker.settings.id, asked.settings.id
    ask = Ask(*names, asker.table.digests(fitting(len(asker.table))))
    told = of(Table, tell(asked, ask, service), service)
    second = 0
    while not told or not told[-1].count:
        second += 1
        told += of(Table, asked.handle(Tick(), at(second))[1], service)
    for table in told:
        tell(asker, table, service)
    return told


def test_of_two_tables_that_are_nearly_equal_little_is_told() -> None:
    """Rule H12."""
    mine, other = gateway("g1"), gateway("g2")
    for core in (mine, other):
        fill(core, 2_000)
    inject(other, numbered(5_000))

    told = exchange(mine, other)

    assert mine.table.digest == other.table.digest
    assert sum(len(table.rows) for table in told) <= 2_000 / 64


def test_equal_tables_tell_only_who_is_where() -> None:
    mine, other = gateway("g1"), gateway("g2")
    for core in (mine, other):
        fill(core, 300)

    (table,) = exchange(mine, other)

    assert table.rows == ()
    assert table.attendances


def test_what_both_lack_of_one_another_both_learn() -> None:
    mine, other = gateway("g1"), gateway("g2")
    for core in (mine, other):
        fill(core, 300)
    for number in range(20):
        inject(mine, numbered(1_000 + number))
        inject(other, numbered(2_000 + number))

    exchange(mine, other)
    exchange(other, mine)

    assert mine.table.digest == other.table.digest
    assert len(mine.table) == 340


def test_the_largest_announcement_is_exchanged_in_a_part_of_its_own() -> None:
    mine, other = gateway("g1"), gateway("g2")
    large = Event.of("Big", x=os.urandom(Limits().event_bytes - 40))
    fill(other, 3)
    for sequence in range(2):
        announce = request(
            RequestType.ANNOUNCEMENT,
            source="a",
            dist_list="c",
            event=large,
            requester=f"r{sequence}",
            sequence=10 + sequence,
        )
        inject(other, announce)
    outputs = tell(other, Ask("g1", "g2"), "b")
    sizes = [
        len(output.order.body)
        for output in outputs
        if isinstance(output, ToAdapter) and isinstance(output.order, PublishControl)
    ]
    for table in of(Table, outputs, "b"):
        large_rows = [row for row in table.rows if len(bytes(row)) > PART_BYTES]
        assert len(table.rows) == 1 or not large_rows
        tell(mine, table, "b")

    assert mine.table.digest == other.table.digest
    assert max(sizes) > Limits().event_bytes
    assert max(sizes) <= control_bytes(Limits()), "adapters take it"


def test_an_answer_of_which_a_part_is_lost_is_asked_for_again() -> None:
    mine, other = gateway("g1"), gateway("g2")
    fill(other, 350)
    ask = Ask("g1", "g2")
    first, *rest = of(Table, tell(other, ask, "b"), "b")
    for table in (first, *rest[1:]):
        tell(mine, table, "b")
    assert len(mine.table) == 250

    said = hello("g2", "b", "c", table=other.table.digest)
    asks = of(Ask, pass_time(mine, 1, 4, (said, "b")), "b")
    assert asks
    pass_time(other, 1, 4)
    for table in of(Table, tell(other, asks[0], "b", at(5)), "b"):
        tell(mine, table, "b", at(5))

    assert mine.table.digest == other.table.digest


def test_a_crowd_of_newcomers_is_told_the_table_once() -> None:
    """Rule H13."""
    names = [f"g{number}" for number in range(CROWD)]
    crowd = Topology(tuple((name, where) for name in names for where in ("shared", f"own{name}")))
    old, *new = (gateway(name, crowd) for name in names)
    for number in range(60):
        inject(
            old,
            request(source="owng0", dist_list="owng1", requester=f"c{number}", sequence=number + 1),
        )
    told: Counter[str] = Counter()
    said = of(Hello, pass_time(old, 1, 14), "shared")[-1]
    waiting: list[tuple[str, Signal]] = [(old.settings.id, said)]
    for second in (15, 16, 17):
        while waiting:
            sender, signal = waiting.pop(0)
            told[type(signal).__name__] += isinstance(signal, Table) and signal.serial > 0
            for core in (old, *new):
                if core.settings.id != sender:
                    outputs = tell(core, signal, "shared", at(second))
                    more = signals(outputs, "shared")
                    waiting += [
                        (core.settings.id, each) for each in more if not isinstance(each, Hello)
                    ]
        waiting = [(old.settings.id, msgspec.structs.replace(said, table=old.table.digest))]

    assert {core.table.digest for core in new} == {old.table.digest}
    assert told["Table"] <= 3


def test_one_who_asks_for_an_odd_number_of_buckets_is_refused() -> None:
    core = gateway("g1")
    fill(core, 3)

    outputs = tell(core, Ask("g2", "g1", (1, 2, 3)), "b")

    assert [o.decision for o in outputs if isinstance(o, Decided)] == ["refused"]
    assert of(Table, outputs) == []


def test_what_is_remembered_of_asks_is_bounded() -> None:
    core = gateway("g1")
    for number in range(REMEMBERED + 100):
        tell(core, Ask("evil", f"nobody-{number}"), "b")

    assert len(core.gossip.table_sync._asked_us) == REMEMBERED
