"""What a gateway core orders: mutations to commit, then outputs to perform.

Outputs that are made for every event are structs: a frozen dataclass costs five times as much.
"""

from dataclasses import dataclass

import msgspec

from fes.gateway.replication import Forwarded
from fes.link.messages import Order


class ToAdapter(msgspec.Struct, frozen=True):
    """An order for the adapter at an event service."""

    service: str
    order: Order


class ForLeader(msgspec.Struct, frozen=True):
    """A request for the replica that leads: it goes into the journal that all share."""

    forwarded: Forwarded


class Decided(msgspec.Struct, frozen=True):
    """A decision, for the event log; the service around the core adds time and name.

    The attributes are those of `fes.eventlog.Record`.
    """

    decision: str
    id: str = ""
    event_time_us: int = 0
    subject: str = ""
    home: str = ""
    from_: str = ""
    to: str = ""
    path: tuple[str, ...] = ()
    request: str = ""
    type: str = ""
    reason: str = ""
    what: str = ""
    declared: str = ""


@dataclass(frozen=True, slots=True)
class PutRow:
    """Mutation: a row of the journal is new or replaced.

    Attributes:
        key: Identifies the row in the journal.
        value: The row as MessagePack.
        soon: Whether the outputs of its turn wait for its commit. Where not, the journal may commit
            it later, at most `LATER_US` of `fes.gateway.requests.registry`: the row before it
            states the same, for a shorter time.
    """

    key: str
    value: bytes
    soon: bool = True


@dataclass(frozen=True, slots=True)
class DropRow:
    """Mutation: a row of the journal is deleted."""

    key: str


Mutation = PutRow | DropRow
Output = ToAdapter | ForLeader | Decided
