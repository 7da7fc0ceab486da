"""A naming server over NATS, with its store, and its own bus for the event `newsource`."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Self

from eventservices.bus import (
    BusClient,
    BusError,
    BusOptions,
    EventBus,
    LocalTransport,
    Source,
    SqliteStore,
)
from eventservices.bus.binding.asking import Asking
from eventservices.bus.binding.pool import PoolSettings, WorkerPool
from eventservices.bus.binding.store import BusStore, MemoryStore
from eventservices.bus.binding.storing import Storing
from eventservices.bus.names import NEW_SOURCE
from eventservices.bus.wire.messages import MessageError
from eventservices.bus.wire.naming import (
    Query,
    Result,
    decode_query,
    decode_result,
    encode,
    subject,
)
from eventservices.ending import ended
from eventservices.errors import EventServiceError
from eventservices.lasting import lasting
from eventservices.lifetime import Opening
from eventservices.natslink import LinkOptions, NatsLink
from serving.clocks import steady_us

from fes_naming.core import Forward, NameServer, NamingSettings, NewSource, Output, Reply
from fes_naming.links import Links

log = logging.getLogger(__name__)

TICK_S: Final = 0.2
FORWARDS: Final = PoolSettings(least=8, most=32, high=16, low=2, limit=10_000)
ANSWERS: Final = PoolSettings(least=1, most=4)


@dataclass(frozen=True, slots=True)
class _Running:
    """What an open server has."""

    core: NameServer
    storing: Storing[Output]
    new_source: Source


class NamingServer(Opening):
    """One naming server.

    Args:
        urls: Addresses of equal NATS servers.
        building: Whose names these are.
        server: Own name, by which files of static links name it.
        links: Its links.
        store: File of its state; in memory where None.
        settings: See `NamingSettings`.
    """

    def __init__(
        self,
        urls: Sequence[str],
        building: str,
        server: str,
        links: Links,
        store: Path | None = None,
        settings: NamingSettings | None = None,
    ) -> None:
        self.name = server
        self._building = building
        self._links = links
        self._settings = settings or NamingSettings()
        self._path = store
        self._store: BusStore = MemoryStore()
        self._link = NatsLink(urls, LinkOptions(name=f"evbus/{building}/names/{server}"))
        self._asking = Asking(self._link)
        bus = "ns-" + "".join(each if each.isalnum() or each == "-" else "_" for each in server)
        self._bus = EventBus(urls, building, bus[:64], BusOptions())
        self._client = BusClient(LocalTransport(self._bus, "names"), auto_clean_up=False)
        self._forwards = WorkerPool("forwards", FORWARDS)
        # Apart from the forwards, which wait for servers that may hang.
        self._answers = WorkerPool("answers", ANSWERS)
        self._events = WorkerPool("newsource", PoolSettings(least=1, most=1))
        self._running: _Running | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._waiting: dict[str, asyncio.Future[Result]] = {}
        self._serial = 0

    @property
    def core(self) -> NameServer:
        """What decides.

        Raises:
            EventServiceError: The server is not open.
        """
        return self._opened.core

    @property
    def _opened(self) -> _Running:
        if self._running is None:
            raise EventServiceError(f"naming server {self.name} is not open")
        return self._running

    @property
    def links(self) -> Links:
        """Its links."""
        return self._links

    async def open(self) -> Self:
        """Restore what was stored, and answer from now on.

        Raises:
            NotConnectedError: No NATS server answered in time.
            OSError: The store cannot be opened.
        """
        if self._path is not None:
            self._store = await asyncio.to_thread(SqliteStore, self._path)
        stored = await asyncio.to_thread(self._store.read)
        core = NameServer(self._links, self._settings, stored, steady_us())
        await self._link.open()
        await self._bus.open()
        await self._client.open()
        new_source = await self._client.advertise(NEW_SOURCE)
        storing = Storing(self._store, self._perform)
        self._running = _Running(core, storing, new_source)
        for pool in (self._forwards, self._answers, self._events):
            await pool.__aenter__()
        for work in (storing.run, self._tick):
            self._tasks.append(asyncio.create_task(lasting(work), name=f"names-{work.__name__}"))
        await self._link.listen(subject(self._building, self.name), self._receive)
        await self._link.flush()
        return self

    async def close(self) -> None:
        """End; what is stored stays."""
        tasks, self._tasks = self._tasks, []
        await ended(*tasks)
        for pool in (self._forwards, self._answers, self._events):
            await pool.__aexit__(None, None, None)
        await self._client.close()
        await self._bus.close()
        await self._link.close()
        self._store.close()

    async def ask(self, query: Query) -> Result:
        """Return the result of a query, as any bus would get it."""
        self._serial += 1
        asker = f"own {self._serial}"
        waiting: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting[asker] = waiting
        try:
            self.core.handle(asker, query, steady_us())
            self._settle()
            return await waiting
        finally:
            del self._waiting[asker]

    def _receive(self, subject_: str, payload: bytes, headers: bytes, reply: str) -> None:
        del subject_, headers
        if not reply:
            return
        try:
            query = decode_query(payload)
        except MessageError as error:
            log.warning("query_refused", extra={"reason": str(error)[:200]})
            self._answer(reply, Result("unknown", reason=str(error)))
            return
        self.core.handle(reply, query, steady_us())
        self._settle()

    def _settle(self) -> None:
        opened = self._opened
        step = opened.core.take()
        if step.rows or step.outputs:
            opened.storing.take(step.rows, step.outputs)

    def _perform(self, outputs: list[Output]) -> None:
        for output in outputs:
            match output:
                case Reply(asker, result):
                    self._answer(asker, result)
                case Forward():
                    work = partial(self._forward, output)
                    if not self._forwards.put(str(output.ticket), work):
                        self._answered(output.ticket, None)
                case NewSource():
                    self._events.put(output.name, partial(self._announce, output))

    def _answer(self, asker: str, result: Result) -> None:
        waiting = self._waiting.get(asker)
        if waiting is not None and not waiting.done():
            waiting.set_result(result)
        elif waiting is None:
            work = partial(self._link.publish, asker, encode(result), waits=False)
            self._answers.put(asker, work)

    async def _forward(self, forward: Forward) -> None:
        place = subject(self._building, forward.server)
        answer = await self._asking.ask(place, encode(forward.query), forward.timeout_us / 1e6)
        result = None
        if answer is not None:
            try:
                result = decode_result(answer)
            except MessageError as error:
                log.warning("result_refused", extra={"reason": str(error)[:200]})
        self._answered(forward.ticket, result)

    def _answered(self, ticket: int, result: Result | None) -> None:
        self.core.answered(ticket, result, steady_us())
        self._settle()

    async def _announce(self, found: NewSource) -> None:
        try:
            await self._opened.new_source.notify({"name": found.name, "bus": found.bus})
        except (BusError, EventServiceError) as error:
            log.warning("new_source_not_reported", extra={"reason": str(error)[:200]})

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self.core.tick(steady_us())
            self._settle()
