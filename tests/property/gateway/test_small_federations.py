"""Small federations of real gateway cores keep their promises, whatever is done to them.

The seeded simulation finds what is rare; this finds it again in few steps. A failure prints the
steps that lead to it, and the blob that plays them again.
"""

import pytest
from fes.control import RequestType
from fes.gateway.inputs import Input, LinkDown, LinkUp, Ready, Tick
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from support.drawing.breaking import RECOVERY_US
from support.drawing.topologies import Topology
from support.drawing.traits import Traits
from support.drawing.wishes import Reading, at_least
from support.faults.core import FAULTS
from support.simulation.agreeing import disagreements, fall_silent
from support.simulation.happened import Command, Emission, Script
from support.simulation.oracle import ROOM_US, violations
from support.simulation.scripted import topology
from support.simulation.services import Passed
from support.simulation.world import MS, SECOND, World

TOPOLOGIES = {
    "two": topology("A-s0 A-s1"),
    "chain": topology("A-s0 A-s1 B-s1 B-s2"),
    "poor chain": topology("A-s0 A-s1 B-s1 B-s2", best_effort=("s1",), repeating=("s2",)),
    "twins": topology("A-s0 A-s1 B-s0 B-s1"),
    "triangle": topology("A-s0 A-s1 B-s1 B-s2 C-s2 C-s0"),
    "shared": topology("A-s0 A-s1 B-s0 B-s2 C-s0"),
    "air": topology("V-c V-av M-am M-m N-an N-m", air=("av", "am", "an")),
}
CRASHES = ("", "before the commit", "after the commit", "amid the outputs")
LEASE_US = 9 * SECOND
SEPARATION_US = 6 * SECOND
"""How long anything stays broken at most: gateways remember what was withdrawn for longer."""

ALWAYS = (Tick, LinkUp, LinkDown, Ready)
"""What a gateway is told anew each time: it is not the same input again."""


class Repeating(World):
    """A world whose gateways are told everything twice: the second time changes nothing.

    Args:
        where: Who is attached where.
        seed: Decides every delay.
        twice: Whether they are.
        custody: Most rows in custody.
    """

    def __init__(self, where: Topology, seed: int, *, twice: bool, custody: int) -> None:
        super().__init__(where, seed, traits=Traits(custody=custody))
        self._twice = twice

    def handle(
        self, gateway: str, message: Input, service: str = "", passed: Passed | None = None
    ) -> None:
        super().handle(gateway, message, service, passed)
        if not self._twice or gateway not in self.cores or isinstance(message, ALWAYS):
            return
        before = dict(self.journals.state(gateway))
        super().handle(gateway, message, service, passed)
        if gateway in self.cores and dict(self.journals.state(gateway)) != before:
            self.broken.append(f"not idempotent: {gateway} took twice {message}")


