"""Answers of the naming and policy services, applied: requests, and copies that wait.

A copy that waits for an event service without a right to it any more is withdrawn: it is dropped
with the reason `RIGHT_WITHDRAWN`, which does not count as a loss.
"""

from collections.abc import Callable, Collection, Iterable
from typing import Final

from fes.errors import EventError
from fes.filter import compile_filter, parse
from fes.filter.evaluate import Test
from fes.gateway.guidance.guidance import Guidance, Questions
from fes.gateway.inputs import Guided
from fes.gateway.requests.registry import RequestRegistry
from fes.gateway.requests.row import Row
from fes.gateway.turn import Turn
from fes.model import binary

RIGHT_WITHDRAWN: Final = "right withdrawn"
"""Why a copy that waited is not delivered, though a subscription had matched it."""

IsWithdrawn = Callable[[str, str, bytes], bool]
"""Returns whether a copy is withdrawn, by destination, subject and body."""

Withdraw = Callable[[IsWithdrawn, frozenset[str], Turn], None]
"""Withdraws copies of events of some subjects that wait."""


class Guiding:
    """Applies answers.

    Args:
        guidance: Keeps them.
        requests: Those that are active.
        withdraw: Drops copies that wait.
    """

    def __init__(self, guidance: Guidance, requests: RequestRegistry, withdraw: Withdraw) -> None:
        self._guidance = guidance
        self._requests = requests
        self._withdraw = withdraw

    def questions(self) -> Questions:
        """Return what has to be known now for the requests of the table."""
        table = self._requests.table
        return self._guidance.questions(table.rows(), (table.digest, len(table)))

    def accept(self, guided: Guided, turn: Turn) -> None:
        """Accept answers."""
        self._apply(self._guidance.accept(guided, turn.now.wall_us), turn)

    def tick(self, turn: Turn) -> None:
        """End the decisions whose time is over."""
        self._apply(self._guidance.expire(turn.now.wall_us), turn)

    def _apply(self, subjects: frozenset[str], turn: Turn) -> None:
        if not subjects:
            return
        rows = list(self._guidance.about(self._requests.table.rows(), subjects))
        self._requests.look_again(rows, turn)
        if self._guidance.decides:
            self._withdraw(Withdrawal(self._guidance, rows, subjects), subjects, turn)


class Withdrawal:
    """Finds the copies that nobody has a right to any more.

    Args:
        guidance: Knows the rights.
        rows: The subscriptions to the subjects.
        subjects: Of which rights have changed.
    """

    def __init__(self, guidance: Guidance, rows: Iterable[Row], subjects: Collection[str]) -> None:
        self._guidance = guidance
        self._subjects = subjects
        self._by_source: dict[str, list[Row]] = {}
        self._tests: dict[str, list[Test]] = {}
        for row in rows:
            self._by_source.setdefault(row.source, []).append(row)

    def __call__(self, destination: str, subject: str, body: bytes) -> bool:
        """Return whether a copy for a destination is withdrawn.

        One for a destination that has subscribed to nothing of its subject came by an explicit
        list, which is not decided about.
        """
        if subject not in self._subjects or destination not in self._by_source:
            return False
        tests = self._tests_of(destination)
        if not tests:
            return True
        try:
            event = binary.decode(body)
        except EventError:
            return True  # what cannot be read cannot be found to be permitted
        return not any(test(event) is True for test in tests)

    def _tests_of(self, destination: str) -> list[Test]:
        known = self._tests.get(destination)
        if known is None:
            permitted = map(self._guidance.permitted, self._by_source[destination])
            known = [compile_filter(parse(row.filter)) for row in permitted if row is not None]
            self._tests[destination] = known
        return known
