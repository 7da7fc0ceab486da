"""CNS → SIENA → STEAM → COSMIC → CNS, and back: what one native client gets another published."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from eventservices.servers import NatsServer, ServerSpec
from fes.model import Event, Field, Type, binary
from fes.testing.eventually import eventually
from integration.chain.ends import End
from integration.chain.federation import ADAPTERS, EVENTS, Chain, opened

pytestmark = pytest.mark.broker


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("chain", tmp_path_factory.mktemp("nats"), mqtt=True)) as started:
        yield started


@pytest.fixture
async def chain(server: NatsServer, tmp_path: Path) -> AsyncIterator[Chain]:
    async with opened(server, tmp_path) as made:
        yield made


async def test_every_event_of_every_type_crosses_all_and_comes_back_as_it_was(chain: Chain) -> None:
    """Natively published at one end, natively received at all others, once."""
    for here in chain.ends:
        for end in chain.ends:
            end.got.clear()
        identities = [(await here.publish(event)).identity for event in EVENTS]

        for there in chain.ends:
            if there is not here:
                await arrived(there)
                assert len(there.got) == len(EVENTS)
                got = {stamp.identity: binary.encode(event) for event, stamp in there.got}
                assert got == dict(zip(identities, map(binary.encode, EVENTS), strict=True))
                assert {stamp.home for _, stamp in there.got} == {here.home}
        assert len(here.got) == (len(EVENTS) if here.echo else 0)


@pytest.mark.parametrize("adapter", ["g1.siena", "g3.bus"])
async def test_what_crosses_but_means_nothing_there_is_counted(chain: Chain, adapter: str) -> None:
    """Two events have a priority, and one an area."""
    for event in EVENTS:
        await chain.left.publish(event)

    await arrived(chain.right)

    counted = chain.counted(adapter)
    assert (counted["degraded_priority"], counted["degraded_proximity"]) == (2, 1)


async def test_what_one_cannot_carry_is_refused_there_with_a_count_and_harms_no_other(
    chain: Chain,
) -> None:
    """SIENA's names have 255 characters at most; CNS takes any."""
    await chain.left.publish(Event("Speed", (Field("n" * 300, Type.LONG, 1),)))
    await chain.left.publish(Event.of("Speed", rate=83.0))

    await eventually(lambda: chain.right.got)

    assert rates(chain.bus) == rates(chain.right) == [83.0]
    assert chain.counted("g1.siena")["publish_failed"] == 1


@pytest.mark.parametrize(("here", "there", "at"), [(0, 2, "g3.bus"), (2, 0, "g4.bus")])
async def test_a_record_that_real_time_has_no_room_for_is_refused_where_the_bus_begins(
    chain: Chain, here: int, there: int, at: str
) -> None:
    """One way it came over SIENA and the air; a soft real-time channel has 8 bytes."""
    await chain.ends[here].publish(Event.of("Brake", rate=1.0))
    await chain.ends[here].publish(Event.of("Speed", rate=83.0))

    await eventually(lambda: chain.ends[there].got)

    assert rates(chain.bus) == rates(chain.ends[there]) == [83.0]
    failed = {name: chain.counted(name)["publish_failed"] for name in ADAPTERS}
    assert failed == dict.fromkeys(ADAPTERS, 0) | {at: 1}


async def test_what_the_bus_carries_and_the_air_does_not_goes_the_other_way_only(
    chain: Chain,
) -> None:
    """STEAM's names have 255 characters at most; COSMIC's records take any."""
    long = Event("Speed", (Field("n" * 300, Type.LONG, 1),))
    await chain.bus.publish(long)
    await chain.bus.publish(Event.of("Speed", rate=83.0))

    await eventually(lambda: chain.left.got and len(chain.right.got) > 1)

    assert [event for event, _ in chain.right.got] == [long, Event.of("Speed", rate=83.0)]
    assert rates(chain.left) == [83.0]
    assert chain.counted("g3.air-2")["publish_failed"] == 1


def rates(end: End) -> list[object]:
    """Return what an end was told, in the order in which it came."""
    return [event.parameter("rate") for event, _ in end.got]


async def arrived(end: End) -> None:
    """Wait for all events."""
    await eventually(lambda: len(end.got) >= len(EVENTS), 20.0, "all events")
