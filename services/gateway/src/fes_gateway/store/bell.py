"""A thread that tells somebody, one time for all the rings that came meanwhile."""

import logging
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)


class Bell:
    """Calls a function soon after it was rung, from a thread of its own.

    Args:
        changed: Called; what it raises is logged.
        name: Of the thread.
    """

    def __init__(self, changed: Callable[[], None], name: str) -> None:
        self._changed = changed
        self._rung = threading.Event()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def ring(self) -> None:
        """Have the function called; never waits."""
        self._rung.set()

    def close(self) -> None:
        """Call no more; idempotent, and from the function itself."""
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
    """Call a function of somebody else's; what it raises is logged, and harms nobody."""
    try:
        changed()
    except Exception:
        log.exception("journal_watcher_failed")


def after_commit(act: Callable[..., None], *given: object) -> None:
    """Do something once a batch is durable; where it fails that is logged, and the batch is."""
    try:
        act(*given)
    except Exception:
        log.exception("journal_aftermath_failed")
