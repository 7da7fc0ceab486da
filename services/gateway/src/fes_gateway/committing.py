"""Commits before performing: a decision goes into the journal before its outputs are performed.

Commits run in a thread of their own, several decisions at a time. Outputs that need no commit do
not wait for one, unless they must not overtake others.
"""

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor

from eventservices.ending import ended
from fes.errors import BehindError, StoreError
from fes.gateway.outputs import DropRow, Mutation, Output, PutRow, ToAdapter
from fes.gateway.requests.registry import LATER_US
from fes.link.messages import Publish, PublishControl
from serving.clocks import steady_us

from fes_gateway.decisions import Others, Waiting, always, nobody, nothing
from fes_gateway.recording import Counters
from fes_gateway.store import Entry, Journal, fold
from fes_gateway.watched import Failed, watched

_log = logging.getLogger(__name__)

FIRST_DELAY_S, MOST_DELAY_S = 0.1, 5.0
"""Pauses after a commit that failed, doubled each time."""


class Committing:
    """Commits what a gateway changed, then has performed what it ordered.

    Args:
        name: Name of the gateway.
        journal: Its journal.
        executor: One thread, from which the journal is used.
        perform: Performs outputs.
        rested: Called when nothing waits any more.
        counters: Counts what failed.

    Attributes:
        error: Why the journal cannot be written; empty where it can.
        uncommitted: Decisions that are not committed or not performed yet.
        waiting_bytes: Bytes that decisions waiting for the journal account for.
        sequence: Sequence number up to which the journal was read.
        others: Callbacks for a journal to which others append too; None where none do.
        on_failed: Called when nothing is committed any more, since the task that commits has ended.
    """

    def __init__(
        self,
        name: str,
        journal: Journal,
        executor: Executor,
        perform: Callable[[list[Output]], None],
        rested: Callable[[], None],
        counters: Counters,
    ) -> None:
        self.error = ""
        self.uncommitted = 0
        self.waiting_bytes = 0
        self._name = name
        self._journal = journal
        self._executor = executor
        self._perform = perform
        self._rested = rested
        self._counters = counters
        self._held: Counter[str] = Counter()
        self._later: dict[str, Mutation] = {}
        self._later_since_us = 0
        self.sequence = 0
        self.others: Others | None = None
        self.on_failed: Failed = nobody
        self._behind = False
        self._waiting: asyncio.Queue[Waiting] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> dict[str, bytes]:
        """Start; return the content of the journal."""
        loop = asyncio.get_running_loop()
        state, self.sequence = await loop.run_in_executor(self._executor, self._restore)
        self._task = watched(self._commit(), f"{self._name} commit", self.on_failed)
        return state

    async def stop(self, within_s: float) -> bool:
        """Finish what waits and close the journal; return False where that was done before."""
        task, self._task = self._task, None
        if task is None:
            return False
        if self._later:
            self.put([], [])
        if not task.done():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(within_s):
                    await self._waiting.join()
        await ended(task)
        await asyncio.get_running_loop().run_in_executor(self._executor, self._journal.close)
        return True

    def kill(self) -> None:
        """End at once, like a process that is killed; the journal stays open."""
        if self._task is not None:
            self._task.cancel()

    def behind(self) -> int:
        """Return how many decisions wait for the journal."""
        return self._waiting.qsize()

    def must_wait(self, outputs: list[Output]) -> bool:
        """Return whether outputs that need no commit must wait for those before them."""
        return self.uncommitted > 0 and not all(map(self._may_overtake, outputs))

    def put(
        self,
        mutations: list[Mutation],
        outputs: list[Output],
        holds: Callable[[], bool] = always,
        then: Callable[[], None] = nothing,
        void: Callable[[], None] = nothing,
    ) -> None:
        """Queue mutations to commit, and outputs to perform then; see `Waiting`."""
        if self._later:
            mutations = [*self._later.values(), *mutations]
            self._later, self._later_since_us = {}, 0
        self.uncommitted += 1
        for output in outputs:
            if isinstance(output, ToAdapter) and isinstance(output.order, Publish):
                self._held[output.service] += 1
        waiting = Waiting(mutations, outputs, holds, then, void)
        self.waiting_bytes += waiting.size
        self._waiting.put_nowait(waiting)

    def later(self, mutations: list[Mutation]) -> None:
        """Queue mutations to commit with the next ones, or after `LATER_US`; one for each key."""
        self._later_since_us = self._later_since_us or steady_us()
        self._later.update((each.key, each) for each in mutations)

    def pass_time(self) -> None:
        """Commit what has waited long enough for others."""
        if self._later and steady_us() - self._later_since_us >= LATER_US:
            self.put([], [])

    def wake(self) -> None:
        """Read soon what others appended."""
        if not self._behind:
            self._behind = True
            self.put([], [])

    async def caught_up(self) -> None:
        """Wait until all that others had appended before the call was followed.

        Raises:
            StoreError: Nothing is committed any more.
        """
        self._behind = True
        await self.settled()

    async def settled(self) -> None:
        """Wait until all that was queued before is committed, or void.

        Raises:
            StoreError: Nothing is committed any more.
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def settle() -> None:
            if not done.cancelled():
                done.set_result(None)

        self.put([], [], then=settle)
        task = self._task
        await asyncio.wait({done, task} if task else {done}, return_when=asyncio.FIRST_COMPLETED)
        if not done.done():
            raise StoreError(f"{self._name}: nothing is committed any more")

    async def state(self) -> dict[str, bytes]:
        """Return the content of the journal, and note that it was read.

        Call it only in `Others.rested`, while nothing is appended.
        """
        loop = asyncio.get_running_loop()
        state, self.sequence = await loop.run_in_executor(self._executor, self._restore)
        return state

    def _may_overtake(self, output: Output) -> bool:
        """Return whether an output may be performed before earlier decisions are committed.

        Decisions and best-effort events may, unless such an event waits for the same event
        service. An answer may not: it depends on a commit.
        """
        if not isinstance(output, ToAdapter):
            return True
        order = output.order
        if isinstance(order, Publish):
            return not order.row and not self._held[output.service]
        return isinstance(order, PublishControl) and order.publication

    def _restore(self) -> tuple[dict[str, bytes], int]:
        tail = self._journal.read()
        return fold(tail.entries), tail.sequence

    async def _commit(self) -> None:
        while True:
            waiting = [await self._waiting.get()]
            while not self._waiting.empty():
                waiting.append(self._waiting.get_nowait())
            for each in await self._committed(waiting):
                self.waiting_bytes -= each.size
                each.then()
                self._perform_committed(each.outputs)
            if self.others is not None:
                await self.others.rested()
            self._rest()

    def _rest(self) -> None:
        try:
            self._rested()
        except Exception:  # noqa: BLE001 - it is done again with the next tick
            _log.exception("resting_failed", extra={"gateway": self._name})
            self._counters.add("perform_failed")

    async def _committed(self, waiting: list[Waiting]) -> list[Waiting]:
        """Commit.

        Return what was committed, without abandoned decisions, which are no longer valid.
        """
        delay_s, in_doubt = FIRST_DELAY_S, False
        while True:
            try:
                if self._behind and self.others is not None and not in_doubt:
                    await self._catch_up(self.others)
                waiting = [each for each in waiting if self._stands(each)]
                batch = [_entry(mutation) for each in waiting for mutation in each.mutations]
                if batch:
                    in_doubt = True  # where it fails, the same call again finds out whether it did
                    await self._append(batch)
            except Exception as error:  # noqa: BLE001 - nothing is performed uncommitted
                if isinstance(error, BehindError) and self.others is not None:
                    self._behind, in_doubt = True, False
                    continue
                _log.warning("journal_failed", extra={"gateway": self._name}, exc_info=error)
                self.error = str(error) or repr(error)
                self._counters.add("store_failed")
                await asyncio.sleep(delay_s)
                delay_s = min(MOST_DELAY_S, delay_s * 2)
            else:
                return waiting

    async def _append(self, batch: Sequence[Entry]) -> None:
        loop = asyncio.get_running_loop()
        self.sequence = await loop.run_in_executor(
            self._executor, self._journal.append, batch, self.sequence
        )
        self.error = ""

    async def _catch_up(self, others: Others) -> None:
        self._behind = False
        loop = asyncio.get_running_loop()
        try:
            tail = await loop.run_in_executor(self._executor, self._journal.read, self.sequence)
        except Exception:
            self._behind = True
            raise
        self.sequence = tail.sequence
        if tail.entries:
            others.follow(tail)

    def _stands(self, waiting: Waiting) -> bool:
        """Return whether a decision is still valid; abandon it otherwise."""
        if waiting.holds():
            return True
        self.waiting_bytes -= waiting.size
        if self.others is not None:
            self._counters.add("abandoned")
            self.others.abandon(waiting.outputs)
        waiting.void()
        self._let_go(waiting.outputs)
        return False

    def _perform_committed(self, outputs: list[Output]) -> None:
        try:
            self._perform(outputs)
        except Exception:  # noqa: BLE001 - what was committed behind it is to be performed
            _log.exception("performing_failed", extra={"gateway": self._name})
            self._counters.add("perform_failed")
        self._let_go(outputs)

    def _let_go(self, outputs: list[Output]) -> None:
        for output in outputs:
            if isinstance(output, ToAdapter) and isinstance(output.order, Publish):
                self._held[output.service] -= 1
        self.uncommitted -= 1
        self._waiting.task_done()


def _entry(mutation: Mutation) -> Entry:
    match mutation:
        case PutRow(key, value):
            return Entry(key, value)
        case DropRow(key):
            return Entry(key, None)
