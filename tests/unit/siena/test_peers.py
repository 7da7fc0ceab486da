import msgspec
import pytest
from eventservices.errors import MalformedError
from eventservices.siena import Kind, Options, Seen, where
from eventservices.siena.peers import Peers
from eventservices.siena.presence import (
    MAX_PARTS,
    Bye,
    Change,
    Digest,
    Entry,
    Message,
    Query,
    State,
    Who,
    decode,
    encode,
    state_parts,
)
from eventservices.siena.roster import Roster


def who(version: int = 0, connection: str = "c1", server: str = "S1") -> Who:
    return Who(connection, server, None, 0, version)


def entry(version: int, text: str = "filter{ a >1}", party: str = "p") -> Entry:
    return Entry(Kind.SUBSCRIPTION, party, "", text, version)


class Table:
    """A table of peers whose news are kept."""

    def __init__(self, options: Options | None = None) -> None:
        self.news: list[Seen] = []
        self.peers = Peers(options or Options(), [self.news.append])

    def hear(self, message: Message, now_s: float = 0.0) -> bool:
        return self.peers.hear(message, now_s)

    @property
    def filters(self) -> list[str]:
        return sorted(str(seen.filter.constraints[0].value) for seen in self.peers.current())


def test_a_change_is_told_at_once() -> None:
    table = Table()
    assert not table.hear(Query(who()))
    assert not table.hear(Change(who(1), (entry(1),), ()))
    (seen,) = table.news
    assert (seen.party, seen.filter, seen.version, seen.withdrawn) == (
        "p",
        where(("a", ">", 1)),
        1,
        False,
    )


def test_a_withdrawal_is_told() -> None:
    table = Table()
    table.hear(Query(who()))
    table.hear(Change(who(1), (entry(1),), ()))
    table.hear(Change(who(2), (), (entry(1),)))
    assert [seen.withdrawn for seen in table.news] == [False, True]
    assert table.peers.current() == []


def test_a_missed_change_makes_it_ask_and_the_state_mends_it() -> None:
    table = Table()
    table.hear(Query(who()))
    table.hear(Change(who(1), (entry(1),), ()))
    assert table.hear(Change(who(3), (entry(3, "filter{ a >3}"),), ()))
    assert not table.hear(
        State(who(3), 0, 1, (entry(2, "filter{ a >2}"), entry(3, "filter{ a >3}")))
    )
    assert table.filters == ["2", "3"]
    assert [seen.withdrawn for seen in table.news] == [False, True, False, False]


def test_an_unknown_connection_with_entries_is_asked_once_a_second() -> None:
    table = Table()
    assert table.hear(Digest(who(5)), 0.0)
    assert not table.hear(Digest(who(5)), 0.5)
    assert table.hear(Digest(who(5)), 1.5)


def test_an_older_state_changes_nothing() -> None:
    table = Table()
    table.hear(State(who(3), 0, 1, (entry(3),)))
    table.hear(State(who(2), 0, 1, ()))
    assert len(table.peers.current()) == 1


def test_a_state_in_parts_counts_when_it_is_complete() -> None:
    table = Table()
    assert table.hear(State(who(2), 0, 2, (entry(1, "filter{ a >1}"),)))
    assert table.peers.current() == []
    table.hear(State(who(2), 1, 2, (entry(2, "filter{ a >2}"),)))
    assert table.filters == ["1", "2"]


def test_parts_of_different_versions_are_not_mixed() -> None:
    table = Table()
    table.hear(State(who(2), 0, 2, (entry(1, "filter{ a >1}"),)))
    table.hear(State(who(3), 1, 2, (entry(2, "filter{ a >2}"),)))
    assert table.peers.current() == []


def test_who_missed_its_digests_is_removed_with_all_it_declared() -> None:
    table = Table(Options(digest_interval_s=2.0, missed_digests=3))
    table.hear(State(who(1), 0, 1, (entry(1),)), 0.0)
    table.peers.sweep(6.9)
    assert len(table.peers) == 1
    table.peers.sweep(7.1)
    assert len(table.peers) == 0
    assert table.news[-1].withdrawn
    assert table.peers.died == 1


