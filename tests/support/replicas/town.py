"""A town: the replicas of one gateway, its journal, adapters and event services, in one thread.

Everything that decides is the product's: `GatewayHost` with its core, `Replica` and `Committing`,
`AdapterRuntime` with its `Multiplexer`. Made up are the event services, the links between
processes, the journal's place, time, and what goes wrong.
"""

from asyncio import Future, sleep
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from fes.adapter import AdapterRuntime
from fes.adapter.context import AdapterContext
from fes.adapter.pool import ConnectionPool
from fes.federation.clock import FederationClock
from fes.gateway import AdapterSettings, GatewaySettings
from fes.mapping import Mapping
from fes_gateway.host import GatewayHost
from support.replicas.journal import Shared, SharedJournal
from support.replicas.links import Link
from support.replicas.natives import KINDS, Service
from support.replicas.pace import Pace
from support.replicas.parts import FAR, GATEWAY, SYSTEM, Connected, Losses, Member
from support.replicas.processes import Process, clock, fail, give
from support.simulation.timeline import MS, SECOND, Timeline


class Town(Timeline):
    """Runs one gateway.

    Args:
        seed: Decides every delay.
        services: Event service to whether it keeps events, and whether its clients suppress.
        traced: Whether to note what happens.
    """

    def __init__(
        self, seed: int, services: dict[str, tuple[bool, bool]], *, traced: bool = False
    ) -> None:
        super().__init__(seed)
        self.now_us = self.start_us = 1_700_000_000 * SECOND
        self.trace: list[str] = []
        self.traced = traced
        self.faults: Counter[str] = Counter()
        self.circumstances: Counter[str] = Counter()
        self.disturbed: list[int] = []
        self.disturbances = 0
        self.shared = Shared(self.note, self._changed)
        self.log = Losses()
        self.members: dict[str, Member] = {}
        self.leaving: dict[str, Process] = {}
        self.addresses: dict[str, None] = {}
        self.adapters: dict[str, Connected] = {}
        self.services = {
            name: Service(self, name, keeps=keeps, suppresses=suppresses, note=self.note)
            for name, (keeps, suppresses) in services.items()
        }
        self.slow: set[str] = set()
        self.stood_still: list[tuple[str, int, int]] = []
        self.pace = Pace.drawn(self.rng)
        self.settings = GatewaySettings(
            id=GATEWAY,
            system=SYSTEM,
            adapters={name: AdapterSettings(f"{GATEWAY}.{name}", name) for name in services},
            services=(*services, FAR),
            announcement_us=20 * SECOND,
            horizon_us=15 * SECOND,
            retransmission_us=60 * SECOND,
            retry_us=SECOND,
            in_flight=4,
        )
        self._graves: list[object] = []
        self._ringing: set[str] = set()

    def time_us(self, wall_us: int) -> int:
        """Return the federation clock, whatever a process has for the wall clock."""
        del wall_us
        return self.now_us

    def note(self, what: str) -> None:
        """Note something for a reader."""
        if self.traced:
            self.trace.append(f"{(self.now_us - self.start_us) / 1e6:9.4f}  {what}")

    def disturb(self) -> None:
        """Note that something changes for the worse, or for the better."""
        self.disturbances += 1
        self.disturbed.append(self.now_us)

    def _changed(self) -> None:
        self.disturbed.append(self.now_us)

    def fault(self, kind: str, what: str) -> None:
        """Note that something goes wrong."""
        self.faults[kind] += 1
        self.disturb()
        self.note(f"FAULT {kind}: {what}")

    def _process(self, name: str, skew_us: int = 0) -> Process:
        return Process(self, name, self._call, skew_us)  # type: ignore[abstract] # no more of a loop than the product uses

    # Replicas

    def start(self, name: str, skew_us: int = 0) -> None:
        """Start a replica; its name may be one that was there before."""
        self.note(f"{name} starts")
        process = self._process(name, skew_us)
        self.leaving.pop(name, None)
        journal = SharedJournal(self.shared, name, self._ring)
        clock.process = process
        host = GatewayHost(
            self.settings,
            journal,
            cast("Any", None),
            self.log,
            FederationClock(),
            name,
        )
        member = self.members[name] = Member(process, journal, host, self.now_us)
        process.do(lambda: self._graves.append(process.create_task(self._live(name, member))))
        if name not in self.addresses:
            self.addresses[name] = None
            for service in self.adapters:
                self.at(self.rng.randint(MS, 2 * SECOND), self._dialler(service, name))

    def kill(self, name: str) -> None:
        """Kill a replica: what it had in memory, and on its way, is gone."""
        member = self.members.pop(name)
        member.process.kill()
        self._graves.append(member)
        self.shared.watchers.pop(name, None)
        half_open = self.rng.random() < 0.2
        for link in self.links_of(name):
            link.cut(slow="near" if half_open else "")

    def stop(self, name: str) -> None:
        """Stop a replica as SIGTERM does: links end, then it leaves."""
        member = self.members.pop(name)
        self._graves.append(member)
        for link in self.links_of(name):
            link.cut()

        async def leave() -> None:
            await sleep(0.03)
            await member.host.stop()
            member.process.kill()

        process = self.leaving[name] = member.process
        process.do(lambda: self._graves.append(process.create_task(leave())))

    def stall(self, name: str, for_us: int) -> None:
        """Have a replica stand still for a while."""
        member = self.members[name]
        process = member.process
        process.stall()
        ping_us = self.rng.randint(5 * SECOND, 10 * SECOND)
        if ping_us < for_us:
            self.at(ping_us, lambda: self._unheard(name, process))
        self.at(for_us, lambda: self._resume(name, process))

    def forget(self, name: str) -> None:
        """Have a replica's address be no more."""
        self.addresses.pop(name, None)
        for adapter in self.adapters.values():
            link = adapter.links.pop(name, None)
            if link is not None:
                link.given_up = True

    def links_of(self, name: str) -> list[Link]:
        """Return the links to a replica."""
        return [each.links[name] for each in self.adapters.values() if name in each.links]

    @property
    def leader(self) -> str:
        """The replica that leads and knows it; "" where none does."""
        found = [name for name, member in self.members.items() if member.reigns]
        return found[0] if len(found) == 1 else ""

    # Adapters

    def connect(self, name: str) -> None:
        """Start the adapter of an event service."""
        self.note(f"adapter of {name} starts")
        service = self.services[name]
        process = self._process(f"{GATEWAY}.{name}")
        kind = KINDS[service.keeps, service.suppresses]
        context = AdapterContext(
            id=f"{GATEWAY}.{name}",
            service=name,
            system=SYSTEM,
            settings={},
            brokers=(),
            medium="",
            mapping=Mapping((), kind.name_rule, automatic=kind.automatic),
            hears_control=True,
            pool=ConnectionPool(),
            clock=self,
        )
        clock.process = process
        adapter = kind(context, service, process)
        runtime = AdapterRuntime(adapter, self.log)
        adapter.is_settled = lambda: runtime.acknowledgements.settled
        runtime.multiplexer._now_s = process.time
        self.adapters[name] = Connected(process, runtime)
        process.do(lambda: self._graves.append(process.create_task(runtime.__aenter__())))
        for replica in self.addresses:
            self.at(self.rng.randint(MS, 200 * MS), self._dialler(name, replica))

    def disconnect(self, name: str) -> None:
        """Kill the adapter of an event service."""
        gone = self.adapters.pop(name)
        gone.process.kill()
        self._graves.append(gone)
        self.services[name].adapter = None
        self.services[name].kept.disconnect()
        for link in gone.links.values():
            link.cut(slow="far" if self.rng.random() < 0.2 else "")

    def stall_adapter(self, name: str) -> Callable[[], None]:
        """Have the adapter of an event service stand still; return what has it go on."""
        process, since_us = self.adapters[name].process, self.now_us
        process.stall()

        def go_on() -> None:
            self.stood_still.append((name, since_us, self.now_us))
            if process.alive:
                self.note(f"adapter of {name} goes on")
                self.disturb()
                process.resume()

        return go_on

    # The whole

    def table(self) -> dict[str, bytes]:
        """Return what the journal adds up to."""
        tail = SharedJournal(self.shared, "", lambda: None).read()
        state: dict[str, bytes] = {}
        for key, value in tail.entries:
            if value is None:
                state.pop(key, None)
            else:
                state[key] = value
        return state

    def compact(self) -> None:
        """Have the journal be replaced by its sum: who is behind reads all anew."""
        SharedJournal(self.shared, "", lambda: None).snapshot()

    def close(self) -> None:
        """End all that runs."""
        for member in self.members.values():
            member.process.kill()
        for adapter in self.adapters.values():
            adapter.process.kill()

    async def _live(self, name: str, member: Member) -> None:
        await member.host.start()
        member.takes_links = True
        self.note(f"{name} takes links")
        while True:
            await sleep(1.0)
            member.host.tick()

    def _dialler(self, service: str, replica: str) -> Callable[[], None]:
        adapter = self.adapters[service]

        def found() -> tuple[Process, GatewayHost] | None:
            member = self.members.get(replica)
            if member is None or not member.takes_links:
                return None
            return member.process, member.host

        def dial() -> None:
            if replica in self.addresses and adapter.process.alive:
                link = Link(self, adapter.process, adapter.runtime, service, found)
                adapter.links[replica] = link
                link.dial()

        return dial

    def _unheard(self, name: str, process: Process) -> None:
        member = self.members.get(name)
        if member is not None and member.process is process and process.stalled:
            for link in self.links_of(name):
                link.cut()

    def _resume(self, name: str, process: Process) -> None:
        if process.alive:
            self.note(f"{name} goes on")
            self.disturb()
            process.resume()

    def _call(
        self, process: Process, act: Callable[[], Any], future: "Future[Any]", what: str
    ) -> None:
        """Have the journal's thread of a process do something."""
        soon = self.pace.of(what, slow=process.name in self.slow)

        def reach() -> None:
            if not process.alive and self.rng.random() < 0.5:
                return
            if process.stalled and self.rng.random() < 0.5:
                process.on_resume(reach)
                return
            try:
                found = act()
            except Exception as error:  # noqa: BLE001 - the one who waits takes it
                self.at(self.rng.randint(*soon), partial(process.do, fail, future, error))
            else:
                self.at(self.rng.randint(*soon), lambda: process.do(give, future, found))

        self.at(self.rng.randint(*soon), reach)

    def _reply(self, process: Process, soon: tuple[int, int], *given: Any) -> None:
        self.at(self.rng.randint(*soon), lambda: process.do(*given))

    def _ring(self) -> None:
        for name in self.shared.watchers:
            if name not in self._ringing:
                self._ringing.add(name)
                self.at(self.rng.randint(MS, 100 * MS), partial(self._rung, name))

    def _rung(self, name: str) -> None:
        self._ringing.discard(name)
        changed, member = self.shared.watchers.get(name), self.members.get(name)
        if changed is not None and member is not None:
            changed()
