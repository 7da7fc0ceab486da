"""What the journal gives back is looked at first: a bad row keeps no gateway from starting."""

import random
from dataclasses import replace
from typing import Any

import pytest
from fes.control import RequestType
from fes.gateway import GatewayCore
from fes.gateway.custody.store import MARK, ROW
from fes.gateway.inputs import Inject, Tick
from fes.gateway.journal_keys import key_of, parts_of
from fes.gateway.outputs import Decided, DropRow, PutRow
from fes.gateway.replication import RESERVE, ROSTER, Role, write_roster
from fes.gateway.restore import ASIDE, ASIDE_BYTES, MOST_ASIDE, REASON, TOO_MUCH
from fes.link.messages import Confirmed, Taken
from fes.model import Event, Stamp
from hypothesis import given
from hypothesis import strategies as st
from support.gateways.cores import NOW, heard, orders, request
from support.gateways.custodies import asked, event_of, publications, take

LATER = NOW._replace(wall_us=NOW.wall_us + 1_000_000)


def committed(state: dict[str, bytes], mutations: list[Any]) -> None:
    for mutation in mutations:
        if isinstance(mutation, PutRow):
            state[mutation.key] = mutation.value
        elif isinstance(mutation, DropRow):
            state.pop(mutation.key, None)


def kept_by(origin: str = "car") -> tuple[GatewayCore, dict[str, bytes]]:
    """Return a gateway that keeps one of each kind of row, and its journal."""
    core, numbers = asked("south", "far")
    state: dict[str, bytes] = {}
    for source in ("south", "far"):
        control = request(source=source, dist_list="north", sequence=9, requester=f"r{source}")
        committed(state, core.handle(Inject(control), NOW)[0])
    for sequence in (1, 2):
        stamp = Stamp(origin, 1, sequence, NOW.time_us, "north")
        mutations, outputs = take(core, event_of(numbers, sequence, stamp=stamp))
        committed(state, mutations)
        if sequence == 1:
            row = publications(outputs)[0].row
            committed(state, core.handle(Confirmed(row), NOW, "south")[0])
    state[key_of("reserve", "south", origin, "1", "", "north")] = b"17"
    state[key_of("late", "south", origin, "1", "9", "north")] = b""
    state["contact"] = str(NOW.wall_us).encode()
    state[ROSTER] = write_roster(())
    return core, state


def started(core: GatewayCore, state: dict[str, bytes]) -> tuple[GatewayCore, list[Any], list[Any]]:
    again = GatewayCore(core.settings, state, after=LATER.wall_us)
    mutations, outputs = again.handle(Tick(), LATER)
    return again, list(mutations), list(outputs)


def told(outputs: list[Any], reason: str = REASON) -> list[str]:
    return [o.what for o in outputs if isinstance(o, Decided) and o.reason == reason]


TEXTS = st.text(st.sampled_from("ab/%\x1f\x00\x7f1F\ud800é"), max_size=6)


@given(st.lists(TEXTS, max_size=4), st.lists(TEXTS, max_size=4))
def test_no_two_lists_of_texts_have_the_same_key(one: list[str], other: list[str]) -> None:
    """Rule B1."""
    assert (key_of("row", *one) == key_of("row", *other)) == (one == other)
    assert parts_of(key_of("row", *one)) == ("row", *one)
    assert not key_of("row", *one).startswith(key_of("row", *one, "x"))


@pytest.mark.parametrize("origin", ["a\x1fb", "a\nb", "", "o" * 513, "\x7f", "\x00"])
def test_a_stamp_that_cannot_be_is_set_aside_and_its_source_may_forget_the_event(
    origin: str,
) -> None:
    """Rule B3."""
    core, numbers = asked("south")
    stamp = Stamp(origin, 1, 1, NOW.time_us, "north")
    mutations, outputs = take(core, event_of(numbers, stamp=stamp))
    assert mutations == []
    assert orders(outputs) == [Taken(1)]
    (reason,) = [o.reason for o in outputs if isinstance(o, Decided)]
    assert reason.startswith("stamp's origin")


def test_what_was_kept_of_every_kind_comes_back() -> None:
    core, state = kept_by()
    again, _, outputs = started(core, dict(state))
    assert told(outputs) == []
    assert (len(again.table), again.delivery.custody.marks) == (2, 1)
    assert len(again.delivery.custody) == len(core.delivery.custody) > 0


@pytest.mark.parametrize("prefix", ["1", "2", ROW, MARK, RESERVE, "late\x1f", "contact", ROSTER])
def test_a_row_that_cannot_be_read_is_set_aside_and_the_others_are_restored(prefix: str) -> None:
    """Rule B2."""
    core, state = kept_by()
    key = next((key for key in state if key.startswith(prefix)), f"{prefix}\x1fx\x1f")
    state[key] = b"\xc1 no row"
    whole, _, _ = started(core, {name: value for name, value in state.items() if name != key})
    if prefix == "late\x1f":
        state[f"{key}x\x1f"] = state.pop(key)
        key += "x\x1f"

    again, mutations, outputs = started(core, dict(state))

    assert len(told(outputs)) == 1
    assert len(again.table) == len(whole.table)
    assert len(again.delivery.custody) == len(whole.delivery.custody)
    committed(state, mutations)
    assert state.get(key) != b"\xc1 no row"
    assert [value for name, value in state.items() if name.startswith(ASIDE)] != []
    assert told(started(core, state)[2]) == []


