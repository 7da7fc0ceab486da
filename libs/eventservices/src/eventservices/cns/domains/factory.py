"""Factories of domains.

Source:
    OMG Management of Event Domains 1.0, interface `EventDomainFactory`.
"""

import asyncio
from collections.abc import Mapping
from typing import Final, Self

from eventservices.cns.domains.changing import whole
from eventservices.cns.domains.domain import EventDomain
from eventservices.cns.domains.errors import DomainNotFoundError
from eventservices.cns.domains.journal import Journal, MemoryJournal
from eventservices.cns.domains.logs.domain import EventLogDomain
from eventservices.cns.domains.moving.handles import Brokers
from eventservices.cns.domains.qos import STANDARD, DomainQoS, judge_qos, refuse_admin
from eventservices.cns.domains.records import DomainID, DomainKind, DomainRecord
from eventservices.cns.domains.running import DomainOptions, Running
from eventservices.cns.domains.state import DomainChange, DomainState
from eventservices.cns.domains.typed.domain import TypedEventDomain
from eventservices.cns.errors import AdminLimitExceededError
from eventservices.lifetime import Opening

MOST_DOMAINS: Final = 1_000
"""Most domains of a factory."""

_KINDS: Final[Mapping[DomainKind, type[EventDomain]]] = {
    DomainKind.EVENT: EventDomain,
    DomainKind.TYPED: TypedEventDomain,
    DomainKind.LOG: EventLogDomain,
}

_ANYTHING: Final = {str(name): 1 for name in DomainQoS}


class EventDomainFactory(Opening):
    """Makes domains, finds them, and brings them back after a restart.

    Args:
        brokers: Opens channels.
        journal: Where domains are kept; nowhere by default.
        options: How connections run.
        defaults: Quality of service of domains that are created without: the standard's, which
            authorises cycles and diamonds, or `SHIPPED`, which forbids both.
    """

    def __init__(
        self,
        brokers: Brokers | None = None,
        journal: Journal | None = None,
        options: DomainOptions | None = None,
        defaults: Mapping[str, int] = STANDARD,
    ) -> None:
        self._brokers = brokers or Brokers()
        self._journal = journal or MemoryJournal()
        self._options = options or DomainOptions()
        self._defaults = dict(defaults)
        self._domains: dict[DomainID, EventDomain] = {}
        self._next = self._journal.next_domain()
        self._creating = 0

    async def open(self) -> Self:
        """Bring back the domains of the journal; channels open as soon as brokers are there.

        Raises:
            OSError: The journal cannot be read.
        """
        states: dict[DomainID, DomainState] = {}
        for domain_id, change in await asyncio.to_thread(list, self._journal.read()):
            if isinstance(change, DomainChange) and change.record is not None:
                states.setdefault(domain_id, DomainState(change.record))
            if domain_id in states:
                states[domain_id].apply(change)
        for domain_id, state in sorted(states.items()):
            domain = self._domains[domain_id] = self._make(domain_id, state)
            await domain.running.restore()
        return self

    async def close(self) -> None:
        """Stop running, and disconnect; the journal brings the domains back."""
        for domain in self._domains.values():
            await domain.close()
        await self._brokers.close()

    async def create_event_domain(
        self,
        initial_qos: Mapping[str, object] | None = None,
        initial_admin: Mapping[str, object] | None = None,
    ) -> tuple[EventDomain, DomainID]:
        """Create a domain.

        Args:
            initial_qos: Properties that differ from the defaults.
            initial_admin: Must be empty: the standard defines none.

        Returns:
            The domain and its identifier.

        Raises:
            UnsupportedQoSError: Some of `initial_qos` is not available.
            UnsupportedAdminError: `initial_admin` is not empty.
            AdminLimitExceededError: There are `MOST_DOMAINS`.
            OSError: The journal cannot be written.
        """
        return await self._create(DomainKind.EVENT, initial_qos or {}, initial_admin or {})

    @property
    def journal(self) -> Journal:
        """Where domains are kept."""
        return self._journal

    def get_all_domains(self) -> tuple[DomainID, ...]:
        """Return the identifiers of the domains that there are, ascending."""
        self._sweep()
        return tuple(sorted(self._domains))

    def get_event_domain(self, domain_id: DomainID) -> EventDomain:
        """Return a domain.

        Raises:
            DomainNotFoundError: There is none of that id.
        """
        self._sweep()
        if domain_id not in self._domains:
            raise DomainNotFoundError(f"there is no domain {domain_id}")
        return self._domains[domain_id]

    async def _create(
        self,
        kind: DomainKind,
        initial_qos: Mapping[str, object],
        initial_admin: Mapping[str, object],
    ) -> tuple[EventDomain, DomainID]:
        refuse_admin(initial_admin)
        qos = {**self._defaults, **judge_qos(initial_qos, _ANYTHING)}
        self._sweep()
        if len(self._domains) + self._creating >= MOST_DOMAINS:
            raise AdminLimitExceededError("MaxDomains", MOST_DOMAINS)
        record = DomainRecord(
            kind,
            forbid_cycles=bool(qos[DomainQoS.CYCLE_DETECTION]),
            forbid_diamonds=bool(qos[DomainQoS.DIAMOND_DETECTION]),
        )
        domain_id = self._next
        self._next += 1
        self._creating += 1
        try:
            return await whole(self._kept(domain_id, record)), domain_id
        finally:
            self._creating -= 1

    async def _kept(self, domain_id: DomainID, record: DomainRecord) -> EventDomain:
        await self._journal.write(domain_id, (DomainChange(record),))
        domain = self._domains[domain_id] = self._make(domain_id, DomainState(record))
        return domain

    def _make(self, domain_id: DomainID, state: DomainState) -> EventDomain:
        running = Running(domain_id, state, self._brokers, self._options)
        made = _KINDS[state.record.kind]
        return made(domain_id, state, running, self._journal, self._options.interfaces)

    def _sweep(self) -> None:
        ended = [each for each, domain in self._domains.items() if domain.destroyed]
        for each in ended:
            del self._domains[each]


