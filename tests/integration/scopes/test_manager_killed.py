"""Each policy and mapping on two gateways, the one that manages killed: nothing lost or doubled."""

from collections import defaultdict
from collections.abc import Callable

import pytest
from eventservices.stamp import Stamper
from fes.federation import Federation, loads
from fes.model import Event
from fes.testing.eventually import eventually
from fes.testing.keeping import keepers
from fes.testing.memory import MemoryEvent
from serving.wall_clock import wall_us
from support.processes.hosts import Hosts, hosts_of

FILE = """
version: 1
system: test
event_services:
  a: {kind: memory}
  b: {kind: memory}
  c: {kind: memory}
  d: {kind: memory}
gateways:
  g1: {adapters: {a: {}, b: {}, c: {}}}
  g2: {adapters: {c: {}, d: {}}}
scopes:
  market:
    %s
    members:
      floor: {%s}
      b: {}
      c: {}
  floor:
    %s
    members: {a: {}}
"""

GATHERED = "up: [{gather: {count: 2, results: {sum: {of: n, how: sum}}}}]"
ALL, ONE = 2, 1
POLICIES = {
    "nothing": ("", "", "", ALL),
    "a mapping": ("", "up: [{set: {mapped: 1}}]", "", ALL),
    "several into one": (
        "",
        GATHERED,
        "",
        ALL,
    ),
    "turns": ("delivery: {to: turns}", "", "", ONE),
    "hash": ("delivery: {to: hash, key: n}", "", "", ONE),
    "sticky": ("delivery: {to: sticky, key: n}", "", "", ONE),
    "load": ("delivery: {to: load}", "", "", ONE),
    "top-down": ("traverse: top-down", "", "", ALL),
    "bottom-up": ("traverse: bottom-up", "", "", ALL),
    "delay": ("", "", "publishing: {delay_s: 0.5}", ALL),
    "choice": ("", "", "publishing: {choose: {market: 'n >= 0'}}", ALL),
    "session": ("session: true", "", "", ALL),
}
EVENTS = 12


@pytest.fixture(autouse=True)
def forget_keepers() -> None:
    keepers.clear()


def federation(market: str, edge: str, floor: str) -> Federation:
    """Return the federation of a policy."""
    return loads(FILE % (market, edge, floor), {})


class Received:
    """Which identities of which events are published at some event services."""

    def __init__(self, running: Hosts, services: str) -> None:
        self.at: dict[str, dict[object, set[str]]] = {}
        for service in services:
            self.at[service] = defaultdict(set)
            running.bus(service).listen(self._noting(service))

    def _noting(self, service: str) -> Callable[[MemoryEvent], None]:
        def note(item: MemoryEvent) -> None:
            if item.event.subject == "Reading" and item.stamp is not None:
                key = item.event.parameter("n"), item.event.parameter("sum")
                self.at[service][key].add(str(item.stamp.identity))

        return note

    def count(self) -> int:
        """Return how many different events came, at all event services together."""
        return sum(map(len, self.at.values()))


async def _started(running: Hosts) -> None:
    for gateway in ("g1", "g2"):
        await running.start(gateway)
    running.subscribe("g1", "b", "*")
    running.subscribe("g1", "c", "*")
    running.subscribe("g2", "d", "*")
    await eventually(lambda: bool(running.bus("a").subscribed))


@pytest.mark.parametrize("policy", sorted(POLICIES))
async def test_nothing_is_lost_or_doubled_where_the_manager_is_killed(policy: str) -> None:
    market, edge, floor, copies = POLICIES[policy]
    async with hosts_of(federation(market, edge, floor)) as running:
        await _started(running)
        received = Received(running, "bcd")
        stamper = Stamper("native", "a")

        def publish(numbers: range) -> None:
            for n in numbers:
                event = Event.of("Reading", n=n).with_attributes({"Reliability": 1})
                running.bus("a").publish(event, stamper.next(wall_us()))

        publish(range(EVENTS // 2))
        await eventually(lambda: received.count() > 0 or policy == "delay")
        await running.kill("g1")
        publish(range(EVENTS // 2, EVENTS))
        await running.start("g1")
        expected = copies * (EVENTS // 2 if policy == "several into one" else EVENTS)
        await eventually(lambda: received.count() >= expected)
        publish(range(EVENTS, EVENTS + 2))  # what comes after them shows that nothing else does
        expected += copies * (1 if policy == "several into one" else 2)
        await eventually(lambda: received.count() >= expected)

        assert received.count() == expected
        assert not received.at["d"]
        found = [each for at in received.at.values() for each in at.values()]
        assert all(len(identities) == 1 for identities in found), found
