"""What a bus queries at other services: where sources are, who may subscribe, what has changed."""

import asyncio
import logging
from functools import partial
from typing import Final, Protocol

import msgspec

from eventservices.bus.binding.dispatch import Opened
from eventservices.bus.binding.guests import Receive
from eventservices.bus.binding.pool import WorkerPool
from eventservices.bus.binding.ports import Naming
from eventservices.bus.core import AddName, Decide, Lookup, RemoveName
from eventservices.bus.filters import Among, Field
from eventservices.bus.names import NEW_SOURCE
from eventservices.bus.wire.calls import Answer, Call, Delivery, Push, Refilter, Subscribe
from eventservices.bus.wire.messages import MessageError
from eventservices.bus.wire.policy import Changes
from eventservices.bus.wire.subjects import Subjects
from eventservices.ending import ended
from eventservices.lasting import lasting
from eventservices.natslink import NatsLink

log = logging.getLogger(__name__)

_CLIENT: Final = "_newsource"
WATCH_S: Final = 2.0
RETRY_S: Final = 1.0
AT_ONCE: Final = 100
"""Most names of which something is requested in one turn."""

MOST_LATER: Final = 100_000
"""Most names that are looked up again later; others follow from the hellos of buses."""


class Host(Opened, Protocol):
    """The bus, as far as it is needed here."""

    id: str

    def attach(self, client: str, receive: Receive) -> None:
        """Accept a client of this process."""

    def call(self, client: str, call: Call) -> None:
        """Accept a client's call."""

    def settle(self) -> None:
        """Perform what the core has decided."""


