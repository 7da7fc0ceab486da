"""A running replica: it sends heartbeats, follows the others, and leads when it is its turn."""

import asyncio
import contextlib
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec
from eventservices.ending import ended
from fes.errors import StoreError
from fes.gateway import replication as core
from fes.gateway.outputs import DropRow, Mutation, PutRow
from serving.clocks import wall_us

from fes_gateway.committing import Committing
from fes_gateway.decisions import always, never
from fes_gateway.replicas.membership import HEARTBEAT, Membership, View, write_view
from fes_gateway.store import Journal, Tail
from fes_gateway.watched import watched

HEARTBEAT_S = 0.5
JOINING_S = 5.0
"""Longest wait of a replica for its adapters before its first heartbeat makes it a member."""

LEAVING_S = 1.0
"""How long a replica that leaves waits for the commit of its last view."""

FORWARDED = 1000
"""Most forwarded requests of a replica that wait for the leader; further ones are refused."""

_log = logging.getLogger(__name__)


class Gateway(Protocol):
    """The gateway of a replica, as seen by the replica."""

    @property
    def linked(self) -> bool:
        """Whether every adapter is linked."""

    def followed(self, tail: core.Tail) -> None:
        """Process what other replicas committed."""

    def viewed(self) -> None:
        """Note that there is a new view."""

    def lead(self, state: dict[str, bytes], after: int) -> None:
        """Lead from now on."""

    def step_down(self) -> None:
        """Decide as a follower from now on, until `follow` provides the content of the journal."""

    def follow(self, state: dict[str, bytes]) -> None:
        """Begin again as a follower: what was decided and not committed is void."""


