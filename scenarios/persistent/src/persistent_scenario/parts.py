"""The parts of a run: brokers, which are ours, and what `fes run` starts."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httpx
from eventservices.servers import NatsServer, ServerSpec
from fes.federation.load import load
from fes.federation.model import Federation, adapter_id
from fes.running.plan import Part
from fes.running.process import Child
from serving.loopback import async_client

from persistent_scenario.errors import RunningError
from persistent_scenario.kills import STILL_S, How, Kill
from persistent_scenario.waiting import until

READY_S = 60.0
BACK_S = 60.0
ANSWER_S = 2.0
JOURNALS = "journals"
"""Name of the broker that keeps the gateways' journals, where these are JetStream streams."""


class Brokers:
    """A server with JetStream for each broker that a federation's file names.

    Args:
        names: Of the brokers.
        folder: Where their configuration, logs and stores lie.
    """

    def __init__(self, names: Sequence[str], folder: Path) -> None:
        self.servers = {
            name: NatsServer(ServerSpec(name, folder, jetstream=True, sync_always=name == JOURNALS))
            for name in names
        }

    @property
    def variables(self) -> dict[str, str]:
        """Where they are, as a federation's file requests it: `BROKER_A` for broker `a`."""
        return {f"BROKER_{name.upper()}": each.url for name, each in self.servers.items()}

    async def start(self) -> None:
        """Start all."""
        for server in self.servers.values():
            await asyncio.to_thread(server.start)

    async def stop(self) -> None:
        """Stop all."""
        await asyncio.gather(*(asyncio.to_thread(each.stop) for each in self.servers.values()))


def names_of(file: Path) -> Federation:
    """Return a federation, for its names; its brokers have no address yet.

    Raises:
        FederationError: The file is not valid.
    """
    return load(file, os.environ)


def processes_of(federation: Federation) -> tuple[str, ...]:
    """Return the gateways and adapters, each of which gets a process of its own."""
    adapters = [
        adapter_id(name, service)
        for name, gateway in federation.gateways.items()
        for service in gateway.adapters
    ]
    return (*federation.gateways, *adapters)


@dataclass(frozen=True, slots=True)
class Gateways:
    """How gateways are run.

    Attributes:
        replicas: Processes of each.
        store: What their journals are: `sqlite` or `jetstream`.
    """

    replicas: int = 1
    store: str = "sqlite"

    def names(self, gateway: str) -> tuple[str, ...]:
        """Return the names of a gateway's processes, as `fes run` reports them."""
        if self.replicas == 1:
            return (gateway,)
        return tuple(f"{gateway}-r{number}" for number in range(1, self.replicas + 1))

    def words(self, federation: Federation) -> list[str]:
        """Return the arguments of `fes run`."""
        own = [word for name in processes_of(federation) for word in ("--own-process", name)]
        if self.replicas == 1:
            return own
        told = [f"{name}={self.replicas}" for name in federation.gateways]
        return own + [word for each in told for word in ("--replicas", each)]

    def variables(self, federation: Federation, journals: str) -> dict[str, str]:
        """Return the part of a federation file that specifies where journals are.

        Args:
            federation: The file.
            journals: Address of the broker that keeps them.
        """
        if self.store == "sqlite":
            return {}
        told = {"KIND": self.store, "URL": journals}
        return {
            f"FES__GATEWAYS__{name.upper()}__STORE__{key}": value
            for name in federation.gateways
            for key, value in told.items()
        }


