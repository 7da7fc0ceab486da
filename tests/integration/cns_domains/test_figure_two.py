"""The paper's second figure: six channels, pull connections, a diamond and a cycle."""

from collections import Counter

import pytest
from eventservices.cns import ProxyPullSupplier
from eventservices.cns.domains import (
    Connection,
    CycleCreationForbiddenError,
    DiamondCreationForbiddenError,
    EventDomain,
    NotificationStyle,
)
from integration.cns_domains.conftest import Eventually, Made
from integration.cns_domains.recording import Queued

pytestmark = pytest.mark.broker

EDGES = ((2, 0), (2, 3), (3, 1), (1, 0), (4, 5), (5, 4))
BOUND = 64


def pull(supplier: int, consumer: int) -> Connection:
    return Connection(supplier, consumer, notification_style=NotificationStyle.PULL)


async def figure(domain_of: Made) -> EventDomain:
    domain = await domain_of(6, CycleDetection=0, DiamondDetection=0)
    for edge in EDGES:
        await domain.add_connection(pull(*edge))
    await domain.set_default_supplier_channel(2)
    assert domain.default_consumer_channel == 0
    return domain


def drain(proxy: ProxyPullSupplier, counts: Counter[object]) -> None:
    while (found := proxy.try_pull())[1]:
        counts[found[0]] += 1


async def run(
    domain: EventDomain, eventually: Eventually, *, repetitions: bool
) -> tuple[Counter[object], Counter[object]]:
    """Have each supplier give three events, and return what both consumers pulled."""
    suppliers = [Queued(), Queued(), Queued()]
    first = await domain.connect_pull_consumer(None, repetitions=repetitions)
    second = await domain.connect_pull_consumer_with_id(None, 4, repetitions=repetitions)
    await domain.connect_pull_supplier(suppliers[0])
    await domain.connect_pull_supplier_with_id(suppliers[1], 3)
    await domain.connect_pull_supplier_with_id(suppliers[2], 5)
    for number, supplier in enumerate(suppliers, 1):
        supplier.waiting += [f"s{number}-{event}" for event in range(3)]
    counts: tuple[Counter[object], Counter[object]] = (Counter(), Counter())
    ended = domain.running.movers.values

    def over() -> bool:
        drain(first, counts[0])
        drain(second, counts[1])
        went_round = sum(mover.counters.went_round for mover in ended())
        wanted = 3 * (3 if repetitions else 2)
        return went_round == 3 and sum(counts[0].values()) == wanted

    await eventually(over)
    return counts


async def test_who_asks_for_repetitions_has_each_copy_up_to_the_bound(
    domain_of: Made, eventually: Eventually
) -> None:
    domain = await figure(domain_of)
    one, two = await run(domain, eventually, repetitions=True)
    twice = {f"s1-{event}": 2 for event in range(3)}
    once = {f"s2-{event}": 1 for event in range(3)}
    assert one == twice | once
    # Published at 5, an event reaches 4 over every odd number of connections up to the bound.
    assert two == {f"s3-{event}": BOUND // 2 for event in range(3)}


async def test_who_does_not_ask_has_each_event_once(
    domain_of: Made, eventually: Eventually
) -> None:
    domain = await figure(domain_of)
    one, two = await run(domain, eventually, repetitions=False)
    assert one == {f"s{number}-{event}": 1 for number in (1, 2) for event in range(3)}
    assert two == {f"s3-{event}": 1 for event in range(3)}


async def test_the_cycle_and_the_diamond_are_listed(domain_of: Made) -> None:
    domain = await figure(domain_of)
    assert list(domain.get_cycles()) == [(4, 5)]
    assert list(domain.get_diamonds()) == [((2, 0), (2, 3, 1, 0))]


async def test_where_both_are_forbidden_the_offending_connections_are_refused(
    domain_of: Made,
) -> None:
    domain = await domain_of(6, CycleDetection=1, DiamondDetection=1)
    for edge in EDGES[:3] + EDGES[4:5]:
        await domain.add_connection(pull(*edge))
    with pytest.raises(DiamondCreationForbiddenError) as diamond:
        await domain.add_connection(pull(1, 0))
    assert list(diamond.value.diam) == [((2, 0), (2, 3, 1, 0))]
    with pytest.raises(CycleCreationForbiddenError) as cycle:
        await domain.add_connection(pull(5, 4))
    assert cycle.value.cyc == (4, 5)
