"""The errors of filter objects and constraints, named as in the Notification Service's IDL.

EventServiceError
├── EvaluationError (ValueError)           a constraint has no value for one event
├── FilterDestroyedError (RuntimeError)    the filter was destroyed
├── MalformedError
│   ├── InvalidConstraintError             a constraint is not in the language
│   ├── InvalidGrammarError                no filter speaks that grammar
│   ├── InvalidValueError                  a mapping filter's result has the wrong type
│   └── UnsupportedFilterableDataError     the argument of match is not an event
└── NotFoundError
    ├── ConstraintNotFoundError            the filter has no constraint of that id
    └── CallbackNotFoundError              the filter has no callback of that id
"""

from eventservices.cns.errors import NotFoundError
from eventservices.errors import EventServiceError, MalformedError

_SHOWN_BEFORE = 60
_SHOWN = 100


class EvaluationError(EventServiceError, ValueError):
    """Raised when a constraint has no value for one event; such a constraint counts as false."""


class FilterDestroyedError(EventServiceError, RuntimeError):
    """Raised when a filter was destroyed and accepts no constraints any more."""


class InvalidConstraintError(MalformedError):
    """Raised when a constraint is not in the language, exceeds a limit or can never be true.

    Args:
        reason: What was found and what was expected.
        text: The constraint.
        offset: Where in `text`, in characters; None where the whole is meant.
    """

    def __init__(self, reason: str, text: str = "", offset: int | None = None) -> None:
        self.reason = reason
        self.text = text
        self.line = self.column = None if offset is None else 1
        if offset is None:
            super().__init__(reason)
            return
        start = text.rfind("\n", 0, offset) + 1
        self.line, self.column = text.count("\n", 0, offset) + 1, offset - start + 1
        super().__init__(f"{reason} (line {self.line}, column {self.column})\n{self._caret(start)}")

    def _caret(self, start: int) -> str:
        column = self.column or 1
        first = start + max(0, column - _SHOWN_BEFORE)
        line = self.text[first : first + _SHOWN].partition("\n")[0]
        shown = "".join(char if char.isprintable() else " " for char in line)
        return f"  {shown}\n  {' ' * (start + column - 1 - first)}^"


class InvalidGrammarError(MalformedError):
    """Raised when there are no filters for a constraint grammar of that name."""


class InvalidValueError(MalformedError):
    """Raised when the result of a mapping constraint is not of the filter's type."""


class UnsupportedFilterableDataError(MalformedError):
    """Raised when an event is not of the form that the operation accepts."""


class ConstraintNotFoundError(NotFoundError):
    """Raised when the filter has no constraint of that id.

    Args:
        constraint_id: The id.
    """

    def __init__(self, constraint_id: int) -> None:
        super().__init__(f"there is no constraint {constraint_id}")
        self.constraint_id = constraint_id


class CallbackNotFoundError(NotFoundError):
    """Raised when the filter has no callback of that id.

    Args:
        callback_id: The id.
    """

    def __init__(self, callback_id: int) -> None:
        super().__init__(f"there is no callback {callback_id}")
        self.callback_id = callback_id
