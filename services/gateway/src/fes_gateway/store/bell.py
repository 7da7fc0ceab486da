"""A thread that calls a function once for all rings that came meanwhile."""

import logging
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)


class Bell:
    """Calls a function soon after it was rung, from a thread of its own.

    Args:
        changed: The function; an error that it raises is logged.
        name: Name of the thread.
    """

    def __init__(self, changed: Callable[[], None], name: str) -> None:
        self._changed = changed
        self._rung = threading.Event()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def ring(self) -> None:
        """Request a call of the function; never waits."""
        self._rung.set()

    def close(self) -> None:
        """Stop calling; idempotent, also from the function itself."""
        self._closed = True
        self._rung.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while True:
            self._rung.wait()
            self._rung.clear()
            if self._closed:
                return
            tell(self._changed)


def tell(changed: Callable[[], None]) -> None:
    """Call a caller's function; an error that it raises is logged and goes no further."""
    try:
        changed()
    except Exception:
        log.exception("journal_watcher_failed")


def after_commit(act: Callable[..., None], *given: object) -> None:
    """Call a function once a batch is durable.

    A failure is logged and does not affect the batch.
    """
    try:
        act(*given)
    except Exception:
        log.exception("journal_aftermath_failed")
