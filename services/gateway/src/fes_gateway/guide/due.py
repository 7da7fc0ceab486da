"""What has to be queried, and when again."""

from collections.abc import Callable, Collection, Iterator
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_IN_QUERY: Final = float("inf")


class Due(Generic[T]):
    """Keeps when each question is due.

    Args:
        now_s: A clock that only goes forward; seconds.
    """

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._at_s: dict[T, float] = {}

    def need(self, questions: Collection[T]) -> frozenset[T]:
        """Need answers to these questions only; return those that are no longer needed."""
        gone = frozenset(self._at_s.keys() - set(questions))
        for each in gone:
            del self._at_s[each]
        for each in questions:
            self._at_s.setdefault(each, 0.0)
        return gone

    def now(self) -> list[T]:
        """Return what is due; each waits then until `answered` states when it is due again."""
        now_s = self._now_s()
        found = [each for each, at_s in self._at_s.items() if at_s <= now_s]
        for each in found:
            self._at_s[each] = _IN_QUERY
        return found

    def answered(self, question: T, after_s: float) -> None:
        """Have a question be due again after a while, unless it is due by now.

        What became due during the query would have another answer.
        """
        if self._at_s.get(question) == _IN_QUERY:
            self._at_s[question] = self._now_s() + after_s

    def again(self, question: T) -> None:
        """Have a question be due now; nothing happens where it is not needed."""
        if question in self._at_s:
            self._at_s[question] = 0.0

    def all_again(self) -> None:
        """Have all questions be due now."""
        for each in self._at_s:
            self._at_s[each] = 0.0

    def __iter__(self) -> Iterator[T]:
        """Iterate over the questions."""
        return iter(list(self._at_s))
