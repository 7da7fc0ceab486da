"""The journal brings back what was written, and names what it cannot use."""

from contextlib import closing
from pathlib import Path

import pytest
from event_domains.errors import JournalError
from event_domains.journal import SqliteJournal
from eventservices.cns import ClientType
from eventservices.cns.domains import ChannelPlace, Connection, NotificationStyle, TypedConnection
from eventservices.cns.domains.records import (
    ChannelType,
    DomainKind,
    DomainRecord,
    MemberRecord,
)
from eventservices.cns.domains.state import (
    Change,
    ConnectionChange,
    DomainChange,
    MemberChange,
)

PLACE = ChannelPlace("nats://one", 'a "key": channel')
CHANGES: list[Change] = [
    DomainChange(DomainRecord(DomainKind.LOG, forbid_cycles=True, next_member=3)),
    MemberChange(0, MemberRecord(PLACE)),
    MemberChange(2, MemberRecord(PLACE, ChannelType.TYPED_CHANNEL, ("A", "B"))),
    ConnectionChange(5, Connection(0, 2, ClientType.SEQUENCE_EVENT, NotificationStyle.PULL)),
    ConnectionChange(6, TypedConnection(2, 2, "A")),
]


def test_what_was_written_comes_back_in_an_order_that_serves(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "domains.sqlite"
    with closing(SqliteJournal(path)) as journal:
        journal.write(4, CHANGES)
        journal.write(4, [MemberChange(1, MemberRecord(PLACE)), MemberChange(1, None)])
        journal.write(9, CHANGES[:1])
        journal.write(9, [DomainChange(None)])
    with closing(SqliteJournal(path)) as journal:
        assert list(journal.read()) == [(4, change) for change in CHANGES]
        assert journal.next_domain() == 10


def test_a_file_that_is_no_journal_is_named(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    path.write_bytes(b"no database at all, but long enough to look like something" * 20)
    with pytest.raises(JournalError, match=r"other\.sqlite"):
        SqliteJournal(path)


def test_a_row_that_cannot_be_read_is_named_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "domains.sqlite"
    with closing(SqliteJournal(path)) as journal:
        journal.write(0, CHANGES)
        journal._db.execute("update member set body = x'00'")
        with pytest.raises(JournalError, match=r"domains\.sqlite"):
            list(journal.read())
