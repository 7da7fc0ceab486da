"""An event loop in a thread of its own, for callers without one."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

from fes.errors import StoreError

T = TypeVar("T")


class LoopThread:
    """Runs coroutines while their callers wait.

    Args:
        name: Name of the thread, which starts with the first call.
        place: Name of the journal in errors.
    """

    def __init__(self, name: str, place: str) -> None:
        self._name = name
        self._place = place
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._calls: set[Future[Any]] = set()
        self._closed = False

    def call(self, function: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine, and return its result.

        Raises:
            StoreError: The loop is closed, or was while the coroutine ran.
        """
        with self._lock:
            if self._closed:
                raise StoreError(f"{self._place}: the journal is closed")
            future = asyncio.run_coroutine_threadsafe(function(), self._begin())
            self._calls.add(future)
        try:
            return future.result()
        except CancelledError as error:
            raise StoreError(f"{self._place}: the journal was closed") from error
        finally:
            self._calls.discard(future)

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Cancel all coroutines, then run a last one; idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            loop, thread, calls = self._loop, self._thread, tuple(self._calls)
        for call in calls:
            call.cancel()
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(_end(last), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def _begin(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=self._loop.run_forever, name=self._name, daemon=True
            )
            self._thread.start()
        return self._loop


async def _end(last: Callable[[], Coroutine[Any, Any, None]]) -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    try:
        await last()
    finally:
        left = {task for task in tasks | asyncio.all_tasks() if not task.done()}
        left -= {asyncio.current_task()}
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=2)