class Replica:
    """Runs one replica among the others.

    Args:
        name: Name of the replica; no two that live have the same.
        gateway: The gateway of which it is a replica.
        committing: Commits what the gateway decides.
        journal: The journal that all replicas share.
        heartbeat_s: Seconds between two heartbeats.

    Attributes:
        membership: Which replicas there are.
        term: Number of the view with which this replica began to lead, after it read all that was
            committed before; 0 while it follows.
    """

    def __init__(
        self,
        name: str,
        gateway: Gateway,
        committing: Committing,
        journal: Journal,
        heartbeat_s: float = HEARTBEAT_S,
    ) -> None:
        self.name = name
        self.membership = Membership(name, wall_us(), heartbeat_s)
        self._gateway = gateway
        self._committing = committing
        self._journal = journal
        self._heartbeat_s = heartbeat_s
        self.term = 0
        self._void = False
        self._number = wall_us()
        self._forwarded: OrderedDict[str, None] = OrderedDict()
        self._known: dict[str, int] = {}
        self._task: asyncio.Task[None] | None = None

    async def start(self, state: dict[str, bytes]) -> None:
        """Begin as a follower, or as the leader where there is no other; then send heartbeats.

        Args:
            state: The content of the journal.
        """
        loop = asyncio.get_running_loop()
        self._journal.watch(lambda: _call(loop, self._committing.wake))
        self._know(state)
        self.membership.take(state, time.monotonic())
        first = self.membership.view is None or self.membership.leads
        if first:
            self._propose(self.membership.takeover(wall_us()), [])
        if first:
            self._heartbeat()
        for _ in range(2):  # a view is acted on after the commit that it came with
            await self._committing.caught_up()
        self._task = watched(self._run(), f"{self.name} replica", self._committing.on_failed)

    async def stop(self) -> None:
        """Leave: transfer the lead, and delete this replica's heartbeat; idempotent."""
        task, self._task = self._task, None
        if task is None:
            return
        await ended(task)
        view = await self._farewell()
        gone: list[Mutation] = [DropRow(HEARTBEAT + self.name)]
        if view is None:
            self._committing.put(gone, [])
        else:
            self._propose(view, gone)

    async def _farewell(self) -> View | None:
        """Return the view that transfers the lead, once no other view waits for the journal.

        Otherwise two views of the same number might be committed together. Where the journal is too
        slow for that, no successor is named: another leads as soon as this replica's heartbeat is
        gone.
        """
        try:
            async with asyncio.timeout(LEAVING_S):
                await self._committing.caught_up()
        except (TimeoutError, StoreError):
            return None
        return self.membership.farewell(time.monotonic(), wall_us())

    def kill(self) -> None:
        """Stop sending heartbeats, like a process that is killed."""
        if self._task is not None:
            self._task.cancel()

    def follow(self, tail: Tail) -> None:
        """Process what others appended."""
        changes = {entry.key: entry.value for entry in tail.entries}
        if tail.whole:
            self._known.clear()
            self._forwarded = OrderedDict.fromkeys(filter(changes.get, self._forwarded))
        for key, value in changes.items():
            self._note(key, value, tail.sequence)
        if self._take(changes):
            self._see(others=True)
        self._gateway.followed(core.Tail(tail.whole, changes))

    async def rested(self) -> None:
        """Lead where it is this replica's turn, and begin again where its decisions are void."""
        view = self.membership.view
        if view is None or not (self._void or (self.membership.leads and not self.term)):
            return
        try:
            state = await self._committing.state()
        except Exception:  # noqa: BLE001 - the next heartbeat tries again
            _log.exception("journal_not_read", extra={"replica": self.name})
            return
        self._know(state)
        if self._take(state):
            self._see()
        if self._void:
            self._void = False
            self._gateway.follow(state)
        elif not self.membership.leads:  # another began to lead before this one read that it leads
            self._gateway.followed(core.Tail(whole=True, changes=state))
        view = self.membership.view
        if view is not None and self.membership.leads and not self.term:
            self.term = view.number
            self._gateway.lead(state, view.base)

    def holder(self) -> Callable[[], bool]:
        """Return a function that returns whether a decision made now may still be committed."""
        term = self.term
        if self._void:
            return never
        return always if not term else lambda: self.term == term

    def forward(self, forwarded: core.Forwarded) -> bool:
        """Forward a request to the leader; return False where too many wait."""
        if len(self._forwarded) >= FORWARDED:
            return False
        self._number += 1
        key = f"{core.INBOX}{self.name}\x1f{self._number:020}"
        self._forwarded[key] = None
        value = core.write_forwarded(forwarded)
        self._committing.put([PutRow(key, value)], [], then=lambda: self._left(key, value))
        return True

    def is_everywhere(self, row: str) -> bool:
        """Return whether every replica that lives has a row of the request table, by its name."""
        known = self._known.get(row)
        return known is not None and known <= self.membership.seen

    def committed(self, mutations: list[Mutation]) -> None:
        """Note what this replica committed."""
        for each in mutations:
            value = each.value if isinstance(each, PutRow) else None
            self._note(each.key, value, self._committing.sequence)

    def _left(self, key: str, value: bytes) -> None:
        """Process what it forwarded itself, where it began to lead before that was committed."""
        if self.term:
            self._gateway.followed(core.Tail(whole=False, changes={key: value}))

    async def _run(self) -> None:
        joined, since_s = bool(self.term), time.monotonic()
        while True:
            await asyncio.sleep(self._heartbeat_s)
            await self._committing.caught_up()
            joined = joined or self._gateway.linked or time.monotonic() - since_s > JOINING_S
            if not (joined or self.term):
                continue
            self._heartbeat()
            view = self.membership.proposal(time.monotonic(), wall_us())
            if view is not None:
                gone = set(self.membership.members) - set(view.members)
                self._propose(view, [DropRow(HEARTBEAT + name) for name in sorted(gone)])

    def _heartbeat(self) -> None:
        key, value = self.membership.heartbeat(self._committing.sequence)
        self._committing.put([PutRow(key, value)], [], then=lambda: self._took({key: value}))

    def _propose(self, view: View, more: list[Mutation]) -> None:
        """Propose a view, unless another is committed by then."""
        key, value = write_view(view)
        before = self.membership.view
        self._committing.put(
            [PutRow(key, value), *more],
            [],
            holds=lambda: self.membership.view == before,
            then=lambda: self._took({key: value}),
        )

    def _took(self, changes: dict[str, bytes]) -> None:
        if self._take(changes):
            self._see()

    def _take(self, changes: Mapping[str, bytes | None]) -> bool:
        before = self.membership.view
        try:
            return self.membership.take(changes, time.monotonic())
        except msgspec.DecodeError:
            _log.exception("view_not_read", extra={"replica": self.name})
            return self.membership.view != before

    def _see(self, *, others: bool = False) -> None:
        """Act on a new view.

        Args:
            others: Whether another replica made it, which then led, even where the view names this
                replica.
        """
        view = self.membership.view
        if view is None:
            return
        if self.term and (others or not self.membership.leads):
            self.term, self._void = 0, True
            self._gateway.step_down()
        self._gateway.viewed()

    def _know(self, state: Mapping[str, bytes]) -> None:
        """Note that this replica knows the whole content of the journal."""
        sequence = self._committing.sequence
        self._known = {
            key: self._known.get(key, sequence) for key in filter(core.is_request, state)
        }

    def _note(self, key: str, value: bytes | None, sequence: int) -> None:
        if value is None:
            self._forwarded.pop(key, None)
            self._known.pop(key, None)
        elif core.is_request(key):
            self._known[key] = sequence


def _call(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> None:
    with contextlib.suppress(RuntimeError):  # the loop ended first
        loop.call_soon_threadsafe(act)
