"""Limits on events at the edges of the federation."""

from dataclasses import dataclass

from fes.errors import LimitError
from fes.model.event import Event

KIB = 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """What adapters and gateways accept at the edges; the model itself has no limits.

    Attributes:
        event_bytes: Most bytes of an encoded event.
        fields: Most parameters and attributes together.
        name_length: Most characters of a subject or identifier.

    Source:
        Defaults: reliability, section 2.
    """

    event_bytes: int = 256 * KIB
    fields: int = 1000
    name_length: int = 512


def check_limits(event: Event, limits: Limits) -> None:
    """Raise an error where an event exceeds a limit.

    Raises:
        LimitError: The event exceeds a limit; the message names the field and the limit.
    """
    count = len(event.parameters) + len(event.attributes)
    if count > limits.fields:
        raise LimitError(f"event has {count} fields, more than {limits.fields}")
    _check_name(event.subject, "subject", limits)
    for field in (*event.parameters, *event.attributes):
        _check_name(field.id, "identifier", limits)


def check_size(size_bytes: int, limits: Limits) -> None:
    """Raise an error where an encoded event is too large.

    Raises:
        LimitError: The event is too large; the message states size and limit.
    """
    if size_bytes > limits.event_bytes:
        raise LimitError(
            f"event of {size_bytes} bytes exceeds the limit of {limits.event_bytes} bytes"
        )


def _check_name(name: str, what: str, limits: Limits) -> None:
    if len(name) > limits.name_length:
        raise LimitError(
            f"{what} {name[:20]!r}… has {len(name)} characters, more than {limits.name_length}"
        )