def test_nobody_dies_while_we_were_deaf() -> None:
    table = Table()
    table.hear(State(who(1), 0, 1, (entry(1),)), 0.0)
    table.peers.spare(100.0)
    table.peers.sweep(105.0)
    assert len(table.peers) == 1


def test_who_says_goodbye_is_removed_at_once() -> None:
    table = Table()
    table.hear(State(who(1), 0, 1, (entry(1),)))
    table.hear(Bye(who(1)))
    assert table.news[-1].withdrawn
    assert len(table.peers) == 0


def test_connections_beyond_the_bound_are_left_out_and_counted() -> None:
    table = Table(Options(max_peers=2))
    for number in range(4):
        table.hear(Digest(who(0, f"c{number}")))
    assert (len(table.peers), table.peers.left_out) == (2, 2)


def test_entries_beyond_the_bound_are_left_out_and_counted() -> None:
    table = Table(Options(max_entries=2))
    table.hear(State(who(4), 0, 1, tuple(entry(n, f"filter{{ a >{n}}}") for n in range(1, 5))))
    assert (len(table.peers.current()), table.peers.left_out) == (2, 2)
    table.hear(Bye(who(4)))
    table.hear(State(who(1, "c2"), 0, 1, (entry(1),)))
    assert len(table.peers.current()) == 1


def test_a_part_out_of_range_is_left_out() -> None:
    table = Table()
    table.hear(State(who(2), 2, 2, (entry(1),)))
    table.hear(State(who(2), 0, 2, (entry(2),)))
    assert table.peers.current() == []
    assert table.peers.left_out == 1


def test_an_entry_without_filter_is_counted_and_harms_nothing() -> None:
    table = Table()
    table.hear(State(who(2), 0, 1, (entry(1, "nonsense"), entry(2))))
    assert (len(table.peers.current()), table.peers.malformed) == (1, 1)


def test_a_connection_that_moved_is_known_at_its_new_server() -> None:
    table = Table()
    table.hear(Digest(who(0, server="S1")))
    table.hear(Digest(who(0, server="S2")))
    assert table.peers.servers == {"S2"}
    assert table.peers.on_server("S2") == ["c1"]


def test_a_roster_tells_each_declaration_once() -> None:
    roster = Roster()
    what = where(("a", ">", 1))
    assert roster.add(Kind.SUBSCRIPTION, "p", "", what) is not None
    assert roster.add(Kind.SUBSCRIPTION, "p", "", what) is None
    assert roster.add(Kind.ADVERTISEMENT, "p", "", what) is not None
    assert roster.remove(Kind.SUBSCRIPTION, "p", what) is None
    assert roster.remove(Kind.SUBSCRIPTION, "p", what) is not None
    assert roster.remove(Kind.SUBSCRIPTION, "p", what) is None
    assert roster.version == 3
    assert [each.kind for each in roster.entries] == [Kind.ADVERTISEMENT]


def test_a_large_state_goes_in_parts_of_moderate_size() -> None:
    entries = [entry(n, f"filter{{ a >{n} b ={'1' * 15}}}") for n in range(1, 5001)]
    parts = list(state_parts(who(5000), entries))
    assert 1 < len(parts) < MAX_PARTS
    assert max(len(encode(part)) for part in parts) < 128 * 1024
    assert [each for part in parts for each in part.entries] == entries


def test_an_empty_state_is_one_message() -> None:
    assert len(list(state_parts(who(0), []))) == 1


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\xc1",
        msgspec.msgpack.encode(["unknown", []]),
        msgspec.msgpack.encode(["digest"]),
        msgspec.msgpack.encode(["digest", ["", "S", None, 0, 0]]),
        msgspec.msgpack.encode(["digest", ["c", "S", None, 0, -1]]),
        b"\x92\xa6digest\x95\xa2\xff\xff\xa1S\xc0\x00\x00",
        msgspec.msgpack.encode(["state", ["c", "S", None, 0, 0], 0, 10**6, []]),
    ],
)
def test_bytes_that_are_no_control_message_are_refused(payload: bytes) -> None:
    with pytest.raises(MalformedError):
        decode(payload)
