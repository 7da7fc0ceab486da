"""Lists that are cut off where they would be too long, and report it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, overload

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Bounded(Sequence[T], Generic[T]):
    """The first items of what may be a very long list.

    Attributes:
        items: The items found.
        more: Whether there are, or may be, others beyond the bound.
    """

    items: tuple[T, ...] = ()
    more: bool = False

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...

    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        """Return an item, or some of them."""
        return self.items[index]

    def __len__(self) -> int:
        """Return the number of items found."""
        return len(self.items)

    def __iter__(self) -> Iterator[T]:
        """Iterate over the items found."""
        return iter(self.items)

    def __str__(self) -> str:
        """Return the number of items as people read it."""
        return f"more than {len(self.items)}" if self.more else str(len(self.items))


class Budget:
    """Counts steps of a search and ends it when there were too many.

    Steps, not seconds: where a list is cut off depends on the graph alone.

    Args:
        steps: Most steps.
    """

    def __init__(self, steps: int) -> None:
        self.left = steps

    @property
    def spent(self) -> bool:
        """Whether no step is left."""
        return self.left <= 0

    def step(self, count: int = 1) -> bool:
        """Use steps; return whether there were any left."""
        self.left -= count
        return self.left >= 0
