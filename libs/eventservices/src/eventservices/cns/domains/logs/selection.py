"""Statements that find records by an index alone: no step of them passes over a record."""

import functools
from typing import Final, NamedTuple

INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1

Bindings = dict[str, int]


class Cursor(NamedTuple):
    """Time and identifier of a record."""

    time: int
    id: int


class Span(NamedTuple):
    """The least and the most of a number; it is empty where the least is more."""

    least: int
    most: int


class Order(NamedTuple):
    """In which order records are found.

    Attributes:
        by_time: Whether in that of times, then of identifiers; else of identifiers alone.
        backwards: Whether the newest come first.
    """

    by_time: bool = False
    backwards: bool = False


IDS: Final = Span(0, INT_MAX - 1)
"""All identifiers; a cursor fits before and after them."""

TIMES: Final = Span(INT_MIN, INT_MAX)
"""All times."""

FIRST: Final = Cursor(INT_MIN, -1)
LAST: Final = Cursor(INT_MAX, INT_MAX)


@functools.cache
def statements(order: Order, columns: str) -> tuple[str, ...]:
    """Return the statements that find records in an order, one after the other.

    SQLite begins at one lower bound alone and passes over what another excludes, and it does not
    find `(time, id) > (?, ?)` by an index of times. So each statement has one bound at either end,
    and records of the cursor's time have a statement of their own.

    Args:
        order: Of the records.
        columns: What is read of each.
    """
    past, until, to = ("<", ">=", "desc") if order.backwards else (">", "<=", "asc")
    one_time = f"time = :time and id {past} :id and :time {until} :end order by id {to}"
    times = f"time {past} :time and time {until} :end order by time {to}, id {to}"
    ids = f"id {past} :id and id {until} :end order by id {to}"
    return tuple(
        f"select {columns} from record where {found} limit :most"  # noqa: S608 - made of constants; values are parameters
        for found in ((one_time, times) if order.by_time else (ids,))
    )


def bindings(order: Order, span: Span, after: Cursor) -> Bindings:
    """Return the parameters of `statements`, but for `most`.

    Args:
        order: Of the records.
        span: Of what they are ordered by; not empty.
        after: Where to begin, in the direction of the order.
    """
    least, most = span
    if order.by_time and order.backwards:
        after = min(after, Cursor(most, INT_MAX))
    elif order.by_time:
        after = max(after, Cursor(least, -1))
    elif order.backwards:
        after = Cursor(0, min(after.id, most + 1))
    else:
        after = Cursor(0, max(after.id, least - 1))
    return {"time": after.time, "id": after.id, "end": least if order.backwards else most}