class Services:
    """Queries the naming and policy services in the background.

    Args:
        bus: Whose core accepts the answers.
        pool: Performs what is queried.
    """

    def __init__(self, bus: Host, pool: WorkerPool) -> None:
        self._bus = bus
        self._pool = pool
        self._options = bus.options
        self._unadded: set[str] = set()
        self._later: dict[str, float] = {}
        self._changes = Changes()
        self._watched: set[str] = set()
        self._watching = asyncio.Lock()
        self._renewing: asyncio.Task[None] | None = None
        self._sink = 0
        self._calls: dict[int, asyncio.Future[Answer]] = {}
        self._last_call = 0

    async def open(self, link: NatsLink, subjects: Subjects) -> None:
        """Begin to listen for changes."""
        if self._options.settings.policy:
            await link.listen(subjects.policy(), self._policy_changed)
        if self._options.naming is not None:
            self._bus.attach(_CLIENT, self._receive)
            self._renewing = asyncio.create_task(lasting(self._renew), name="bus-renewing")

    async def close(self) -> None:
        """End what is done in the background."""
        await ended(self._renewing)

    def perform(self, output: Lookup | AddName | RemoveName | Decide) -> None:
        """Query; the answer goes to the core."""
        match output:
            case Lookup(name):
                naming = self._options.naming
                if naming is None or name == NEW_SOURCE:
                    self._bus.core.found(name, None, self._bus.clock.now_us())
                else:
                    self._pool.put(f"name {name}", partial(self._lookup, naming, name))
            case AddName(name):
                self._pool.put(f"name {name}", partial(self._add, name))
            case RemoveName(name):
                self._unadded.discard(name)
                self._pool.put(f"name {name}", partial(self._remove, name))
            case Decide():
                key = f"sink {output.bus} {output.sink}"
                self._pool.put(key, partial(self._decide, output))

    async def _renew(self) -> None:
        waited_s = 0.0
        while True:
            await asyncio.sleep(RETRY_S)
            waited_s += RETRY_S
            await self._look_up_again()
            names = sorted(self._unadded)
            if waited_s >= self._options.renew_s:
                names, waited_s = list(self._bus.core.names), 0.0
            for number, name in enumerate(names, 1):
                self._pool.put(f"name {name}", partial(self._add, name, again=True))
                if number % AT_ONCE == 0:
                    await asyncio.sleep(0)

    async def _look_up_again(self) -> None:
        """Look up again what was answered from a cache, or not known, and is still requested."""
        now_s, core = self._now_s(), self._bus.core
        due = [name for name, at_s in self._later.items() if at_s <= now_s]
        for number, name in enumerate(due, 1):
            self._later.pop(name, None)
            if core.wants(name):
                self.perform(Lookup(name))
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)

    async def _add(self, name: str, *, again: bool = False) -> None:
        naming = self._options.naming
        if naming is None or name == NEW_SOURCE or not self._bus.core.has(name):
            self._unadded.discard(name)  # its source ended while it was being added
            self._bus.core.added(name)
            self._bus.settle()
            return
        if await naming.add(name, self._bus.id):
            self._unadded.discard(name)
        elif self._bus.core.has(name):
            self._unadded.add(name)
            if not again:
                # Where the naming service does not answer, all buses are notified.
                self._bus.core.announce(name)
        self._bus.core.added(name)
        self._bus.settle()

    async def _remove(self, name: str) -> None:
        naming = self._options.naming
        if naming is not None and name != NEW_SOURCE and not self._bus.core.has(name):
            await naming.remove(name, self._bus.id)

    async def _lookup(self, naming: Naming, name: str) -> None:
        # New sources are watched for first, so that none comes between the answer and the watch.
        await self._watch(name)
        found = await naming.lookup(name)
        self._bus.core.found(name, found.buses, self._bus.clock.now_us())
        self._bus.settle()
        if found.again_s and len(self._later) < MOST_LATER:
            self._later[name] = self._now_s() + found.again_s
        else:
            self._later.pop(name, None)

    def _now_s(self) -> float:
        return asyncio.get_running_loop().time()

    async def _watch(self, name: str) -> None:
        async with self._watching:
            wanted = set(self._bus.core.wanted) - {NEW_SOURCE} | {name}
            if wanted <= self._watched:
                return
            filter_ = Among(Field("name"), tuple(sorted(wanted)))
            try:
                async with asyncio.timeout(WATCH_S):
                    if not self._sink:
                        request = Subscribe(NEW_SOURCE, filter_, self._bus.id, "bus", "")
                        self._sink = (await self._call(request)).number
                    else:
                        await self._call(Refilter(self._sink, filter_))
            except TimeoutError:
                log.warning("new_sources_not_watched", extra={"bus": self._bus.id, "event": name})
                return
            self._watched = wanted

    async def _call(self, request: Subscribe | Refilter) -> Answer:
        self._last_call += 1
        number = self._last_call
        waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._calls[number] = waiting
        try:
            self._bus.call(_CLIENT, Call(number, request))
            return await waiting
        finally:
            del self._calls[number]

    async def _receive(self, push: Push) -> None:
        match push:
            case Answer(call):
                waiting = self._calls.get(call)
                if waiting is not None and not waiting.done():
                    waiting.set_result(push)
            case Delivery(event=event):
                bus, name = event.values.get("bus"), event.values.get("name")
                if isinstance(bus, str) and isinstance(name, str):
                    self._bus.core.source_seen(bus, name, self._bus.clock.now_us())
                    self._bus.settle()

    async def _decide(self, request: Decide) -> None:
        policy = self._options.policy
        decision = None if policy is None else await policy.decide(request)
        if decision is not None:
            until_us = decision.until_us + self._bus.clock.ahead_us()
            decision = msgspec.structs.replace(decision, until_us=until_us)
        self._bus.core.decided(request, decision, self._bus.clock.now_us())
        self._bus.settle()

    def _policy_changed(self, subject: str, payload: bytes, headers: bytes, reply: str) -> None:
        del subject, headers, reply
        try:
            user = self._changes.read(payload)
        except MessageError:
            log.warning("policy_change_refused", extra={"bus": self._bus.id})
            return
        if user is None:
            return
        self._bus.core.recheck(user, self._bus.clock.now_us())
        self._bus.settle()
