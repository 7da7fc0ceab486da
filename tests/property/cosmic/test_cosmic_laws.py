"""Laws of COSMIC's wire formats, calendar and arbitration."""

import contextlib

from eventservices.cosmic.arbiter import Arbiter
from eventservices.cosmic.attributes import EventAttributes, join, part
from eventservices.cosmic.calendar import Calendar, Slot
from eventservices.cosmic.ccp import Configuration, NodeTable
from eventservices.cosmic.fragments import Assembler, split
from eventservices.cosmic.identifier import COSMIC, FAMOUSO, Identifier, Layout, arbitration_key
from eventservices.cosmic.record import Item, Kind, Record, decode, encode
from eventservices.cosmic.subject import subject_uid
from eventservices.cosmic.transmission import Outcome, Transmission
from eventservices.errors import MalformedError, RefusedError
from eventservices.stamp import Stamp
from hypothesis import given
from hypothesis import strategies as st

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
stamped = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20)
"""Names in a stamp, which takes no control characters."""
numbers = st.integers(0, 2**63 - 1)
stamps = st.builds(
    Stamp,
    stamped,
    numbers,
    st.integers(1, 2**63 - 1),
    numbers,
    stamped,
    st.tuples(stamped, stamped),
)
plain = st.one_of(
    st.builds(Item, names, st.just(Kind.STRING), texts),
    st.builds(Item, names, st.just(Kind.LONG), st.integers(-(2**31), 2**31 - 1)),
    st.builds(Item, names, st.just(Kind.DOUBLE), st.floats(allow_nan=False)),
    st.builds(Item, names, st.just(Kind.LONGLONG), st.integers(-(2**63), 2**63 - 1)),
    st.builds(Item, names, st.just(Kind.BOOLEAN), st.booleans()),
    st.builds(Item, names, st.just(Kind.OCTETS), st.binary(max_size=20)),
)


def items(inner: st.SearchStrategy[Item]) -> st.SearchStrategy[tuple[Item, ...]]:
    return st.lists(inner, max_size=5, unique_by=lambda item: item.name).map(tuple)


def records(inner: st.SearchStrategy[Item]) -> st.SearchStrategy[Record]:
    return st.builds(Record, names, items(inner), items(plain))


nested = records(st.one_of(plain, st.builds(Item, names, st.just(Kind.RECORD), records(plain))))


@given(st.sampled_from([COSMIC, FAMOUSO]), st.integers(0, 2**29 - 1))
def test_every_identifier_has_parts_and_the_parts_are_the_identifier(
    layout: Layout, can_id: int
) -> None:
    priority, fragment, node, etag = layout.unpack(can_id)
    assert layout.pack(priority, node, etag, fragment=fragment) == can_id


@given(st.integers(0, 2**29 - 1), st.integers(0, 2**29 - 1))
def test_the_lower_identifier_wins(one: int, other: int) -> None:
    keys = [arbitration_key(each, extended=True) for each in (one, other)]
    assert (keys[0] < keys[1]) is (one < other)
    if Identifier.of(one).priority < Identifier.of(other).priority:
        assert keys[0] < keys[1]


@given(event=st.binary(max_size=4000), with_attributes=st.booleans())
def test_an_event_of_any_length_is_put_together_again(
    *, event: bytes, with_attributes: bool
) -> None:
    assembler = Assembler(10_000)
    parts = list(split(event, with_attributes=with_attributes))
    found = [assembler.take((1, True), data) for data in parts]
    assert found[:-1] == [None] * (len(parts) - 1)
    assert found[-1] == (event, with_attributes)
    assert all(0 < len(data) <= 8 for data in parts)


@given(st.binary(min_size=30, max_size=600), st.data())
def test_an_event_that_lost_a_fragment_never_comes_out(event: bytes, data: st.DataObject) -> None:
    parts = list(split(event))
    lost = data.draw(st.integers(0, len(parts) - 1))
    assembler = Assembler(10_000)
    found = [assembler.take((1, True), part) for part in parts[:lost] + parts[lost + 1 :]]
    assert not any(found)


@given(st.lists(st.binary(max_size=8), max_size=30))
def test_any_bytes_at_all_are_a_fragment_or_malformed(frames: list[bytes]) -> None:
    assembler = Assembler(1000)
    for data in frames:
        with contextlib.suppress(MalformedError):
            assembler.take((1, True), data)


@given(nested)
def test_a_record_crosses_exactly(told: Record) -> None:
    back = decode(encode(told))
    assert back == told
    assert [type(item.value) for item in back.items] == [type(item.value) for item in told.items]


@given(st.binary(max_size=60))
def test_any_bytes_at_all_are_a_record_or_malformed(data: bytes) -> None:
    with contextlib.suppress(MalformedError):
        assert encode(decode(data)) is not None


@given(
    stamp=st.one_of(st.none(), stamps),
    typed=st.booleans(),
    others=st.dictionaries(names, texts, max_size=5),
)
def test_attributes_cross_exactly(
    *, stamp: Stamp | None, typed: bool, others: dict[str, str]
) -> None:
    told = EventAttributes(stamp, typed, others)
    assert part(join(told, b"content")) == (told, b"content")


@given(st.binary(max_size=60))
def test_any_bytes_at_all_are_attributes_or_malformed(data: bytes) -> None:
    with contextlib.suppress(MalformedError):
        part(data)


@given(
    st.lists(st.tuples(st.sampled_from([1000, 2000, 3000, 5000]), st.integers(1, 900)), max_size=8)
)
def test_reserved_slots_never_overlap(wanted: list[tuple[int, int]]) -> None:
    calendar = Calendar()
    for etag, (period_us, length_us) in enumerate(wanted):
        with contextlib.suppress(RefusedError):
            calendar.reserve(Slot(1, etag, period_us, length_us))
    taken = [0] * 30_000
    for slot in calendar:
        for start in range(slot.offset_us, 30_000, slot.period_us):
            for moment in range(start, start + slot.length_us):
                taken[moment % 30_000] += 1
    assert max(taken) <= 1


@given(st.lists(st.binary(min_size=8, max_size=8).filter(any), max_size=5, unique=True))
def test_every_node_gets_a_number_of_its_own(uids: list[bytes]) -> None:
    table, numbers = NodeTable(), set()
    for uid in uids:
        node = Configuration(uid)
        said = node.begin()
        while node.number is None:
            answer = table.take(said, 0)
            assert answer is not None
            said = node.take(answer) or said
        numbers.add(node.number)
    assert len(numbers) == len(uids)


@given(st.lists(st.tuples(st.integers(0, 2**29 - 1), st.integers(1, 4)), max_size=20))
def test_whatever_waits_goes_in_the_order_of_identifiers(given_: list[tuple[int, int]]) -> None:
    arbiter = Arbiter(bit_rate=0)
    for can_id, parts in given_:
        arbiter.offer(Transmission(can_id, iter([b"x"] * parts), _nothing, 1))
    order = []
    while (frame := arbiter.next(1)) is not None:
        order.append(frame.can_id)
        arbiter.sent(1)
    assert order == sorted(can_id for can_id, parts in given_ for _ in range(parts))


@given(names, names)
def test_two_names_are_two_subjects(one: str, other: str) -> None:
    assert (subject_uid(one) == subject_uid(other)) is (one == other)


def _nothing(_outcome: Outcome, _now_us: int) -> None:
    pass
