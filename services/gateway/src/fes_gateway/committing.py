"""Commits before performing: what a gateway decided goes into its journal, then out.

Commits run in a thread of their own, several decisions at a time. What needs no commit does not
wait for one, unless it must not overtake.
"""

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor

from fes.gateway.outputs import Decided, DropRow, Mutation, Output, PutRow, ToAdapter
from fes.link.messages import Publish, PublishControl

from fes_gateway.counters import Counters
from fes_gateway.store import Entry, Journal, fold

_log = logging.getLogger(__name__)


class Committing:
    """Commits what a gateway changed, then has performed what it ordered.

    Args:
        name: Of the gateway.
        journal: Its journal.
        executor: One thread that the journal is used from.
        perform: Performs outputs.
        rested: Called when nothing waits any more.
        counters: Count what failed.

    Attributes:
        error: Why the journal cannot be written; empty where it can.
        uncommitted: Decisions that are not committed or not performed yet.
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
        self._name = name
        self._journal = journal
        self._executor = executor
        self._perform = perform
        self._rested = rested
        self._counters = counters
        self._held: Counter[str] = Counter()
        self._sequence = 0
        self._waiting: asyncio.Queue[tuple[list[Mutation], list[Output]]] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> dict[str, bytes]:
        """Begin; return what the journal adds up to."""
        loop = asyncio.get_running_loop()
        state, self._sequence = await loop.run_in_executor(self._executor, self._restore)
        self._task = asyncio.create_task(self._commit(), name=f"{self._name} commit")
        return state

    async def stop(self, within_s: float) -> bool:
        """Finish what waits and close the journal; False where that was done before."""
        task, self._task = self._task, None
        if task is None:
            return False
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._waiting.join()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await asyncio.get_running_loop().run_in_executor(self._executor, self._journal.close)
        return True

    def kill(self) -> None:
        """End at once, as a process does that is killed; the journal stays open."""
        if self._task is not None:
            self._task.cancel()

    def behind(self) -> int:
        """Return how many decisions wait for the journal."""
        return self._waiting.qsize()

    def must_wait(self, outputs: list[Output]) -> bool:
        """Tell whether outputs that need no commit must wait for those before them."""
        return self.uncommitted > 0 and not all(map(self._may_overtake, outputs))

    def put(self, mutations: list[Mutation], outputs: list[Output]) -> None:
        """Have mutations committed, and then outputs performed."""
        self.uncommitted += 1
        for output in outputs:
            if isinstance(output, ToAdapter) and isinstance(output.order, Publish):
                self._held[output.service] += 1
        self._waiting.put_nowait((mutations, outputs))

    def _may_overtake(self, output: Output) -> bool:
        """Tell whether an output may be performed before what was decided earlier is committed.

        Decisions and best-effort events may, unless such an event waits for the same event
        service. An answer may not: it rests on a commit.
        """
        if isinstance(output, Decided):
            return True
        order = output.order
        if isinstance(order, Publish):
            return not order.row and not self._held[output.service]
        return isinstance(order, PublishControl) and order.publication

    def _restore(self) -> tuple[dict[str, bytes], int]:
        state = fold(entry for _, entry in self._journal.read())
        return state, self._journal.sequence()

    async def _commit(self) -> None:
        while True:
            waiting = [await self._waiting.get()]
            while not self._waiting.empty():
                waiting.append(self._waiting.get_nowait())
            batch = [_entry(mutation) for mutations, _ in waiting for mutation in mutations]
            if batch:
                await self._append(batch)
            for _, outputs in waiting:
                self._perform_committed(outputs)
            self._rested()

    def _perform_committed(self, outputs: list[Output]) -> None:
        try:
            self._perform(outputs)
        except Exception:  # noqa: BLE001 - what was committed behind it is to be performed
            _log.exception("performing_failed", extra={"gateway": self._name})
            self._counters.add("perform_failed")
        for output in outputs:
            if isinstance(output, ToAdapter) and isinstance(output.order, Publish):
                self._held[output.service] -= 1
        self.uncommitted -= 1
        self._waiting.task_done()

    async def _append(self, batch: Sequence[Entry]) -> None:
        loop = asyncio.get_running_loop()
        delay_s = 0.1
        while True:
            try:
                self._sequence = await loop.run_in_executor(
                    self._executor, self._journal.append, batch, self._sequence
                )
            except Exception as error:  # noqa: BLE001 - nothing is performed uncommitted
                _log.warning("journal_failed", extra={"gateway": self._name}, exc_info=error)
                self.error = str(error) or repr(error)
                self._counters.add("store_failed")
                await asyncio.sleep(delay_s)
                delay_s = min(5.0, delay_s * 2)
            else:
                self.error = ""
                return


def _entry(mutation: Mutation) -> Entry:
    match mutation:
        case PutRow(key, value):
            return Entry(key, value)
        case DropRow(key):
            return Entry(key, None)
