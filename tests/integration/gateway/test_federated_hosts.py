"""Several gateways at work: they fall silent, deliver once, and stand in for one another."""

from itertools import permutations

import pytest
from eventservices.stamp import Stamper
from fes.federation.topology import Hop
from fes.model import Event
from fes.testing.eventually import eventually
from fes.testing.keeping import keepers
from fes.testing.memory import MemoryClient
from support.processes.hosts import Hosts, hosts

CHAIN = (("A", "s0"), ("A", "s1"), ("B", "s1"), ("B", "s2"), ("C", "s2"), ("C", "s3"))
RING = (("A", "s0"), ("A", "s1"), ("B", "s1"), ("B", "s2"), ("C", "s2"), ("C", "s0"))


@pytest.fixture(autouse=True)
def forget_keepers() -> None:
    keepers.clear()


async def start_all(federation: Hosts, order: str = "ABC") -> None:
    for gateway in order:
        await federation.start(gateway)


async def agreed(federation: Hosts) -> None:
    """Wait until all gateways know the same."""

    def same() -> bool:
        cores = [each.host.core for each in federation.running.values()]
        known = {(c.table.digest, c.gossip.presence.roster.digest) for c in cores}
        return len(known) == 1 and all(len(c.table) for c in cores)

    await eventually(same, 10.0)


async def in_force(federation: Hosts, service: str, times: int = 1) -> None:
    bus = federation.bus(service)
    await eventually(lambda: sum(bus.subscribed.values()) == times, 10.0)


async def test_a_ring_with_silent_publishers_says_nothing_but_hellos() -> None:
    """Rule H10."""
    async with hosts(*RING) as federation:
        await start_all(federation)
        federation.subscribe("A", "s0", "*")
        await agreed(federation)
        heard = federation.listen("s1")
        before = federation.bus("s1").published

        await eventually(lambda: federation.bus("s1").published >= before + 20, 10.0)

        assert heard == []


async def test_in_a_triangle_one_copy_is_delivered() -> None:
    """Rule G19."""
    async with hosts(*RING) as federation:
        await start_all(federation)
        client = MemoryClient(federation.bus("s2"), "native")
        federation.subscribe("B", "s2", "*")
        await agreed(federation)
        await in_force(federation, "s0", 2)

        MemoryClient(federation.bus("s0"), "publisher").publish(Event.of("Reading", number=1))
        await eventually(lambda: client.events("Reading"))
        MemoryClient(federation.bus("s0"), "second").publish(Event.of("Reading", number=2))
        await eventually(lambda: len(client.events("Reading")) == 2)

        assert [event.parameter("number") for event in client.events("Reading")] == [1, 2]


@pytest.mark.parametrize("order", ["".join(each) for each in permutations("ABC")])
async def test_the_ways_do_not_depend_on_the_order_of_starts(order: str) -> None:
    """Rule R1."""
    async with hosts(*RING) as federation:
        await start_all(federation, order)
        federation.subscribe(order[-1], "s0", "*")
        await agreed(federation)

        routes = {
            name: dict(each.host.core.gossip.presence.routes.hops(name))
            for name, each in federation.running.items()
        }

        assert routes == {
            "A": {"s2": Hop("s1", "B")},
            "B": {"s0": Hop("s1", "A")},
            "C": {"s1": Hop("s2", "B")},
        }


async def test_a_standby_takes_over_and_nothing_persistent_is_lost() -> None:
    """Rule G18."""
    async with hosts(*RING) as federation:
        await start_all(federation)
        client = MemoryClient(federation.bus("s2"), "native")
        federation.subscribe("C", "s2", "s0")
        await agreed(federation)
        await in_force(federation, "s0", 2)
        publish(federation, "s0", range(1, 21))
        await eventually(lambda: client.events("Reading"))

        await federation.kill("B")
        publish(federation, "s0", range(21, 41))

        numbers = await received(client, 40)
        assert sorted(numbers) == list(range(1, 41))


@pytest.mark.parametrize("order", ["".join(each) for each in permutations("ABC")])
async def test_a_chain_is_whole_again_after_every_order_of_restarts(order: str) -> None:
    """Rule G17."""
    async with hosts(*CHAIN) as federation:
        await start_all(federation)
        client = MemoryClient(federation.bus("s3"), "native")
        federation.subscribe("C", "s3", "s0")
        await agreed(federation)
        await in_force(federation, "s0")

        number = 0
        for gateway in order:
            publish(federation, "s0", range(number + 1, number + 6))
            number += 5
            await federation.kill(gateway)
            publish(federation, "s0", range(number + 1, number + 6))
            number += 5
            await federation.start(gateway)

        assert await received(client, number) == list(range(1, number + 1))


def publish(federation: Hosts, service: str, numbers: range) -> None:
    """Publish persistent events at an event service, under one origin."""
    stamper = STAMPERS.setdefault(federation.bus(service).name, Stamper("publisher", service))
    for number in numbers:
        event = Event.of("Reading", number=number).with_attributes({"Reliability": 1})
        federation.bus(service).publish(event, stamper.next(None))


STAMPERS: dict[str, Stamper] = {}


async def received(client: MemoryClient, count: int) -> list[int]:
    await eventually(lambda: len(client.events("Reading")) >= count, 20.0)
    return [event.parameter("number") for event in client.events("Reading")]
