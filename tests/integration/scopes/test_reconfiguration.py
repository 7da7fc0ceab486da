"""Scopes change under load at two gateways, and one is killed amid the roll-out."""

from collections import Counter
from functools import partial

import pytest
from eventservices.stamp import Stamper
from fes.federation import Federation, loads
from fes.federation.scopes.change import Change
from fes.federation.scopes.model import Member
from fes.model import Event
from fes.testing.eventually import eventually
from fes.testing.keeping import keepers
from fes.testing.memory import MemoryEvent
from serving.clocks import wall_us
from support.processes.hosts import Hosts, hosts_of

FILE = """
version: 1
system: test
event_services:
  a: {kind: memory}
  b: {kind: memory}
  c: {kind: memory}
gateways:
  g1: {adapters: {a: {}, b: {}}}
  g2: {adapters: {b: {}, c: {}}}
scopes:
  market: {members: {a: {}, b: {}, c: {}}}
  other: {}
"""
NAMED = FILE.replace("scopes:", "clients:\n  ann: {service: c, principal: ann}\nscopes:").replace(
    "c: {}}}\n  other", "ann: {}}}\n  other"
)


@pytest.fixture(autouse=True)
def forget_keepers() -> None:
    keepers.clear()


def _federation(member: str) -> Federation:
    return loads(NAMED if member == "ann" else FILE, {})


class Load:
    """Persistent events of one native client, numbered, and who receives them."""

    def __init__(self, running: Hosts) -> None:
        self.sent = 0
        self.at: dict[str, Counter[int]] = {name: Counter() for name in "bc"}
        self._bus = running.bus("a")
        self._stamper = Stamper("native", "a")
        self._seen: set[tuple[str, str]] = set()
        for name in self.at:
            running.bus(name).listen(partial(self._note, name))

    def send(self, count: int = 1) -> range:
        """Publish further events; return their numbers."""
        numbers = range(self.sent, self.sent + count)
        for n in numbers:
            event = Event.of("Reading", n=n).with_attributes({"Reliability": 1})
            self._bus.publish(event, self._stamper.next(wall_us()))
        self.sent += count
        return numbers

    def _note(self, name: str, item: MemoryEvent) -> None:
        if item.event.subject == "Reading" and item.stamp is not None:
            key = (name, str(item.stamp.identity))
            if key not in self._seen:  # native clients suppress a repeated identity
                self._seen.add(key)
                self.at[name][item.event.parameter("n")] += 1


async def _applied(running: Hosts, changes: int) -> None:
    """Wait until all gateways have applied changes, with events under way."""

    def all_have() -> bool:
        cores = [each.host.core for each in running.running.values()]
        return len(cores) == 2 and all(core.scopes.generation == changes for core in cores)

    await eventually(all_have)


@pytest.mark.parametrize(("killed", "member"), [("g1", "c"), ("g2", "c"), ("g2", "ann")])
async def test_nobody_receives_what_was_not_visible_and_nobody_misses_what_was(
    killed: str, member: str
) -> None:
    leaves, joins = Change(0, "market", member), Change(0, "market", member, edge=Member())
    async with hosts_of(_federation(member)) as running:
        for gateway in ("g1", "g2"):
            await running.start(gateway)
        running.subscribe("g1", "b", "*")
        running.subscribe("g2", "c", "*")
        load = Load(running)
        await eventually(lambda: bool(running.bus("a").subscribed))
        await eventually(lambda: len(running.running["g1"].host.core.table) == 2)
        visible = set(load.send(10))
        await eventually(lambda: visible <= set(load.at["c"]))

        running.running["g1"].host.change_scopes(leaves)
        load.send(3)  # amid the roll-out: b receives them, c may
        assert await running.running["g1"].host.is_settled(10.0)
        await running.kill(killed)
        load.send(3)
        await running.start(killed)
        await _applied(running, 1)
        hidden = set(load.send(10))
        await eventually(lambda: set(range(load.sent)) <= set(load.at["b"]))

        running.running["g1"].host.change_scopes(joins)
        await _applied(running, 2)

        def comes() -> bool:
            load.send()
            return max(load.at["c"]) > max(hidden)

        await eventually(comes)
        again = set(load.send(10))
        await eventually(lambda: again <= set(load.at["c"]))
        await eventually(lambda: set(range(load.sent)) <= set(load.at["b"]))

        assert not hidden & set(load.at["c"])
        assert max(load.at["b"].values()) == max(load.at["c"].values()) == 1
