"""A constraint: parsed once, then matched against many events."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from eventservices.cns.etcl.check import check
from eventservices.cns.etcl.compile import Evaluate, compile_tree
from eventservices.cns.etcl.errors import EvaluationError, InvalidConstraintError
from eventservices.cns.etcl.parse import parse_tree
from eventservices.cns.etcl.records import Content
from eventservices.cns.etcl.route import Scope
from eventservices.cns.etcl.scan import DEFAULT_LIMITS, EtclLimits
from eventservices.cns.etcl.tree import Expression
from eventservices.cns.etcl.utc import ticks_now

Clock = Callable[[], int]
"""Returns the time in ticks of 100 ns since 1582-10-15 UTC."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """A constraint; `parse` makes one.

    Attributes:
        text: As it was written.
        tree: Its syntax tree.
        clock: What `$curtime` is read from.
    """

    text: str
    tree: Expression
    clock: Clock = field(default=ticks_now, compare=False, repr=False)
    _run: Evaluate = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Compile the tree."""
        object.__setattr__(self, "_run", compile_tree(self.tree))

    def matches(self, event: Content) -> bool:
        """Return whether the constraint is true for an event. It never raises.

        Args:
            event: A structured event, alone or out of a sequence, an Any event, or the bare value
                of an Any.
        """
        try:
            return self._run(Scope(event, self.clock)) is True
        except EvaluationError:
            return False

    def evaluate(self, event: Content) -> Any:
        """Return the constraint's value for an event.

        Raises:
            EvaluationError: It has none; the message states why.
        """
        return self._run(Scope(event, self.clock))

    def check(self) -> None:
        """Raise an error where the constraint's types show that it can never be true.

        Raises:
            InvalidConstraintError: The message names the operation.
        """
        try:
            check(self.tree)
        except InvalidConstraintError as error:
            raise InvalidConstraintError(error.reason, self.text) from error


def parse(text: str, limits: EtclLimits = DEFAULT_LIMITS, clock: Clock = ticks_now) -> Constraint:
    """Return the constraint that a text expresses.

    Args:
        text: In ETCL; a blank one is true for every event.
        limits: What is refused.
        clock: What `$curtime` is read from.

    Raises:
        InvalidConstraintError: The text exceeds a limit or is not in the language; the message
            states what was found, what was expected, and where.
    """
    return Constraint(text, parse_tree(text, limits), clock)
