"""Logs as members of a domain: they log, forward or not, and survive a restart."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest
from eventservices.cns import ClientType, structured_event
from eventservices.cns.domains import (
    ChannelNotFoundError,
    ChannelPlace,
    ClientTypeError,
    Connection,
    CycleCreationForbiddenError,
    DomainNotFoundError,
    DomainOptions,
    EventLogDomainFactory,
    Interface,
    LogAttributes,
    LogFullAction,
)
from eventservices.cns.domains.journal import MemoryJournal
from eventservices.cns.domains.moving.handles import Brokers
from eventservices.cns.domains.state import Change
from eventservices.cns.domains.typed.interfaces import Operation
from integration.cns_domains.conftest import LINK, Connect, Eventually
from integration.cns_domains.recording import Anys, Structureds

pytestmark = pytest.mark.broker

Place = Callable[[str], ChannelPlace]
STRUCTURED: Final = ClientType.STRUCTURED_EVENT
DECLARED = {"I": Interface("I", {"act": Operation("act", {"n": "long"})})}


class Kept(MemoryJournal):
    """Is a journal that outlives its factory."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[int, Change]] = []

    async def write(self, domain: int, changes: Sequence[Change]) -> None:
        await super().write(domain, changes)
        self.rows += [(domain, change) for change in changes]

    def read(self) -> list[tuple[int, Change]]:
        return self.rows


def factory(folder: Path, journal: MemoryJournal | None = None) -> EventLogDomainFactory:
    options = DomainOptions(poll_s=0.005, interfaces=DECLARED, logs=folder)
    return EventLogDomainFactory(Brokers(LINK), journal, options)


async def test_a_log_keeps_what_comes_to_its_channel_and_forwards_apart_from_it(
    tmp_path: Path, place: Place, eventually: Eventually
) -> None:
    async with factory(tmp_path) as made:
        domain, _ = await made.create_event_log_domain({"CycleDetection": 1})
        await domain.add_channel(place("source"))
        settings = LogAttributes(constraint="$.number < 3")
        assert await domain.add_log(place("log"), settings) == 1
        await domain.add_channel(place("sink"))
        await domain.add_connection(Connection(0, 1))
        await domain.add_connection(Connection(1, 2))
        with pytest.raises(CycleCreationForbiddenError):
            await domain.add_connection(Connection(2, 0))
        sink = Anys()
        await domain.connect_push_consumer_with_id(sink, 2)
        supplier = await domain.connect_push_supplier()
        log = domain.get_log(1)
        for number in range(5):
            await supplier.push({"number": number})
        await eventually(lambda: len(sink.values) == 5 and log.n_records == 3)
        log.set_forwarding_state(forwarding=False)
        await supplier.push({"number": 0})
        await eventually(lambda: domain.running.movers[1].counters.withheld == 1)
        await eventually(lambda: log.n_records == 4)
        assert len(sink.values) == 5
        log.set_administrative_state(locked=True)
        log.set_forwarding_state(forwarding=True)
        await supplier.push({"number": 1})
        await eventually(lambda: len(sink.values) == 6)
        await eventually(lambda: log.not_logged.get("locked") == 1)
        found = await log.query("$.info.number == 0").get(0, 10)
        assert [each.info for each in found] == [{"number": 0}] * 2


async def test_a_logs_own_events_are_published_beside_its_channel(
    tmp_path: Path, place: Place, connect: Connect, eventually: Eventually
) -> None:
    async with factory(tmp_path) as made:
        domain, _ = await made.create_event_log_domain()
        settings = LogAttributes(LogFullAction.HALT, 200, thresholds=(50,))
        await domain.add_log(place("log"), settings)
        own = await (await connect()).open_channel(place("log").channel + ".log-events")
        told = Structureds()
        proxy = own.for_consumers().obtain_notification_push_supplier(STRUCTURED)
        await proxy.connect_structured_push_consumer(told)
        supplier = await domain.connect_push_supplier()
        await supplier.push("x" * 100)
        await eventually(lambda: told.events)
        [event] = told.events
        assert event.event_type == ("TelecomLog", "ThresholdAlarm")
        assert event.filterable_data["crossed_value"] == 50


async def test_kinds_of_members_are_distinguished(tmp_path: Path, place: Place) -> None:
    async with factory(tmp_path) as made:
        domain, number = await made.create_event_log_domain()
        _, plain = await made.create_event_domain()
        await domain.add_channel(place("a"))
        await domain.add_log(place("b"))
        await domain.add_typed_log(place("c"), ["I"])
        await domain.add_typed_channel(place("d"), ["I"])
        assert (domain.get_all_logs(), domain.get_all_typed_logs()) == ((1,), (2,))
        assert domain.get_all_typed_channels() == (2, 3)
        log, channel = domain.get_typed_log(2)
        assert (log.id, channel.supported) == (2, ("I",))
        with pytest.raises(ClientTypeError):
            domain.get_log(0)
        with pytest.raises(ClientTypeError):
            domain.get_typed_log(1)
        with pytest.raises(ChannelNotFoundError):
            domain.get_log(9)
        assert made.get_all_event_log_domains() == (number,)
        with pytest.raises(DomainNotFoundError):
            made.get_event_log_domain(plain)


async def test_a_log_and_its_domain_survive_a_restart_and_a_removed_log_is_gone(
    tmp_path: Path, place: Place, eventually: Eventually
) -> None:
    journal = Kept()
    async with factory(tmp_path, journal) as made:
        domain, number = await made.create_event_log_domain()
        await domain.add_log(place("log"))
        await domain.add_log(place("other"))
        supplier = await domain.connect_structured_push_supplier()
        await supplier.push_structured_event(structured_event(("D", "T"), "kept"))
        await eventually(lambda: domain.get_log(0).n_records == 1)
        await domain.remove_channel(1)
    async with factory(tmp_path, journal) as again:
        back = again.get_event_log_domain(number)
        await eventually(lambda: back.running.handles[0].connected)
        assert back.get_log(0).get_record(1).info == structured_event(("D", "T"), "kept")
        assert back.get_all_logs() == (0,)
        again_supplier = await back.connect_structured_push_supplier()

        async def logged() -> bool:
            await again_supplier.push_structured_event(structured_event(("D", "T"), "new"))
            return back.get_log(0).n_records > 1

        while not await logged():  # noqa: ASYNC110 - a log has no event to wait for
            await asyncio.sleep(0.01)
    assert [path.name for path in (tmp_path / "domain-0").iterdir()] == ["0.log.sqlite"]
