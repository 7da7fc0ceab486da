"""The naming and policy services, queried for all gateways of a process.

The cores state what they need to know; what the services answer goes into them as `Guided`. Where a
service does not answer, the cores decide what follows.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from typing import Final, TypeVar

from eventservices.bus import BusClient, EventBus, LocalTransport
from eventservices.bus.binding.naming_client import NamingClient
from eventservices.bus.binding.policy_client import PolicyClient
from eventservices.bus.binding.pool import PoolSettings, WorkerPool
from eventservices.bus.wire.messages import MessageError
from eventservices.bus.wire.policy import Changes
from eventservices.bus.wire.subjects import Subjects
from eventservices.ending import beside, ended
from eventservices.lasting import lasting
from eventservices.natslink import LinkOptions, NatsLink
from fes.control import RequestType
from fes.federation.address import address
from fes.federation.guides import NamingPart, PolicyPart
from fes.federation.model import Federation
from fes.gateway import GatewayCore
from fes.gateway.inputs import Asker, Guided, Right
from msgspec import UNSET

from fes_gateway.guide.due import Due
from fes_gateway.guide.places import Places
from fes_gateway.guide.rights import RETRY_S, Rights
from fes_gateway.host import GatewayHost

log = logging.getLogger(__name__)

T = TypeVar("T")

LOOK_S: Final = 0.05
"""Between two looks at what the gateways need to know."""

FEED_S: Final = 1.0
QUERIES: Final = PoolSettings(least=2, most=16, limit=100_000)


class Guide:
    """Brings gateways what the naming and policy services know.

    Args:
        federation: The file, resolved.
        hosts: The gateways of this process, by name.
        name: Of this process among all that have gateways of the federation.
    """

    def __init__(self, federation: Federation, hosts: Mapping[str, GatewayHost], name: str) -> None:
        self._federation = federation
        self._hosts = hosts
        self._name = _token(name)
        loop = asyncio.get_running_loop()
        self._subjects: Due[str] = Due(loop.time)
        self._askers: Due[Asker] = Due(loop.time)
        self._places: dict[str, tuple[str, ...] | None] = {}
        self._rights: dict[Asker, Right | None] = {}
        self._cores: dict[str, GatewayCore] = {}
        self._pool = WorkerPool("guide", QUERIES)
        self._changes = Changes()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begin to query, where the file configures a service."""
        await self._pool.__aenter__()
        naming, policy = self._federation.naming, self._federation.policy
        if naming is not UNSET:
            self._begin("places", partial(self._name_places, naming))
        if policy is not UNSET:
            self._begin("rights", partial(self._decide_rights, policy))

    def _begin(self, what: str, work: Callable[[], Awaitable[None]]) -> None:
        self._tasks.append(asyncio.create_task(lasting(work), name=f"guide-{what}"))

    async def stop(self) -> None:
        """End; the gateways keep what they know as long as it is valid."""
        await ended(*self._tasks)
        await self._pool.__aexit__(None, None, None)

    async def _name_places(self, part: NamingPart) -> None:
        url = address(self._federation, part.broker)
        async with AsyncExitStack() as stack:
            enter = stack.enter_async_context
            link = await enter(NatsLink([url], LinkOptions(name=f"guide/{self._name}")))
            bus = await enter(EventBus([url], part.building, f"guide-{self._name}"))
            client = await enter(BusClient(LocalTransport(bus, "guide"), auto_clean_up=False))
            places = Places(
                part,
                self._federation.event_services,
                NamingClient(link, part.building, part.servers),
                asyncio.get_running_loop().time,
                self._subjects.again,
            )
            await enter(beside(lasting(partial(self._feed, places)), "guide-feed"))
            self._subjects.all_again()
            while True:
                needed = self._needed(lambda core: core.guiding.questions().subjects)
                for each in self._subjects.need(needed):
                    self._places.pop(each, None)
                await places.watch(client, needed)
                for subject in self._subjects.now():
                    look_up = partial(self._look_up, places, subject)
                    if not self._pool.put(f"name {subject}", look_up):
                        self._subjects.answered(subject, RETRY_S)
                await asyncio.sleep(LOOK_S)

    async def _decide_rights(self, part: PolicyPart) -> None:
        url = address(self._federation, part.broker)
        async with NatsLink([url], LinkOptions(name=f"guide/{self._name}")) as link:
            rights = Rights(part, PolicyClient(link, part.building))
            await link.listen(
                Subjects(part.building).policy(),
                lambda _subject, payload, _headers, _reply: self._policy_changed(rights, payload),
            )
            self._askers.all_again()
            while True:
                needed = self._needed(lambda core: core.guiding.questions().askers)
                for each in self._askers.need(needed):
                    self._rights.pop(each, None)
                for asker in self._askers.now():
                    decide = partial(self._decide, rights, asker)
                    if not self._pool.put(f"right {asker}", decide):
                        self._askers.answered(asker, RETRY_S)
                await asyncio.sleep(LOOK_S)

    def _needed(self, of: Callable[[GatewayCore], frozenset[T]]) -> frozenset[T]:
        """Return what any gateway needs to know; one that began again gets all that is known."""
        for name, host in self._hosts.items():
            if self._cores.get(name) is not host.core:
                self._cores[name] = host.core
                host.handle(Guided(dict(self._places), dict(self._rights)))
        found: frozenset[T] = frozenset()
        return found.union(*(of(host.core) for host in self._hosts.values()))

    async def _look_up(self, places: Places, subject: str) -> None:
        again_s = RETRY_S
        try:
            found, again_s = await places.lookup(subject)
        finally:
            self._subjects.answered(subject, again_s)
        if subject not in self._places or self._places[subject] != found:
            self._places[subject] = found
            self._bring(Guided(places={subject: found}))

    async def _decide(self, rights: Rights, asker: Asker) -> None:
        again_s = RETRY_S
        try:
            found, again_s = await rights.decide(asker)
        finally:
            self._askers.answered(asker, again_s)
        self._rights[asker] = found
        self._bring(Guided(rights={asker: found}))

    def _bring(self, guided: Guided) -> None:
        for host in self._hosts.values():
            host.handle(guided)

    async def _feed(self, places: Places) -> None:
        while True:
            await places.feed(frozenset(self._announced()))
            await asyncio.sleep(FEED_S)

    def _announced(self) -> list[tuple[str, str]]:
        return [
            (row.what, row.source)
            for host in self._hosts.values()
            for row in host.core.table.rows()
            if row.kind is RequestType.ANNOUNCEMENT
            and not row.withdrawn
            and row.source in host.settings.adapters
        ]

    def _policy_changed(self, rights: Rights, payload: bytes) -> None:
        try:
            user = self._changes.read(payload)
        except MessageError as error:
            log.warning("policy_change_refused", extra={"reason": str(error)[:200]})
            return
        for asker in self._askers if user is not None else ():
            if user in ("", rights.user(asker.source)):
                self._askers.again(asker)


def _token(text: str) -> str:
    """Return an identifier with `_` for what a bus's may not have."""
    return "".join(each if each.isascii() and each.isalnum() else "_" for each in text)[:50]
