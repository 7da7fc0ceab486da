"""Results computed lately, kept for all in one process that need the same result."""

from collections import OrderedDict
from collections.abc import Callable
from operator import is_
from typing import Final, Generic, TypeVar

MOST: Final = 1024
MOST_BYTES: Final = 4 * 1024 * 1024
"""Most texts that are remembered, and their bytes; the one unused longest goes first."""

T = TypeVar("T")


class Latest(Generic[T]):
    """Remembers what was made of the very objects that came last."""

    def __init__(self) -> None:
        self._of: tuple[object, ...] = ()
        self._made: T | None = None

    def of(self, things: tuple[object, ...], make: Callable[[], T]) -> T:
        """Return what is made of some objects; not made again where they are those of before.

        Args:
            things: What it is made of; never empty.
            make: Makes it; what it raises is raised, and remembered is nothing.
        """
        known = len(things) == len(self._of) and all(map(is_, things, self._of))
        if known and self._made is not None:
            return self._made
        made = make()
        self._of, self._made = things, made
        return made


class Recent(Generic[T]):
    """Remembers what was made of the texts that came lately.

    Args:
        most: Most texts.
        most_bytes: Most bytes of all of them.
    """

    def __init__(self, most: int = MOST, most_bytes: int = MOST_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._bytes = 0
        self._known: OrderedDict[tuple[bytes, object], T] = OrderedDict()

    def of(self, text: bytes, more: object, make: Callable[[], T]) -> T:
        """Return what is made of a text; not made again where it came lately.

        Args:
            text: The text.
            more: What else it is made of.
            make: Makes it; what it raises is raised, and remembered is nothing.
        """
        key = (text, more)
        known = self._known.get(key)
        if known is not None:
            self._known.move_to_end(key)
            return known
        made = self._known[key] = make()
        self._bytes += len(text)
        while len(self._known) > self._most or self._bytes > self._most_bytes:
            (gone, _), _ = self._known.popitem(last=False)
            self._bytes -= len(gone)
        return made