class Parts:
    """Brokers and the processes of `fes run`: started, killed and looked after.

    A broker that was killed is started again here, everything else by `fes run`; beside that nobody
    helps.

    Args:
        file: The federation's file.
        folder: The run folder.
        gateways: How gateways are run.
    """

    def __init__(self, file: Path, folder: Path, gateways: Gateways) -> None:
        self.federation = names_of(file)
        self.gateways = gateways
        kept = (JOURNALS,) if gateways.store == "jetstream" else ()
        self.brokers = Brokers((*self.federation.brokers, *kept), folder / "brokers")
        self._folder = folder
        words = gateways.words(self.federation)
        journals = self.brokers.servers[JOURNALS].url if kept else ""
        self._fes = self.child(
            "fes-run",
            *(
                sys.executable,
                "-m",
                "fes.cli.main",
                "run",
                str(file),
                "--run",
                str(folder),
                "--require-all",
                *words,
            ),
            environment={
                **self.brokers.variables,
                **gateways.variables(self.federation, journals),
            },
        )

    def child(
        self, name: str, *command: str, environment: Mapping[str, str] = MappingProxyType({})
    ) -> Child:
        """Return a process whose output goes into a log of the run."""
        part = Part(name, command, environment=dict(environment))
        return Child(part, self._folder / "logs")

    @property
    def names(self) -> tuple[str, ...]:
        """All that may be killed: brokers, and whatever `fes run` has started, replicas too."""
        return (*self.brokers.servers, *self._told("processes"))

    async def start_federation(self) -> None:
        """Start gateways and adapters, and return when their subscriptions are applied.

        Raises:
            RunningError: They are not in time.
        """
        await self._fes.start()
        async with async_client(ANSWER_S) as client:
            await until(lambda: self._applied(client), READY_S, "subscriptions to be applied")

    async def stop(self) -> None:
        """Stop the processes of `fes run`, then the brokers."""
        await self._fes.stop()
        await self.brokers.stop()

    async def trouble(self, kill: Kill) -> tuple[str, ...]:
        """Cause a fault as soon as all its parts live; return which parts these were.

        Raises:
            RunningError: One that was killed before does not come back, or nobody leads.
        """
        names = kill.parts
        if kill.of_leader:
            async with async_client(ANSWER_S) as client:
                names = tuple([await self._leader(client, gateway) for gateway in kill.parts])
        await until(lambda: all(map(self.pid, names)), BACK_S, f"{', '.join(names)} to live")
        match kill.how:
            case How.KILLED:
                await self._kill(names)
            case How.STOPPED:
                self._signal(names, signal.SIGTERM)
            case How.STOOD_STILL:
                self._signal(names, signal.SIGSTOP)
                try:
                    await asyncio.sleep(STILL_S)
                finally:
                    self._signal(names, signal.SIGCONT)
        return names

    async def _leader(self, client: httpx.AsyncClient, gateway: str) -> str:
        """Return the process of the replica that leads, by what the replicas themselves report."""
        found: list[str] = []

        async def leads() -> bool:
            for name, point in self._told("gateways")[gateway].get("replicas", {}).items():
                with suppress(httpx.HTTPError, ValueError):
                    listed = (await client.get(f"{point['url']}/v1/replicas")).json()
                    if any(each["this"] and each["leads"] for each in listed):
                        found.append(f"{gateway}-{name}")
            return bool(found)

        await until(leads, BACK_S, f"a replica of {gateway} to lead")
        return found[-1]

    def _signal(self, names: Sequence[str], number: signal.Signals) -> None:
        for pid in filter(None, map(self.pid, names)):  # 0 would be our own group
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    async def _kill(self, names: Sequence[str]) -> None:
        self._signal(names, signal.SIGKILL)
        dead = [name for name in names if name in self.brokers.servers]
        for name in dead:
            server = self.brokers.servers[name]
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)

    def pid(self, name: str) -> int:
        """Return the process id of a part; 0 where it does not live."""
        server = self.brokers.servers.get(name)
        if server is not None:
            return server.pid or 0
        pid = int(self._told("processes").get(name) or 0)
        return pid if pid and _lives(pid, self._fes.pid or 0) else 0

    def check(self) -> None:
        """Make sure that `fes run` is there.

        Raises:
            RunningError: It ended.
        """
        if self._fes.pid is None:
            raise RunningError(f"fes run ended; see {self._folder / 'logs/fes-run.log'}")

    async def _applied(self, client: httpx.AsyncClient) -> bool:
        """Return whether every gateway knows every subscription, and has applied what it is to."""
        self.check()
        wanted = len(self.federation.requests)
        gateways = self._told("gateways")
        if set(gateways) != set(self.federation.gateways):
            return False
        applied = 0
        for point in gateways.values():
            try:
                answer = await client.get(f"{point['url']}/v1/subscriptions")
                listed = answer.raise_for_status().json()
            except httpx.HTTPError:
                return False
            states = [one["state"] for each in listed for one in each["applied"]]
            if len(listed) < wanted or any(state != "applied" for state in states):
                return False
            applied += len(states)
        return applied >= wanted

    def _told(self, what: str) -> dict[str, Any]:
        try:
            told = json.loads((self._folder / "endpoints.json").read_text("utf-8"))
        except FileNotFoundError:
            return {}
        found: dict[str, Any] = told[what]
        return found


def _lives(pid: int, parent: int) -> bool:
    """Return whether a process lives and is its parent's: the number may be a stranger's by now."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8")
    except FileNotFoundError:
        return not Path("/proc").exists() and _answers(pid)
    state, its_parent, *_ = stat.rpartition(")")[2].split()
    return state != "Z" and int(its_parent) == parent


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
