"""Patterns of characters, any one character and any run: matching and covering in bounded time.

Distribution lists write them with `?` and `*`, LIKE with `_` and `%`. A pattern becomes an
automaton whose set of states is one integer, so that a test takes one step a character and
nothing ever backtracks.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Final


class Wild(Enum):
    """What a pattern has beside plain characters."""

    ONE = "any one character"
    RUN = "any run of characters"


Element = str | Wild

MAX_STATES: Final = 4096
"""Most sets of states that `covers` looks at; beyond, it says no."""


@dataclass(frozen=True, slots=True)
class Wildcard:
    """A compiled pattern.

    Attributes:
        elements: Plain characters, `Wild.ONE` and `Wild.RUN`, in order.
    """

    elements: tuple[Element, ...]
    _masks: dict[str, int] = field(compare=False, repr=False)
    _ones: int = field(compare=False, repr=False)
    _loops: int = field(compare=False, repr=False)
    _final: int = field(compare=False, repr=False)

    @staticmethod
    def of(elements: Iterable[Element]) -> "Wildcard":
        """Return the pattern of some elements."""
        kept = tuple(elements)
        masks: dict[str, int] = {}
        state, ones, loops = 1, 0, 0
        for element in kept:
            if element is Wild.RUN:
                loops |= state
                continue
            if element is Wild.ONE:
                ones |= state
            else:
                masks[str(element)] = masks.get(str(element), 0) | state
            state <<= 1
        return Wildcard(
            kept, {char: mask | ones for char, mask in masks.items()}, ones, loops, state
        )

    @property
    def prefix(self) -> str:
        """The longest text that every match starts with."""
        return _plain_start(self.elements)

    @property
    def suffix(self) -> str:
        """The longest text that every match ends with."""
        return _plain_start(self.elements[::-1])[::-1]

    def matches(self, text: str) -> bool:
        """Tell whether the whole of `text` matches; one step a character."""
        masks, ones, loops = self._masks, self._ones, self._loops
        states = 1
        for char in text:
            states = (states & masks.get(char, ones)) << 1 | states & loops
            if not states:
                return False
        return bool(states & self._final)

    def covers(self, other: "Wildcard") -> bool:
        """Tell whether every text that `other` matches is matched by this pattern.

        A `True` is always right; a `False` may be wrong only beyond `MAX_STATES`. The hardest
        character for this pattern is one that it does not name, so `Wild.ONE` and `Wild.RUN` of
        the other pattern are followed with such a character only.
        """
        reached = {1}
        for element in other.elements:
            reached = (
                self._runs(reached)
                if element is Wild.RUN
                else {self._step(states, element) for states in reached}
            )
            if len(reached) > MAX_STATES or 0 in reached:
                return False
        return all(states & self._final for states in reached)

    def _step(self, states: int, element: Element) -> int:
        mask = self._masks.get(element, self._ones) if isinstance(element, str) else self._ones
        return (states & mask) << 1 | states & self._loops

    def _runs(self, reached: set[int]) -> set[int]:
        every: set[int] = set()
        for start in reached:
            states = start
            while states not in every and len(every) <= MAX_STATES:
                every.add(states)
                states = self._step(states, Wild.ONE)
        return _smallest(every) if len(every) <= 64 else every


def _smallest(sets: set[int]) -> set[int]:
    """Return the sets that have no other as a subset: if those are accepted, all are."""
    return {one for one in sets if not any(other & one == other != one for other in sets)}


def _plain_start(elements: tuple[Element, ...]) -> str:
    start = []
    for element in elements:
        if not isinstance(element, str):
            break
        start.append(element)
    return "".join(start)
