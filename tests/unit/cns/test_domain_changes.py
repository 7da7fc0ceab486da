"""Changes of a domain go one after another, each to its end, and leave nothing half done."""

import asyncio
from collections.abc import Sequence

import pytest
from eventservices.cns.domains import (
    ChannelPlace,
    Connection,
    CycleCreationForbiddenError,
    DomainOptions,
    EventDomainFactory,
    MemoryJournal,
    changing,
)
from eventservices.cns.domains.state import Change
from eventservices.cns.errors import AdminLimitExceededError

AT_GATEWAY = ChannelPlace("", "jms-1", "jms-1", "http://gateway")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Disk(MemoryJournal):
    """Is a journal that waits until it is released, and may be full."""

    def __init__(self) -> None:
        super().__init__()
        self.released = asyncio.Event()
        self.writing = asyncio.Event()
        self.full = False
        self.written: list[Change] = []

    async def write(self, domain: int, changes: Sequence[Change]) -> None:
        self.writing.set()
        await self.released.wait()
        if self.full:
            raise OSError("the disk is full")
        await super().write(domain, changes)
        self.written += changes


async def test_a_change_whose_caller_is_cancelled_goes_on_to_its_end() -> None:
    disk = Disk()
    disk.released.set()
    domain, _ = await EventDomainFactory(journal=disk).create_event_domain()
    disk.released.clear()
    disk.writing.clear()
    adding = asyncio.create_task(domain.add_channel(AT_GATEWAY))
    await disk.writing.wait()
    adding.cancel()
    disk.released.set()
    with pytest.raises(asyncio.CancelledError):
        await adding
    assert domain.get_all_channels() == (0,)
    assert disk.written[1:]
    assert await domain.add_channel(AT_GATEWAY) == 1


async def test_a_change_that_the_journal_cannot_keep_is_not_made() -> None:
    disk = Disk()
    disk.released.set()
    domain, _ = await EventDomainFactory(journal=disk).create_event_domain()
    disk.full = True
    with pytest.raises(OSError, match="full"):
        await domain.add_channel(AT_GATEWAY)
    with pytest.raises(OSError, match="full"):
        await domain.set_qos({"CycleDetection": 1})
    with pytest.raises(OSError, match="full"):
        await domain.destroy()
    assert domain.get_all_channels() == ()
    assert domain.get_qos()["CycleDetection"] == 0
    disk.full = False
    assert await domain.add_channel(AT_GATEWAY) == 0


async def test_a_domain_that_cannot_be_kept_does_not_exist_and_its_identifier_is_skipped() -> None:
    disk = Disk()
    disk.released.set()
    disk.full = True
    factory = EventDomainFactory(journal=disk)
    with pytest.raises(OSError, match="full"):
        await factory.create_event_domain()
    disk.full = False
    assert (await factory.create_event_domain())[1] == 1
    assert factory.get_all_domains() == (1,)


async def test_more_changes_than_may_wait_are_refused_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(changing, "MOST_WAITING", 4)
    domain, _ = await EventDomainFactory().create_event_domain()
    adding = (domain.add_channel(AT_GATEWAY) for _ in range(6))
    results = await asyncio.gather(*adding, return_exceptions=True)
    assert results[:4] == [0, 1, 2, 3]
    assert all(isinstance(each, AdminLimitExceededError) for each in results[4:])
    assert (domain.changes.refused, domain.changes.waiting) == (2, 0)


class Subscribed:
    """Makes every subscription at once."""

    async def subscribe(self, _subscription: object) -> None:
        await asyncio.sleep(0)

    unsubscribe = subscribe


async def test_of_two_halves_of_a_cycle_added_at_once_one_is_refused_over_a_slow_journal() -> None:
    options = DomainOptions(subscribing=Subscribed())
    domain, _ = await EventDomainFactory(options=options).create_event_domain({"CycleDetection": 1})
    for _ in range(2):
        await domain.add_channel(AT_GATEWAY)
    for _ in range(100):
        halves = (domain.add_connection(Connection(0, 1)), domain.add_connection(Connection(1, 0)))
        results = await asyncio.gather(*halves, return_exceptions=True)
        [refused] = [each for each in results if isinstance(each, BaseException)]
        assert isinstance(refused, CycleCreationForbiddenError)
        [added] = domain.get_all_connections()
        await domain.remove_connection(added)