def test_a_gateway_starts_whatever_a_disk_made_of_its_rows() -> None:
    chance = random.Random(7)
    core, state = kept_by()
    for _ in range(250):
        broken = dict(state)
        key = chance.choice(sorted(broken))
        value = bytearray(broken[key] or b"x")
        for _ in range(chance.randint(1, 4)):
            value[chance.randrange(len(value))] = chance.randrange(256)
        del value[chance.randint(1, len(value)) :]
        if chance.random() < 0.3:
            del broken[key]
            key = "".join(chance.sample(key, len(key)))
        broken[key] = bytes(value)
        again, mutations, _ = started(core, broken)
        committed(broken, mutations)
        for role in (Role.FOLLOWING, Role.LEADING):
            GatewayCore(core.settings, broken, LATER.wall_us, role)
        again.handle(heard((1,)), LATER, "north")


def test_a_replica_that_takes_over_a_journal_with_a_bad_row_leads() -> None:
    core, state = kept_by()
    key = next(key for key in state if key.startswith(ROW))
    state[key] = b"\xc1"
    follower = GatewayCore(core.settings, {}, LATER.wall_us, Role.FOLLOWING)
    mutations, outputs = follower.lead(state, LATER, LATER.wall_us)
    assert len(told(list(outputs))) == 1
    assert DropRow(key) in mutations
    assert len(follower.table) == 2


def test_rows_kept_aside_are_bounded() -> None:
    core, state = kept_by()
    state |= {f"mark\x1fo/1/{n}\x1fsouth": b"\xc1" for n in range(3 * MOST_ASIDE)}
    state["mark\x1fo/2/1\x1fsouth"] = b"\xc1" * (ASIDE_BYTES + 1)
    _, mutations, outputs = started(core, state)
    assert len(told(outputs)) == 3 * MOST_ASIDE + 1
    committed(state, mutations)
    assert sum(key.startswith(ASIDE) for key in state) == MOST_ASIDE


def test_a_journal_of_the_format_before_is_read_and_gets_todays_names() -> None:
    core, state = kept_by("a/b")
    old = {}
    parts_before = {"row": 2, "mark": 2, "reserve": 3, "contact": 0, "roster": 0, "1": 4, "2": 4}
    for key, value in state.items():
        kind, *parts = key.split("\x1f")
        if kind != "late":
            old["\x1f".join((kind, *parts[: parts_before[kind]]))] = value

    again, mutations, outputs = started(core, dict(old))

    assert told(outputs) == []
    assert len(again.table) == 2
    assert [row.key for row in again.delivery.custody] == [row.key for row in core.delivery.custody]
    committed(old, mutations)
    assert {key for key in old if key.startswith(ROW)} == {k for k in state if k.startswith(ROW)}
    more = [each.key for each in started(core, dict(old))[1]]
    assert [key for key in more if not key.startswith(("contact", "reserved"))] == []
    done = Stamp("a/b", 1, 1, NOW.time_us, "north")
    numbers = tuple(each.number for each in again.applied("north"))
    _, outputs = take(again, event_of(numbers, stamp=done, token=5))
    assert "repeated" in [o.reason for o in outputs if isinstance(o, Decided)]


def test_the_mark_that_made_a_gateway_fail_at_every_start_is_read() -> None:
    core, state = kept_by()
    mark = next(value for key, value in state.items() if key.startswith(MARK))
    state["mark\x1fcns/supplier\x1fevil/1/1\x1fsouth"] = mark
    again, _, outputs = started(core, state)
    assert told(outputs) == []
    assert again.delivery.custody.marks == 2


def test_a_journal_beyond_the_memory_that_there_is_keeps_its_smallest_requests() -> None:
    core, _ = asked()
    state: dict[str, bytes] = {}
    for number in range(8):
        large = "x" * 200_000 if number % 2 else "x"
        control = request(
            RequestType.ANNOUNCEMENT,
            dist_list="south",
            source="north",
            sequence=number + 1,
            event=Event.of(f"S{number}", text=large),
        )
        committed(state, core.handle(Inject(control), NOW)[0])
    assert len(core.table) == 8
    small = replace(core.settings, requests_bytes=300_000)
    again = GatewayCore(small, dict(state), after=LATER.wall_us)
    mutations, outputs = again.handle(Tick(), LATER)
    assert again.table.bytes <= 300_000
    assert {row.what for row in again.table.rows()} >= {"S0", "S2", "S4", "S6"}
    assert len(told(list(outputs), TOO_MUCH)) == 8 - len(again.table)
    committed(state, list(mutations))
    assert len(GatewayCore(small, state).table) == len(again.table)
