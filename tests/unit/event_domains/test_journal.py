"""The journal brings back what was written, and names what it cannot use."""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import event_domains.journal
import pytest
from event_domains.errors import JournalError
from event_domains.journal import SqliteJournal
from eventservices.cns import ClientType
from eventservices.cns.domains import (
    ChannelPlace,
    Connection,
    EventDomainFactory,
    NotificationStyle,
    TypedConnection,
)
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

MODES: Final = {"journal_mode": "wal", "synchronous": 2, "locking_mode": "exclusive"}
PLACE = ChannelPlace("nats://one", 'a "key": channel')
CHANGES: list[Change] = [
    DomainChange(DomainRecord(DomainKind.LOG, forbid_cycles=True, next_member=3)),
    MemberChange(0, MemberRecord(PLACE)),
    MemberChange(2, MemberRecord(PLACE, ChannelType.TYPED_CHANNEL, ("A", "B"))),
    ConnectionChange(5, Connection(0, 2, ClientType.SEQUENCE_EVENT, NotificationStyle.PULL)),
    ConnectionChange(6, TypedConnection(2, 2, "A")),
]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_what_was_written_comes_back_in_an_order_that_serves(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "domains.sqlite"
    with closing(SqliteJournal(path)) as journal:
        await journal.write(4, CHANGES)
        await journal.write(4, [MemberChange(1, MemberRecord(PLACE)), MemberChange(1, None)])
        await journal.write(9, CHANGES[:1])
        await journal.write(9, [DomainChange(None)])
    with closing(SqliteJournal(path)) as journal:
        assert list(journal.read()) == [(4, change) for change in CHANGES]
        assert journal.next_domain() == 10


def test_a_file_that_is_no_journal_is_named(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    path.write_bytes(b"no database at all, but long enough to look like something" * 20)
    with pytest.raises(JournalError, match=r"other\.sqlite"):
        SqliteJournal(path)


async def test_a_row_that_cannot_be_read_is_named_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "domains.sqlite"
    with closing(SqliteJournal(path)) as journal:
        await journal.write(0, CHANGES)
        journal._db.execute("update member set body = x'00'")
        with pytest.raises(JournalError, match=r"domains\.sqlite"):
            list(journal.read())


class Blocked(SqliteJournal):
    """Is a journal whose disk does not answer until it is released."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.disk = threading.Event()

    def _write_all(self, domain: int, changes: Sequence[Change]) -> None:
        assert self.disk.wait(30)
        super()._write_all(domain, changes)


async def test_a_disk_that_does_not_answer_delays_nobody_but_who_waits_for_it(
    tmp_path: Path,
) -> None:
    with closing(Blocked(tmp_path / "domains.sqlite")) as journal:
        async with EventDomainFactory(journal=journal) as factory:
            creating = asyncio.create_task(factory.create_event_domain())
            while not journal.waiting:  # noqa: ASYNC110 - that a write waits has no event
                await asyncio.sleep(0)
            assert factory.get_all_domains() == ()  # the loop serves others, and nothing is there
            journal.disk.set()
            assert (await creating)[1] == 0
            assert factory.get_all_domains() == (0,)


async def test_more_writes_than_may_wait_are_refused_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_domains.journal, "MOST_WAITING", 3)
    with closing(Blocked(tmp_path / "domains.sqlite")) as journal:
        writes = [asyncio.create_task(journal.write(each, CHANGES[:1])) for each in range(5)]
        await asyncio.wait(writes, return_when=asyncio.FIRST_COMPLETED)
        journal.disk.set()
        results = await asyncio.gather(*writes, return_exceptions=True)
    assert [isinstance(each, JournalError) for each in results] == [False] * 3 + [True] * 2
    assert (journal.refused, journal.waiting) == (2, 0)


async def test_every_write_is_on_the_disk_when_it_returns(tmp_path: Path) -> None:
    with closing(SqliteJournal(tmp_path / "domains.sqlite")) as journal:
        modes = [journal._db.execute(f"pragma {name}").get for name in MODES]
        assert dict(zip(MODES, modes, strict=True)) == MODES
