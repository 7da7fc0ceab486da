"""Patterns of characters, any one character and any run: matching and covering in bounded time.

Distribution lists write them with `?` and `*`, LIKE with `_` and `%`. A pattern becomes an
automaton whose set of states is one integer, so that a test needs one step a character and
nothing ever backtracks. Covering reads the other pattern as if it were a text, so it costs what
matching costs.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum


class Wild(Enum):
    """What a pattern has beside plain characters."""

    ONE = "any one character"
    RUN = "any run of characters"


Element = str | Wild


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
    _gaps: int = field(compare=False, repr=False)
    _final: int = field(compare=False, repr=False)
    _text: tuple[str | None, ...] = field(compare=False, repr=False)

    @staticmethod
    def of(elements: Iterable[Element]) -> "Wildcard":
        """Return the pattern of some elements."""
        kept = tuple(elements)
        masks: dict[str, int] = {}
        state, ones, loops, gaps = 1, 0, 0, 0
        gap = 0  # the states of the `?` just before: a `*` after them makes all of them one gap
        for element in tidy(kept):
            if element is Wild.RUN:
                loops |= state
                gaps |= state | gap
                continue
            if element is Wild.ONE:
                ones |= state
                gap |= state
            else:
                masks[str(element)] = masks.get(str(element), 0) | state
                gap = 0
            state <<= 1
        accepting = {char: mask | ones for char, mask in masks.items()}
        return Wildcard(kept, accepting, ones, loops, gaps, state, tuple(map(_as_text, kept)))

    @property
    def prefix(self) -> str:
        """The longest text that every match starts with."""
        return _plain_start(self.elements)

    @property
    def suffix(self) -> str:
        """The longest text that every match ends with."""
        return _plain_start(self.elements[::-1])[::-1]

    def matches(self, text: str) -> bool:
        """Return whether the whole of `text` matches; one step a character."""
        masks, ones, loops = self._masks, self._ones, self._loops
        states = 1
        for char in text:
            states = (states & masks.get(char, ones)) << 1 | states & loops
            if not states:
                return False
        return bool(states & self._final)

    def covers(self, other: "Wildcard") -> bool:
        """Return whether every text that `other` matches is matched by this pattern.

        The other pattern is read as a text: a `Wild.ONE` in it is a character that this pattern
        does not name, and a `Wild.RUN` is passed only by a `Wild.RUN` of this one, or by the
        `Wild.ONE`s just before one. One step an element, whatever the patterns are.

        Returns:
            True only where it is so, and transitive: a pattern covers what those cover that it
            covers. False may be wrong for the sake of that bound.
        """
        masks, ones, loops, gaps = self._masks, self._ones, self._loops, self._gaps
        states = 1
        for char in other._text:  # noqa: SLF001 - of the same class
            if char is None:
                states &= gaps
            else:
                states = (states & masks.get(char, ones)) << 1 | states & loops
            if not states:
                return False
        return bool(states & self._final)


def _as_text(element: Element) -> str | None:
    """Return how a pattern is read by one that may cover it: "" is a character without a name."""
    if element is Wild.RUN:
        return None
    return "" if element is Wild.ONE else str(element)


def tidy(elements: Iterable[Element]) -> tuple[Element, ...]:
    """Write each run of wildcards in one form: all `Wild.ONE`, then at most one `Wild.RUN`."""
    written: list[Element] = []
    ones, run = 0, False
    for element in elements:
        if element is Wild.ONE:
            ones += 1
        elif element is Wild.RUN:
            run = True
        else:
            written += _gap(ones, run=run)
            ones, run = 0, False
            written.append(element)
    return (*written, *_gap(ones, run=run))


def _gap(ones: int, *, run: bool) -> tuple[Element, ...]:
    return (Wild.ONE,) * ones + (Wild.RUN,) * run


def _plain_start(elements: tuple[Element, ...]) -> str:
    start = []
    for element in elements:
        if not isinstance(element, str):
            break
        start.append(element)
    return "".join(start)
