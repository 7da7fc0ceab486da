"""The brokers of a run: one that dies is started again."""

import asyncio

from serving.clocks import wall_us

from fes.federation.model import Federation
from fes.running.brokers import EmbeddedBrokers
from fes.running.faults import one_line
from fes.running.outages import Outages
from fes.running.readiness import proved
from fes.running.supervision.console import Console
from fes.running.supervision.endpoints import Endpoints
from fes.running.supervision.tasks import Tasks

CHECK_S = 0.5


class BrokerWatch:
    """Starts the brokers of a run, and starts those again that end.

    Args:
        federation: The file.
        brokers: The embedded brokers of the run.
        console: Prints lines for people.
        tasks: Run the waits for users of a broker that is back.
        endpoints: Where gateways listen.
        outages: Records when a broker was away.
    """

    def __init__(
        self,
        federation: Federation,
        brokers: EmbeddedBrokers,
        console: Console,
        tasks: Tasks,
        endpoints: Endpoints,
        outages: Outages,
    ) -> None:
        self._federation = federation
        self._brokers = brokers
        self._console = console
        self._tasks = tasks
        self._endpoints = endpoints
        self._outages = outages

    async def start(self) -> None:
        """Start the brokers; one that does not start is tried again later."""
        away = await asyncio.to_thread(self._brokers.start)
        for name, why in away.items():
            text = f"broker {name} did not start: {one_line(why)}; it is tried again"
            self._console.say_once(name, text)
        self._console.say(f"brokers: {', '.join(self._brokers.servers) or 'none of our own'}")

    async def run(self) -> None:
        """Start brokers again that end, until cancelled."""
        while True:
            await asyncio.sleep(CHECK_S)
            for name, status in self._brokers.dead().items():
                self._outages.began((name,), status)
                self._console.say_once(
                    name, f"broker {name} ended with status {status}; it is started again"
                )
                since_us = wall_us()
                if await asyncio.to_thread(self._brokers.revive, name):
                    self._console.forget(name)
                    self._tasks.begin(self._is_back(name, since_us), name)

    async def _is_back(self, name: str, since_us: int) -> None:
        """Wait until all adapters of a broker have proved a round trip again."""
        server = self._brokers.servers[name]
        services = self._federation.event_services
        users = self._endpoints.services(
            self._federation, lambda _, service: name in services[service].brokers
        )
        if await proved(users, since_us, lambda: server.pid is not None):
            self._outages.ended((name,))
