"""The errors of the Federated Event Service, as one tree.

FesError
├── EventError          (ValueError)       an event breaks the event model
│   ├── CodecError                         bytes or text do not decode to an event
│   └── LimitError                         an event exceeds a configured limit
├── ControlEventError   (ValueError)       a control event is malformed or not allowed
├── FilterError         (ValueError)       a filter is not in the language
├── MappingError        (ValueError)       an event cannot be mapped
├── ScopeError          (ValueError)       a scope, membership or policy is not possible
├── KeyFormatError      (ValueError)       a text is not a key of the journal
├── FederationError     (ValueError)       `federation.yaml` is not valid
├── StoreError          (OSError)          the journal cannot be read or written
│   └── BehindError                        another has appended to it meanwhile
├── LinkError           (ConnectionError)  a link was refused or broke
│   └── LinkRefusedError                   the other end does not accept it
└── AdapterError        (RuntimeError)     an adapter could not carry out a request
    └── UnavailableError (ConnectionError) its event service is away; a retry helps
"""

from dataclasses import dataclass


class FesError(Exception):
    """Is the base of every error of the product."""

    retryable = False


class EventError(FesError, ValueError):
    """Raised when an event breaks the event model; the message names the field."""


class CodecError(EventError):
    """Raised when bytes or text do not decode to an event; the message names the place."""


class LimitError(EventError):
    """Raised when an event exceeds a configured limit."""


class ControlEventError(FesError, ValueError):
    """Raised when a control event is malformed or not allowed; names the parameter."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a text: line and column, counted from 1."""

    line: int
    column: int


class FilterError(FesError, ValueError):
    """Raised when a filter is not in the language.

    Args:
        reason: What was found and what was expected.
        text: The filter.
        place: Where in `text`; None where the whole is meant.
    """

    def __init__(self, reason: str, text: str = "", place: Place | None = None) -> None:
        super().__init__(_with_caret(reason, text, place))
        self.reason = reason
        self.text = text
        self.place = place


class MappingError(FesError, ValueError):
    """Raised when an event cannot be mapped; the message names rule and field."""


class ScopeError(FesError, ValueError):
    """Raised when a scope, membership, mapping or policy is not possible; names its members."""


class KeyFormatError(FesError, ValueError):
    """Raised when a text is not a key of the journal, or is not the key of its value."""


class FederationError(FesError, ValueError):
    """Raised when a federation file is not valid.

    Args:
        reason: What is wrong.
        file: Name of the file.
        place: Line and column; None where the whole file is meant.
        key: Path of the key, e.g. `gateways.g1.adapters`.
    """

    def __init__(
        self, reason: str, file: str = "", place: Place | None = None, key: str = ""
    ) -> None:
        where = f"{file}:{place.line}:{place.column}: " if place else f"{file}: " if file else ""
        super().__init__(f"{where}{key + ': ' if key else ''}{reason}")
        self.reason = reason
        self.file = file
        self.place = place
        self.key = key


class StoreError(FesError, OSError):
    """Raised when the journal cannot be read or written."""


class BehindError(StoreError):
    """Raised when another process has appended meanwhile: read on, and decide again."""

    retryable = True


class LinkError(FesError, ConnectionError):
    """Raised when a link was refused or broke; a retry helps unless it was refused."""

    retryable = True


class LinkRefusedError(LinkError):
    """Raised when the other end refuses a link, usually as it has another of that name."""


class AdapterError(FesError, RuntimeError):
    """Raised when an adapter could not carry out a request."""


class UnavailableError(AdapterError, ConnectionError):
    """Raised when an adapter's event service is away; a retry helps."""

    retryable = True


def _with_caret(reason: str, text: str, place: Place | None) -> str:
    if place is None or not text:
        return reason
    lines = text.splitlines() or [""]
    line = lines[min(place.line, len(lines)) - 1]
    start = max(0, place.column - 60)
    shown = line[start : start + 100]
    caret = " " * (2 + place.column - 1 - start) + "^"
    return f"{reason} (line {place.line}, column {place.column})\n  {shown}\n{caret}"
