"""Each policy and mapping on two gateways, the one that manages killed: nothing lost or doubled."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import NamedTuple

import pytest
from eventservices.stamp import Stamper
from fes import plugins
from fes.federation import Federation, loads
from fes.gateway.scopes.managed import PREFIX
from fes.model import Event
from fes.testing.eventually import eventually
from fes.testing.keeping import keepers
from fes.testing.memory import MemoryEvent
from fes_gateway.store.journal import fold
from serving.clocks import wall_us
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
      b: {%s}
      c: {%s}
  floor:
    %s
    members: {a: {}}
"""

XML = "{parameter: xml, element: Reading, fields: {N: {parameter: n, type: long}}}"
RELEASE = 99


class Policy(NamedTuple):
    """What the file declares, and what comes of each event.

    Attributes:
        market: Of the scope that receives.
        up: Of the edge up into it.
        floor: Of the scope that publishes.
        down: Of the edges down to its members.
        copies: How many events are received of each that is published.
        parameters: Names and types of the parameters of what is received, where they differ from
            those that are published.
        waits: Whether all waits until an event that releases it.
    """

    market: str = ""
    up: str = ""
    floor: str = ""
    down: str = ""
    copies: float = 2
    parameters: Mapping[str, type] = {"n": int, "kg": float, "note": str}
    waits: bool = False


POLICIES = {
    "nothing": Policy(),
    "set": Policy(
        up="up: [{set: {mapped: 1}}]",
        parameters={"n": int, "kg": float, "note": str, "mapped": int},
    ),
    "rename": Policy(
        up="up: [{rename: {kg: mass}}]", parameters={"n": int, "mass": float, "note": str}
    ),
    "convert": Policy(
        up="up: [{convert: {n: string}}]", parameters={"n": str, "kg": float, "note": str}
    ),
    "scale": Policy(
        up="up: [{scale: {n: {by: 0.5}}}]", parameters={"n": float, "kg": float, "note": str}
    ),
    "drop": Policy(up="up: [{drop: [note]}]", parameters={"n": int, "kg": float}),
    "XML": Policy(up=f"up: [{{to_xml: {XML}}}]", parameters={"xml": str}),
    "XML and back": Policy(
        up=f"up: [{{to_xml: {XML}}}]", down=f"down: [{{from_xml: {XML}}}]", parameters={"n": int}
    ),
    "plug-in": Policy(
        up="up: [{plugin: two}]",
        copies=4,
        parameters={"n": int, "half": str},
    ),
    "several into one": Policy(
        up="up: [{gather: {count: 2, results: {sum: {of: n, how: sum}}}}]",
        copies=1,
        parameters={"sum": int},
    ),
    "turns": Policy("delivery: {to: turns}", copies=1),
    "hash": Policy("delivery: {to: hash, key: n}", copies=1),
    "sticky": Policy("delivery: {to: sticky, key: n}", copies=1),
    "load": Policy("delivery: {to: load}", copies=1),
    "top-down": Policy("traverse: top-down"),
    "bottom-up": Policy("traverse: bottom-up"),
    "delay": Policy(floor="publishing: {delay_s: 0.5}"),
    "until": Policy(
        floor=f"publishing: {{which: 'n < {RELEASE}', until: 'n = {RELEASE}'}}", waits=True
    ),
    "choice": Policy(floor="publishing: {choose: {market: 'n >= 0'}}"),
    "session": Policy("session: true"),
}
EVENTS = 12


class Halves:
    """An installed plug-in that makes two events of one."""

    def load(self) -> Callable[[Event], tuple[Event, ...]]:
        """Return the function."""
        return lambda event: tuple(
            Event.of(event.subject, n=event.parameter("n"), half=half).with_attributes(
                {"Reliability": 1}
            )
            for half in ("first", "second")
        )


@pytest.fixture(autouse=True)
def forget_keepers() -> None:
    keepers.clear()


@pytest.fixture(autouse=True)
def install_plug_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "entry_points", lambda **_: [Halves()])


def federation(policy: Policy) -> Federation:
    """Return the federation of a policy."""
    parts = (policy.market, policy.up, policy.down, policy.down, policy.floor)
    return loads(FILE % parts, {})


Parameters = tuple[tuple[str, object], ...]
"""Names and values, in order."""


class Received:
    """Which identities of which events are published at some event services."""

    def __init__(self, running: Hosts, services: str) -> None:
        self.at: dict[str, dict[Parameters, set[str]]] = {}
        for service in services:
            self.at[service] = defaultdict(set)
            running.bus(service).listen(self._noting(service))

    def _noting(self, service: str) -> Callable[[MemoryEvent], None]:
        def note(item: MemoryEvent) -> None:
            if item.event.subject == "Reading" and item.stamp is not None:
                key = tuple((each.id, each.value) for each in item.event.parameters)
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


def waiting(running: Hosts, gateway: str) -> int:
    """Return how many events wait in scopes, as a gateway's journal has them."""
    rows = fold(running.journals[gateway].read(0).entries)
    return sum(key.startswith(f"{PREFIX}waiting/") for key in rows)


@pytest.mark.parametrize("name", sorted(POLICIES))
async def test_nothing_is_lost_or_doubled_where_the_manager_is_killed(name: str) -> None:
    policy = POLICIES[name]
    async with hosts_of(federation(policy)) as running:
        await _started(running)
        received = Received(running, "bcd")
        stamper = Stamper("native", "a")

        def publish(*numbers: int) -> None:
            for n in numbers:
                event = Event.of("Reading", n=n, kg=n / 4, note=f"number {n}")
                event = event.with_attributes({"Reliability": 1})
                running.bus("a").publish(event, stamper.next(wall_us()))

        publish(*range(EVENTS // 2))
        if policy.waits:
            await eventually(lambda: waiting(running, "g1") == EVENTS // 2)
        else:
            await eventually(lambda: received.count() > 0 or name == "delay")
        await running.kill("g1")
        publish(*range(EVENTS // 2, EVENTS))
        await running.start("g1")
        if policy.waits:
            await eventually(lambda: waiting(running, "g1") == EVENTS)
            assert received.count() == 0, "none is released yet"
        else:
            await eventually(lambda: received.count() >= policy.copies * EVENTS)
        publish(RELEASE, RELEASE + 1)  # what comes after them shows that nothing else does
        expected = policy.copies * (EVENTS + 2)
        await eventually(lambda: received.count() >= expected)

        assert received.count() == expected
        assert not received.at["d"]
        found = [each for at in received.at.values() for each in at.values()]
        assert all(len(identities) == 1 for identities in found), found
        kinds = [
            {key: type(value) for key, value in key} for at in received.at.values() for key in at
        ]
        assert all(each == policy.parameters for each in kinds), kinds
