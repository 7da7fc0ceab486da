"""What there is one of for each event loop."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import ReferenceType, WeakKeyDictionary, ref

T = TypeVar("T")


class PerLoop(Generic[T]):
    """Returns the object of the running event loop; it is made at the first call.

    It is called for each event: nearly always the loop is the one of the call before, so that no
    table needs to be searched.

    Args:
        make: Returns a new object.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._of: WeakKeyDictionary[asyncio.AbstractEventLoop, T] = WeakKeyDictionary()
        self._last: ReferenceType[asyncio.AbstractEventLoop] | None = None
        self._found: T | None = None

    def __call__(self) -> T:
        """Return the object of the running loop.

        Raises:
            RuntimeError: No loop runs.
        """
        loop = asyncio.get_running_loop()
        found = self._found
        if found is not None and self._last is not None and self._last() is loop:
            return found
        found = self._of.get(loop)
        if found is None:
            found = self._of[loop] = self._make()
        self._last, self._found = ref(loop, self._forget), found
        return found

    def _forget(self, gone: ReferenceType[asyncio.AbstractEventLoop]) -> None:
        if self._last is gone:
            self._last = self._found = None
