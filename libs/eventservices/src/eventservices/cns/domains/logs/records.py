"""Records of a log, and constraints over them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from eventservices.cns.codec import decode, encode_any
from eventservices.cns.domains.logs.errors import InvalidAttributeError
from eventservices.cns.etcl import GRAMMAR, Constraint, InvalidGrammarError, parse
from eventservices.cns.event import AnyEvent
from eventservices.cns.value import Value
from eventservices.errors import MalformedError

OVERHEAD_BYTES: Final = 16
"""What a record counts beside its event and its attributes: identifier and time."""


@dataclass(frozen=True, slots=True)
class LogRecord:
    """A record.

    Attributes:
        id: Unique in its log, ascending.
        time: When it was logged, ticks of 100 ns since 1582-10-15.
        info: The event.
        attr_list: Attributes that users set, by name; no part of the event.
    """

    id: int
    time: int
    info: Value
    attr_list: Mapping[str, Value] = field(default_factory=dict)

    @property
    def content(self) -> AnyEvent:
        """The record as constraints see it."""
        return AnyEvent(
            {
                "id": self.id,
                "time": self.time,
                "attr_list": self.attr_list,
                "info": self.info,
            }
        )


def packed(value: Value) -> bytes:
    """Return a value as octets.

    Raises:
        MalformedError: No Any carries it.
    """
    return encode_any(value)


def unpacked(octets: bytes) -> Value:
    """Return the value in octets."""
    event = decode(octets)
    return event.value if isinstance(event, AnyEvent) else event


def checked_attributes(attributes: Mapping[str, Value]) -> bytes:
    """Return attributes of a record as octets; none where there are none.

    Raises:
        InvalidAttributeError: One has no name, or a value that no Any carries.
    """
    if not all(isinstance(name, str) and name for name in attributes):
        raise InvalidAttributeError("an attribute has no name")
    try:
        return packed(dict(attributes)) if attributes else b""
    except MalformedError as error:
        raise InvalidAttributeError(str(error)) from error


def constraint_of(grammar: str, text: str) -> Constraint:
    """Return a constraint over records.

    Raises:
        InvalidGrammarError: The grammar is not `EXTENDED_TCL`.
        InvalidConstraintError: The text is not in the language.
    """
    if grammar != GRAMMAR:
        raise InvalidGrammarError(f"there are no queries in {grammar!r}, only in {GRAMMAR}")
    return parse(text)
