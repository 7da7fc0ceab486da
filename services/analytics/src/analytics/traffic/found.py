"""What was found against each promise, in a form that can be added up."""

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import Row

from analytics.verdict import EXAMPLES, Example


@dataclass(frozen=True, slots=True)
class Found:
    """The findings against one promise.

    Attributes:
        offending: How many there are.
        first: The first of them: the finding's turn among those of its event, id, monitor, reason.
    """

    offending: int
    first: tuple[tuple[int, str, str, str], ...]

    @property
    def examples(self) -> list[Example]:
        """The first findings, as a verdict names them."""
        return [Example(*finding[1:]) for finding in self.first]


Findings = dict[str, Found]
"""What was found, by promise."""


def parts(rows: Iterable[Row]) -> dict[int, Findings]:
    """Return the findings of each part, from the rows of `promises.findings.ranked`."""
    found: dict[int, dict[str, list[Row]]] = {}
    for row in rows:
        found.setdefault(row["part"], {}).setdefault(row["promise"], []).append(row)
    return {
        part: {promise: _found(first) for promise, first in promises.items()}
        for part, promises in found.items()
    }


def _found(rows: list[Row]) -> Found:
    first = [(row["turn"], row["id"], row["monitor"], row["reason"]) for row in rows]
    return Found(rows[0]["offending"], tuple(first))


def together(several: Iterable[Findings]) -> Findings:
    """Return the findings of several parts as those of one."""
    total: Findings = {}
    for findings in several:
        for promise, found in findings.items():
            known = total.get(promise, Found(0, ()))
            first = sorted(known.first + found.first)[:EXAMPLES]
            total[promise] = Found(known.offending + found.offending, tuple(first))
    return total
