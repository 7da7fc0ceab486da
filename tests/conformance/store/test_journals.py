"""What every journal does, whoever keeps it."""

import pytest
from conformance.store.places import Place
from fes.errors import BehindError, StoreError
from fes_gateway.store import Entry, fold


def test_entries_come_back_in_order(place: Place) -> None:
    journal = place.open()
    first = journal.append([Entry("a", b"1"), Entry("b", b"2")], 0)
    second = journal.append([Entry("a", None)], first)

    tail = journal.read()
    assert tail.whole
    assert tail.sequence == second == journal.sequence()
    assert tail.entries == (Entry("a", b"1"), Entry("b", b"2"), Entry("a", None))
    assert fold(tail.entries) == {"b": b"2"}


def test_nothing_was_appended_at_first(place: Place) -> None:
    journal = place.open()

    assert journal.sequence() == 0
    assert journal.read() == (True, 0, ())
    assert journal.snapshot() == journal.sequence()


def test_what_came_after_a_number_is_all_that_a_tail_tells(place: Place) -> None:
    journal = place.open()
    numbers = [0]
    for at in range(30):
        numbers.append(
            journal.append([Entry(f"{at}", b"x"), Entry("last", b"%d" % at)], numbers[-1])
        )
    everything = journal.read().entries

    assert numbers == sorted(set(numbers))
    for at, number in enumerate(numbers[1:], 1):
        assert journal.read(number) == (False, numbers[-1], everything[2 * at :])


def test_any_bytes_and_any_keys_come_back(place: Place) -> None:
    entries = (
        Entry("", b""),
        Entry("é\x00 \U0001f600", bytes(range(256))),
        Entry("'; --", b"\xc0"),
    )
    place.open().append(entries, 0)

    assert place.open().read().entries == entries


def test_a_writer_that_missed_something_is_refused_whole(place: Place) -> None:
    one, other = place.open(), place.open()
    number = one.append([Entry("a", b"1")], 0)

    with pytest.raises(BehindError, match="expected 0"):
        other.append([Entry("b", b"2"), Entry("c", b"3")], 0)
    assert one.read() == (True, number, (Entry("a", b"1"),))

    again = other.append([Entry("b", b"2"), Entry("c", b"3")], other.read().sequence)
    assert one.read(number) == (False, again, (Entry("b", b"2"), Entry("c", b"3")))


def test_a_number_that_is_ahead_is_refused_as_well(place: Place) -> None:
    journal = place.open()
    number = journal.append([Entry("a", b"1")], 0)

    with pytest.raises(BehindError):
        journal.append([Entry("b", b"2")], number + 7)
    assert journal.sequence() == number


def test_an_empty_batch_changes_nothing(place: Place) -> None:
    journal = place.open()
    number = journal.append([Entry("a", b"1")], 0)

    assert journal.append([], number) == number
    assert journal.sequence() == number
    with pytest.raises(BehindError):
        journal.append([], 0)


def test_a_batch_larger_than_any_message_enters_whole(place: Place) -> None:
    one, other = place.open(), place.open()
    before = one.append([Entry("a", b"1")], 0)
    batch = tuple(Entry(f"{at}", bytes([at]) * 300_000) for at in range(10))
    batch += (Entry("huge", b"h" * 2_500_000), Entry("a", None))

    number = one.append(batch, before)

    assert other.read(before) == (False, number, batch)
    assert other.append([Entry("b", b"2")], number) == one.sequence()


def test_a_snapshot_keeps_the_sum(place: Place) -> None:
    journal = place.open()
    number = journal.append([Entry("a", b"1"), Entry("b", b"2"), Entry("a", b"3")], 0)
    number = journal.append([Entry("c", b"4"), Entry("b", None)], number)

    stands_for = journal.snapshot()

    tail = journal.read()
    assert stands_for >= number
    assert tail.whole
    assert fold(tail.entries) == {"a": b"3", "c": b"4"}
    assert all(entry.value is not None for entry in tail.entries)
    assert journal.read(stands_for).entries == ()
    after = journal.append([Entry("c", None)], stands_for)
    assert journal.read(stands_for) == (False, after, (Entry("c", None),))
    assert fold(journal.read().entries) == {"a": b"3"}


def test_a_reader_that_a_snapshot_overtook_is_told_to_forget(place: Place) -> None:
    writer, reader = place.open(), place.open()
    number = writer.append([Entry("a", b"1"), Entry("gone", b"2")], 0)
    had = reader.read()
    number = writer.append([Entry("gone", None)], number)
    number = writer.append([Entry("b", b"3")], writer.snapshot())

    tail = reader.read(had.sequence)

    assert tail.whole
    assert tail.sequence == number
    assert fold(tail.entries) == {"a": b"1", "b": b"3"}


def test_a_reader_that_had_all_before_a_snapshot_loses_nothing(place: Place) -> None:
    writer, reader = place.open(), place.open()
    number = writer.append([Entry("a", b"1"), Entry("b", b"2")], 0)
    state = fold(reader.read().entries)
    number = writer.append([Entry("a", None)], writer.snapshot())

    tail = reader.read(1)
    entries = tail.entries if tail.whole else [Entry(*item) for item in state.items()]
    assert fold([*entries, *tail.entries]) == {"b": b"2"}
    assert tail.sequence == number


def test_snapshots_follow_one_another(place: Place) -> None:
    one, other = place.open(), place.open()
    number = 0
    for round_ in range(4):
        for at in range(12):
            number = one.append([Entry(f"{at}", b"%d" % round_)], number)
        other.snapshot()
        number = one.read(number).sequence
    number = one.append([Entry("0", None)], number)

    assert fold(other.read().entries) == {f"{at}": b"3" for at in range(1, 12)}


def test_a_large_snapshot_is_read_as_it_was(place: Place) -> None:
    journal = place.open()
    batch = [Entry(f"{at}", bytes([at]) * 400_000) for at in range(8)]
    journal.append(batch, 0)

    journal.snapshot()

    assert fold(place.open().read().entries) == fold(batch)


def test_a_reader_of_another_journal_begins_anew(place: Place) -> None:
    journal = place.open()
    number = journal.append([Entry("a", b"1")], 0)

    assert journal.read(number + 100) == (True, number, (Entry("a", b"1"),))


def test_what_was_appended_outlives_its_journal(place: Place) -> None:
    journal = place.open()
    number = journal.append([Entry("a", b"\x00\xff")], 0)
    journal.close()
    journal.close()

    again = place.open()
    assert again.read() == (True, number, (Entry("a", b"\x00\xff"),))
    assert again.append([Entry("b", b"")], number) == again.sequence()


def test_a_closed_journal_refuses_everything(place: Place) -> None:
    journal = place.open()
    journal.append([Entry("a", b"1")], 0)
    journal.close()

    for use in (
        journal.read,
        journal.snapshot,
        journal.sequence,
        lambda: journal.append([Entry("b", b"2")], 1),
        lambda: journal.watch(lambda: None),
    ):
        with pytest.raises(StoreError, match="closed"):
            use()
