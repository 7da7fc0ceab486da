"""Whatever stands in a signal, a gateway goes on, and its journal gives back what it knows."""

import json
from typing import Any

from fes.control.event import CONTROL_SUBJECT
from fes.gateway import GatewayCore
from fes.gateway.inputs import LinkUp, Tick
from fes.gateway.outputs import DropRow, PutRow
from fes.gateway.replication import Role
from fes.link.messages import HeardControl
from fes.model import Event, Field, Type, binary
from hypothesis import given, settings
from hypothesis import strategies as st
from support.gateways.cores import NOW
from support.gateways.gossiping import at, gateway

V = NOW.wall_us

NUMBERS = st.sampled_from(
    [0, 1, -1, V, V + 10**6, V + 10**12, 2**53, 2**62, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30]
)
TEXTS = st.sampled_from(
    ["", "a", "b", "c", "g1", "g2", "g9", "*", "a,b", "a\x1fb", "x" * 600, "\u2028", "é", "\x00"]
)
FILTERS = st.sampled_from(
    ["subject = 'S'", "rate >", "Speed", "FES_x", "(" * 200 + "rate > 1" + ")" * 200, "NOT " * 500]
)
ANY = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=6,
)


def mostly(likely: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return values that are mostly what they should be."""
    return st.one_of(likely, likely, likely, ANY)


STAMPS = st.tuples(mostly(TEXTS), *(mostly(NUMBERS) for _ in range(3)), mostly(TEXTS)).map(list)
BODIES = st.sampled_from(["", "AAAA", "k6NTcGVlZJCQ", "é", "=", "A" * 4000])
ROWS = st.tuples(
    mostly(st.integers(0, 6)),
    mostly(TEXTS),
    mostly(TEXTS),
    mostly(FILTERS | TEXTS),
    mostly(TEXTS),
    mostly(st.booleans()),
    mostly(NUMBERS),
    mostly(NUMBERS),
    mostly(NUMBERS),
    mostly(FILTERS),
    mostly(BODIES),
    mostly(STAMPS),
    mostly(NUMBERS),
    mostly(NUMBERS),
).map(list)
SOUND = [
    2,
    "a",
    "x",
    "subject = 'S'",
    "c",
    False,
    V,
    0,
    0,
    "subject = 'S'",
    "",
    ["o", 1, 1, V, "a"],
]
MISSING = st.tuples(mostly(TEXTS), mostly(TEXTS), mostly(NUMBERS)).map(list)
ATTENDANCES = st.tuples(
    mostly(TEXTS),
    mostly(NUMBERS),
    mostly(NUMBERS),
    mostly(st.lists(mostly(TEXTS), max_size=3)),
    mostly(st.lists(mostly(MISSING), max_size=2)),
).map(list)
MEMBERS = {
    16: {
        "gateway": mostly(TEXTS),
        "epoch": mostly(NUMBERS),
        "table": mostly(NUMBERS),
        "roster": mostly(NUMBERS),
        "away": mostly(st.booleans()),
        "attendances": mostly(st.lists(mostly(ATTENDANCES), max_size=3)),
    },
    17: {
        "gateway": mostly(TEXTS),
        "of": mostly(st.just("g1") | TEXTS),
        "digests": mostly(st.lists(NUMBERS, max_size=9)),
    },
    18: {
        "gateway": mostly(TEXTS),
        "serial": mostly(NUMBERS),
        "number": mostly(st.integers(0, 3)),
        "count": mostly(st.integers(0, 3)),
        "away": mostly(st.booleans()),
        "rows": mostly(st.lists(mostly(ROWS), max_size=3)),
        "attendances": mostly(st.lists(mostly(ATTENDANCES), max_size=2)),
        "asked": mostly(NUMBERS),
        "buckets": mostly(st.lists(st.integers(0, 300), max_size=3)),
        "of": mostly(st.sampled_from([0, 1, 2, 3, 256, 512])),
    },
    19: {
        "gateway": mostly(TEXTS),
        "to": mostly(st.just("g1") | TEXTS),
        "rows": mostly(st.lists(NUMBERS, max_size=3)),
    },
}
OBJECTS = st.sampled_from(sorted(MEMBERS)).flatmap(
    lambda number: st.tuples(
        st.just(number), st.fixed_dictionaries({}, optional=MEMBERS[number]) | ANY
    )
)
SIGNALS = OBJECTS.map(lambda told: (told[0], json.dumps(told[1]))) | st.tuples(
    st.sampled_from([16, 17, 18, 19, 20, -1, 2**31 - 1]),
    st.sampled_from(["", "{", "[" * 5000, '"\\ud800"', "null"]),
)


def signal(number: int, text: str) -> HeardControl:
    fields = (
        Field("Type", Type.LONG, number),
        Field("Source", Type.STRING, "b"),
        Field("Text", Type.STRING, text),
    )
    system = (Field("FES_System", Type.STRING, "test"),)
    return HeardControl(None, binary.encode(Event(CONTROL_SUBJECT, fields, system)))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(SIGNALS, min_size=1, max_size=6),
    st.sampled_from((Role.ALONE, Role.LEADING)),
    st.sampled_from((0, 4_000)),
)
def test_no_signal_stops_a_gateway(told: list[tuple[int, str]], role: Role, gone_s: int) -> None:
    """Rule E5."""
    core, state = gateway("g1"), dict[str, bytes]()
    core.role = role

    def handle(message: Any, second: float, service: str = "") -> None:
        for each in core.handle(message, at(gone_s + second), service)[0]:
            match each:
                case PutRow(key, value):
                    state[key] = value
                case DropRow(key):
                    state.pop(key, None)

    handle(Tick(), 0)
    for second, (number, text) in enumerate(told, 1):
        handle(signal(number, text), second, "b")
        handle(Tick(), second + 0.5)
    beside = {"gateway": "g2", "serial": 0, "number": 0, "count": 1, "away": bool(gone_s)}
    handle(signal(18, json.dumps({**beside, "rows": [told[0][1], SOUND, ["hostile"]]})), 10, "b")
    handle(Tick(), 11)

    assert any(row.requester == "x" and row.kind == SOUND[0] for row in core.table.rows())
    again = GatewayCore(core.settings, state)
    again.handle(LinkUp(), at(gone_s + 12), "b")
    again.handle(Tick(), at(gone_s + 13))
    assert {row.name for row in again.table.rows()} == {row.name for row in core.table.rows()}
