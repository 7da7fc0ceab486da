"""Waiting until every gateway and adapter of a run is ready, as long as there is progress."""

import asyncio
from collections.abc import Collection

import httpx
from serving.loopback import async_client

from fes.errors import AdapterError
from fes.federation.model import Federation, adapter_id
from fes.running.faults import Faults
from fes.running.needs import works
from fes.running.plan import Part
from fes.running.readiness import ANSWER_S, POLL_S, Patience, faults_at
from fes.running.supervision.children import Children
from fes.running.supervision.console import Console
from fes.running.supervision.options import RunOptions

LATER_POLLS = 10
"""By which factor parts are queried less often once nothing got ready for a while."""

MOST_POLL_S = 2.0
GATEWAYS_A_POLL = 20
"""A process of so many gateways is queried at every `POLL_S`, one of more less often, since an
answer states the readiness of each."""


class GettingReady:
    """Queries what is not ready, until all parts are.

    Args:
        federation: The file, resolved.
        options: Options of the run.
        console: Prints lines for people.
        children: The processes.
        faults: Receives what is not ready.

    Attributes:
        looked: Whether every process was queried at least once.
        early: Whether there was progress lately; while there is, nothing is abandoned.
    """

    def __init__(
        self,
        federation: Federation,
        options: RunOptions,
        console: Console,
        children: Children,
        faults: Faults,
    ) -> None:
        self.looked = False
        self.early = Patience(options.ready_s)
        self._federation = federation
        self._options = options
        self._console = console
        self._children = children
        self._faults = faults
        self._works = False

    async def run(self, gateways: Collection[Part]) -> None:
        """Return when every part is ready.

        Raises:
            AdapterError: Nothing can work, or not all does where all must.
        """
        logs = self._logs()
        many = len(self._federation.gateways) / GATEWAYS_A_POLL
        pause_s = min(MOST_POLL_S, POLL_S * max(1.0, many))
        async with async_client(ANSWER_S) as client:
            while True:
                self._faults.put(await self._look(client, gateways), logs)
                self.looked = True
                if not self._faults.reasons:
                    return
                self._judge({part.name for part in gateways})
                await asyncio.sleep(pause_s if self.early() else LATER_POLLS * POLL_S)

    def _judge(self, gateways: Collection[str]) -> None:
        strict, faults = self._options.require_all, self._faults
        ended = self._children.hopeless.intersection(gateways)
        if ended and (strict or ended.issuperset(gateways)):
            child = self._children.all[min(ended)]
            why = child.last_line() or "it ended"
            raise AdapterError(f"{child.part.name} did not start: {why}; see {child.log}")
        if self.early():
            return
        if strict:
            raise AdapterError(f"no progress for {self._options.ready_s:.0f} s; {faults.summary()}")
        if not self._works and not works(self._federation, faults.reasons):
            raise AdapterError(
                f"nothing can work, no part got ready in {self._options.ready_s:.0f} s:"
                f" {faults.summary()}"
            )
        self._works = True

    async def _look(self, client: httpx.AsyncClient, gateways: Collection[Part]) -> dict[str, str]:
        """Return the reasons for each adapter, or gateway as a whole, that is not ready."""
        found: dict[str, str] = {}
        for part in gateways:
            faults: dict[str, str] | str = "its process has not started yet"
            if self._children.all[part.name].is_announced:
                faults = await faults_at(client, self._children.readiness(part))
            found |= faults if isinstance(faults, dict) else dict.fromkeys(part.gateways, faults)
        self.early.faults(len(found))  # as long as there are fewer, there is progress
        return found

    def _logs(self) -> dict[str, str]:
        """Return the log with details of each gateway and adapter."""
        hosting = self._children.all.values()
        logs = {name: str(child.log) for child in hosting for name in child.part.gateways}
        for name, gateway in self._federation.gateways.items():
            for service in gateway.adapters:
                adapter = adapter_id(name, service)
                own = self._children.all.get(adapter)
                logs[adapter] = str(own.log) if own else logs.get(name, "")
        return logs
