import pytest
from eventservices.cosmic.fragments import UNFINISHED, Assembler, Whole, read_header, split
from eventservices.errors import MalformedError, TooLargeError

SOURCE = (7, True)


def fed(*fragments: str | bytes, most: int = 1000) -> tuple[Assembler, list[Whole]]:
    assembler = Assembler(most)
    found = []
    for data in fragments:
        raw = bytes.fromhex(data) if isinstance(data, str) else data
        whole = assembler.take(SOURCE, raw)
        if whole is not None:
            found.append(whole)
    return assembler, found


@pytest.mark.parametrize(
    ("event", "fragments"),
    [
        (b"", ["20"]),
        (b"\1", ["2001"]),
        (bytes(range(7)), ["2000010203040506"]),
        (bytes(range(8)), ["2100010203040506", "0007"]),
        (bytes(range(15)), ["2200010203040506", "010708090a0b0c0d", "000e"]),
    ],
)
def test_an_event_is_cut_into_frames(event: bytes, fragments: list[str]) -> None:
    assert [part.hex() for part in split(event)] == fragments


def test_a_number_beyond_31_takes_a_longer_header() -> None:
    parts = list(split(bytes(32 * 7 + 1)))
    assert len(parts) == 33
    assert parts[0][:2].hex() == "9020"  # 1001 0000: two bytes, first fragment, number 32
    assert parts[1][0] == 31
    assert len(list(split(bytes(32 * 7 + 4064 * 6 + 1)))) == 4097


def test_what_cannot_be_counted_is_refused() -> None:
    with pytest.raises(TooLargeError):
        list(split(bytes(3 * 1024 * 1024)))


def test_attributes_are_told_by_the_first_fragment() -> None:
    parts = list(split(b"1234567", with_attributes=True))
    assert parts[0].hex() == "611f313233343536"
    assert fed(*parts)[1] == [Whole(b"1234567", with_attributes=True)]


def test_an_event_of_a_stranger_with_event_numbers_is_put_together() -> None:
    _, found = fed("610000000005aabb", "400000000005cc")
    assert found == [Whole(b"\xaa\xbb\xcc", with_attributes=False)]


def test_a_lost_fragment_drops_its_event_and_no_other() -> None:
    first = list(split(bytes(30)))
    assembler, found = fed(*first[:2], *first[3:], *split(b"next event"))
    assert found == [Whole(b"next event", with_attributes=False)]
    assert assembler.dropped == 1


def test_a_new_beginning_drops_what_was_unfinished() -> None:
    assembler, found = fed(*list(split(bytes(30)))[:-1], *split(b"new"))
    assert [whole.data for whole in found] == [b"new"]
    assert assembler.dropped == 1


def test_fragments_without_their_beginning_are_strays() -> None:
    assembler, found = fed("0102", "0003")
    assert not found
    assert assembler.strays == 2


def test_a_repeated_fragment_drops_its_event() -> None:
    parts = list(split(bytes(30)))
    assembler, found = fed(parts[0], parts[1], parts[1], *parts[2:])
    assert not found
    assert assembler.dropped == 1


def test_an_event_beyond_the_limit_is_dropped() -> None:
    assembler, found = fed(*split(bytes(50)), most=40)
    assert not found
    assert assembler.dropped == 1


@pytest.mark.parametrize("data", ["", "ff", "f0000000", "80", "60", "6100", "62000000", "613f00"])
def test_a_header_that_is_cut_off_or_unknown_is_refused(data: str) -> None:
    with pytest.raises(MalformedError):
        read_header(bytes.fromhex(data))


def test_sources_are_put_together_apart() -> None:
    assembler = Assembler(1000)
    one, other = list(split(b"12345678")), list(split(b"abcdefgh"))
    assembler.take((1, True), one[0])
    assembler.take((2, True), other[0])
    assert assembler.take((1, True), one[1]) == Whole(b"12345678", with_attributes=False)
    assert assembler.take((2, True), other[1]) == Whole(b"abcdefgh", with_attributes=False)


def test_the_oldest_unfinished_event_is_given_up_where_there_are_too_many() -> None:
    assembler = Assembler(1000)
    parts = list(split(bytes(8)))
    for number in range(UNFINISHED + 1):
        assembler.take((number, True), parts[0])
    assert assembler.dropped == 1
    assert assembler.take((0, True), parts[1]) is None
    assert assembler.take((UNFINISHED, True), parts[1]) is not None