class TypedEventDomainFactory(EventDomainFactory):
    """Makes typed domains too; identifiers are shared by all domains of a factory.

    Source:
        OMG Management of Event Domains 1.0, interface `TypedEventDomainFactory`.
    """

    async def create_typed_event_domain(
        self,
        initial_qos: Mapping[str, object] | None = None,
        initial_admin: Mapping[str, object] | None = None,
    ) -> tuple[TypedEventDomain, DomainID]:
        """Create a typed domain; arguments and errors as of `create_event_domain`."""
        domain, domain_id = await self._create(
            DomainKind.TYPED, initial_qos or {}, initial_admin or {}
        )
        return _typed(domain), domain_id

    def get_all_typed_domains(self) -> tuple[DomainID, ...]:
        """Return the identifiers of the typed domains, ascending."""
        every = self.get_all_domains()
        return tuple(each for each in every if isinstance(self._domains[each], TypedEventDomain))

    def get_typed_event_domain(self, domain_id: DomainID) -> TypedEventDomain:
        """Return a typed domain.

        Raises:
            DomainNotFoundError: There is none of that id, or it is not typed.
        """
        return _typed(self.get_event_domain(domain_id))


def _typed(domain: EventDomain) -> TypedEventDomain:
    if not isinstance(domain, TypedEventDomain):
        raise DomainNotFoundError(f"domain {domain.id} is not typed")
    return domain


class EventLogDomainFactory(TypedEventDomainFactory):
    """Makes domains of logs too.

    Source:
        OMG Management of Event Domains 1.0, interface `EventLogDomainFactory`.
    """

    async def create_event_log_domain(
        self,
        initial_qos: Mapping[str, object] | None = None,
        initial_admin: Mapping[str, object] | None = None,
    ) -> tuple[EventLogDomain, DomainID]:
        """Create a domain of logs; arguments and errors as of `create_event_domain`."""
        domain, domain_id = await self._create(
            DomainKind.LOG, initial_qos or {}, initial_admin or {}
        )
        return _of_logs(domain), domain_id

    def get_all_event_log_domains(self) -> tuple[DomainID, ...]:
        """Return the identifiers of the domains of logs, ascending."""
        every = self.get_all_domains()
        return tuple(each for each in every if isinstance(self._domains[each], EventLogDomain))

    def get_event_log_domain(self, domain_id: DomainID) -> EventLogDomain:
        """Return a domain of logs.

        Raises:
            DomainNotFoundError: There is none of that id, or it is of another kind.
        """
        return _of_logs(self.get_event_domain(domain_id))


def _of_logs(domain: EventDomain) -> EventLogDomain:
    if not isinstance(domain, EventLogDomain):
        raise DomainNotFoundError(f"domain {domain.id} has no logs")
    return domain
