"""Objects that are notified when the event types of a filter change."""

from eventservices.cns.calls import call_client, operation
from eventservices.cns.errors import AdminLimitExceededError
from eventservices.cns.etcl.errors import CallbackNotFoundError
from eventservices.cns.event_type import EventType

MAX_CALLBACKS = 256
"""Most callbacks of a filter; a further one is refused."""


class Callbacks:
    """Keeps the callbacks of one filter.

    Attributes:
        failed: How often a callback raised; it was logged, and the others were called.
    """

    def __init__(self) -> None:
        self.failed = 0
        self._callbacks: dict[int, object] = {}
        self._next_id = 0

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of all callbacks."""
        return tuple(self._callbacks)

    def attach(self, callback: object) -> int:
        """Add a callback, and return its id.

        Raises:
            InterfaceError: It has no plain function `subscription_change(added, removed)`.
            AdminLimitExceededError: There are too many.
        """
        operation(callback, "subscription_change")
        if len(self._callbacks) >= MAX_CALLBACKS:
            raise AdminLimitExceededError("MaxCallbacks", MAX_CALLBACKS)
        self._next_id += 1
        self._callbacks[self._next_id - 1] = callback
        return self._next_id - 1

    def detach(self, callback_id: int) -> None:
        """Forget a callback.

        Raises:
            CallbackNotFoundError: There is none of that id.
        """
        if self._callbacks.pop(callback_id, None) is None:
            raise CallbackNotFoundError(callback_id)

    def detach_all(self) -> None:
        """Forget all callbacks."""
        self._callbacks.clear()

    def tell(self, old: frozenset[EventType], new: frozenset[EventType]) -> None:
        """Call all callbacks, if something changed."""
        added, removed = sorted(new - old), sorted(old - new)
        if not added and not removed:
            return
        for callback in tuple(self._callbacks.values()):
            called = operation(callback, "subscription_change")
            if not call_client(called, list(added), list(removed)):
                self.failed += 1