class Federation(RuleBasedStateMachine):
    """A federation that clients and nature play with; in the end it is healed, and judged."""

    @initialize(
        name=st.sampled_from(sorted(TOPOLOGIES)),
        seed=st.integers(0, 99),
        twice=st.booleans(),
        custody=st.sampled_from((10_000, 4)),
    )
    def begin(self, name: str, seed: int, *, twice: bool, custody: int) -> None:
        self.world = Repeating(TOPOLOGIES[name], seed, twice=twice, custody=custody)
        self.where = self.world.topology
        scarce = self.world.traits.are_scarce
        self.script = Script(hesitant=scarce, scarce=scarce)
        self.asked: list[Command] = []
        self.broken: dict[tuple[str, str], int] = {}
        for gateway in self.where.gateways:
            self.world.start(gateway)
        self.world.pass_time(self.world.now_us + SECOND // 4)
        last = len(self.where.services) - 1
        self._subscribe(last, 1, 0, 0)
        self._subscribe(0, last + 1, 0, 0)
        self.world.pass_time(self.world.now_us + 2 * SECOND)

    @property
    def now_us(self) -> int:
        return self.world.now_us - self.world.start_us

    # What clients do

    @rule(number=st.integers(0, 9), other=st.integers(0, 9), least=st.sampled_from((0, 5)))
    def subscribe(self, number: int, other: int, least: int) -> None:
        self._subscribe(number, other, least, 0)

    @rule(number=st.integers(0, 9), other=st.integers(0, 9))
    def lease(self, number: int, other: int) -> None:
        self._subscribe(number, other, 0, LEASE_US)

    @rule(which=st.integers(0, 9))
    @precondition(lambda self: any(command.expires_us for command in self.asked))
    def renew(self, which: int) -> None:
        leased = [command for command in self.asked if command.expires_us]
        old = leased[which % len(leased)]
        self._request(old, RequestType.SUBSCRIPTION, self.now_us + LEASE_US)

    @rule(which=st.integers(0, 9))
    @precondition(lambda self: self.asked)
    def unsubscribe(self, which: int) -> None:
        self._request(self.asked[which % len(self.asked)], RequestType.UNSUBSCRIPTION, 0)

    @rule(
        number=st.integers(0, 9),
        count=st.integers(1, 4),
        priority=st.sampled_from((0, 0, 5)),
        persistent=st.booleans(),
    )
    def publish(self, number: int, count: int, priority: int, *, persistent: bool) -> None:
        service = self.where.services[number % len(self.where.services)]
        for _ in range(count):
            self._emit(service, Reading(number, priority=priority), persistent=persistent)

    # What nature does

    @rule(number=st.integers(0, 9), crash=st.sampled_from(CRASHES))
    @precondition(lambda self: self.world.cores)
    def kill(self, number: int, crash: str) -> None:
        running = sorted(set(self.world.cores) - set(self.world.crashes))
        if not running:
            return
        gateway = running[number % len(running)]
        self._break((gateway, ""))
        if crash:
            self.world.crashes[gateway] = crash
        else:
            self.world.kill(gateway)

    @rule(number=st.integers(0, 9), other=st.integers(0, 9), passed_ms=st.integers(0, 9))
    def cut_amid_events(self, number: int, other: int, passed_ms: int) -> None:
        """Have urgent and other events be on their way, and wait, when a link breaks."""
        self.publish(other, 2, 0, persistent=True)
        self.world.run(self.world.now_us + passed_ms * MS)
        self.cut(number)
        self.publish(other, 2, 0, persistent=True)
        self.publish(other, 2, 5, persistent=True)

    @rule(number=st.integers(0, 9), other=st.integers(0, 9), passed_ms=st.integers(0, 9))
    @precondition(lambda self: self.world.cores)
    def kill_amid_events(self, number: int, other: int, passed_ms: int) -> None:
        self.publish(other, 3, 0, persistent=True)
        self.world.run(self.world.now_us + passed_ms * MS)
        self.kill(number, "")

    @rule(number=st.integers(0, 9))
    def cut(self, number: int) -> None:
        place = self.where.attachments[number % len(self.where.attachments)]
        if place not in self.broken:
            self._break(place)
            self.world.cut_link(*place)

    @rule()
    @precondition(lambda self: self.broken)
    def heal(self) -> None:
        self._heal(next(iter(self.broken)))

    @rule(passed_ms=st.sampled_from((3, 30, 300, 2000)))
    def tick(self, passed_ms: int) -> None:
        for what, since_us in list(self.broken.items()):
            if self.now_us + passed_ms * MS - since_us > SEPARATION_US:
                self._heal(what)
        self.world.pass_time(self.world.now_us + passed_ms * MS)

    # What holds

    @invariant()
    def no_promise_is_broken(self) -> None:
        if hasattr(self, "world"):
            assert self.world.broken == []

    def teardown(self) -> None:
        if not hasattr(self, "world") or self.world.broken:
            return
        for what in list(self.broken):
            self._heal(what)
        self.world.pass_time(self.world.now_us + RECOVERY_US + 2 * SECOND)
        for service in self.where.services:
            for persistent in (False, True):
                self._emit(service, Reading(9), persistent=persistent)
        self.world.pass_time(self.world.now_us + 2 * SECOND + ROOM_US)
        assert disagreements(self.world) == []
        for command in list(self.asked):
            self._request(command, RequestType.UNSUBSCRIPTION, 0)
        self.world.pass_time(self.world.now_us + 2 * SECOND)
        fall_silent(self.world)
        assert violations(self.world, self.script) == []

    def _subscribe(self, number: int, other: int, least: int, lease_us: int) -> None:
        services = self.where.services
        patterns = ("*", *services)
        pattern = patterns[other % len(patterns)]
        ends_us = lease_us and self.now_us + lease_us
        command = Command(
            self.now_us,
            RequestType.SUBSCRIPTION,
            services[number % len(services)],
            f"c{len(self.asked)}",
            at_least(least),
            (pattern,),
            ends_us,
        )
        if self._request(command, RequestType.SUBSCRIPTION, ends_us):
            self.asked.append(command)

    def _request(self, like: Command, kind: RequestType, expires_us: int) -> bool:
        """Make a request at a gateway that is there and will not crash of it; tell if one is."""
        sound = sorted(set(self.world.cores) - set(self.world.crashes))
        if not sound:
            return False
        command = Command(
            self.now_us, kind, like.source, like.requester, like.wish, like.patterns, expires_us
        )
        ends_us = expires_us and self.world.start_us + expires_us
        request = self.world.request(
            kind, like.source, ",".join(like.patterns), like.wish, like.requester, ends_us
        )
        self.script.commands.append(command)
        self.world.inject(sound[0], request)
        self.world.run(self.world.now_us + 1)
        return True

    def _emit(self, service: str, said: Reading, *, persistent: bool) -> None:
        persistent = persistent and service in self.where.persistent
        origin = f"{service}-{persistent}"
        identity = self.world.emit(service, origin, said, persistent=persistent)
        event = Emission(self.now_us, service, said, identity, persistent)
        self.script.events.append(event)

    def _break(self, what: tuple[str, str]) -> None:
        self.world.calm = False
        self.broken[what] = self.now_us

    def _heal(self, what: tuple[str, str]) -> None:
        gateway, service = what
        since_us = self.broken.pop(what)
        if service:
            self.world.mend_link(gateway, service)
        else:
            self.world.kill(gateway)
            self.world.start(gateway)
        self.script.faults.append((since_us, self.now_us + RECOVERY_US))


TestFederation = Federation.TestCase
TestFederation.settings = settings(max_examples=150, stateful_step_count=25, deadline=None)

GENERATED = settings(
    TestFederation.settings,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    report_multiple_bugs=False,
)


@pytest.mark.parametrize(
    "fault",
    [
        "a row is not written down",
        "an event is sent again",
        "custody ends when an event is sent",
        "nothing is sent again",
        "one client withdraws for another",
        "rows are not taken back at a start",
        "withdrawn requests still hold",
    ],
)
def test_a_planted_fault_is_caught_in_few_steps(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, name, wrong = FAULTS[fault]
    monkeypatch.setattr(owner, name, wrong)

    with pytest.raises(AssertionError):
        run_state_machine_as_test(Federation, settings=GENERATED)
