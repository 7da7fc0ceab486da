"""Signals: what gateways send one another, as control events of types 16 and above.

A signal is in one parameter, as JSON text, so that every event service can carry it and a
person who watches the service can read it:

| parameter | type   | meaning                                              |
|-----------|--------|------------------------------------------------------|
| Type | long | 16 hello, 17 query, 18 table, 19 acknowledgement, 20 rollout |
| Source | string | the event service on which it is published |
| Text      | string | the signal's members, as a JSON object                |

Attribute `FES_System` is the system identifier, as in every control event.
"""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from fes.control.event import CONTROL_SUBJECT
from fes.errors import ControlEventError
from fes.model import Event, Field, Type
from fes.model.stamp import MAX_NAME

Name = Annotated[str, Meta(max_length=MAX_NAME)]
"""Identifier of a gateway or an event service, bounded for signals."""

Whole = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
"""A non-negative integer of 64 bits: journals and wires accept no more."""

Count = Annotated[int, Meta(ge=0, le=2**31)]
"""A number of parts."""

DIGESTS = 256
"""Most digests of buckets in one query."""


CHANGES = 10_000
"""Most changes of scopes in one signal."""


class Missing(msgspec.Struct, frozen=True, array_like=True):
    """A gateway that is not received where it should be.

    Attributes:
        gateway: Its identifier.
        service: The event service where it is not received.
        since: Version of the attendance that the other gateway knew; a later one refutes this.
    """

    gateway: Name
    service: Name
    since: Whole


class Attendance(msgspec.Struct, frozen=True, array_like=True):
    """Where a gateway is, as it states itself.

    Attributes:
        gateway: Its identifier.
        version: Newer attendances have larger ones.
        since: Version with which it stated, or confirmed, where it is.
        at: Event services where it works.
            missing: Whom it does not receive.
        scopes: How many changes of scopes it has applied.
    """

    gateway: Name
    version: Whole
    since: Whole
    at: tuple[Name, ...] = ()
    missing: tuple[Missing, ...] = ()
    scopes: Count = 0


class Hello(msgspec.Struct, frozen=True):
    """A gateway is there, and states in digests what it knows.

    Attributes:
        gateway: Its identifier.
        epoch: Identifies its start, so that a restart is noticed.
        table: Digest of its request table.
        roster: Digest of the attendances that it knows.
        away: Whether what it knows is doubtful: it was away for longer than withdrawals are
            remembered, or it is new.
        attendances: Its own, and what it learnt just now.
        scopes: How many changes of scopes it has applied.
    """

    gateway: Name
    epoch: Whole
    table: Whole
    roster: Whole
    away: bool = False
    attendances: tuple[Attendance, ...] = ()
    scopes: Count = 0


class Ask(msgspec.Struct, frozen=True):
    """A gateway queries a neighbour for what differs in its request table, and for its roster.

    Attributes:
        gateway: The gateway that queries.
        of: The gateway that is queried.
        digests: Digests of the buckets into which the querying gateway's rows fall, a power of two
            of them; empty where it requests the whole table.
    """

    gateway: Name
    of: Name
    digests: Annotated[tuple[Whole, ...], Meta(max_length=DIGESTS)] = ()


class Table(msgspec.Struct, frozen=True):
    """A part of a request table, or of those of its buckets that differ.

    Attributes:
        gateway: The gateway whose table it is.
        serial: Number of the answer; 0 where only new rows are sent.
        number: Number of this part, from 0.
        count: Number of parts; 0 where more follow.
        away: As in a hello of its gateway.
        rows: As `fes.gateway.requests.table.Row`, each a JSON array.
        attendances: The roster, in the first part of an answer.
        asked: Digest of the table that the querying gateway had: the answer serves all with the
            same.
        buckets: The buckets that an answer contains; the rest is equal.
        of: How many buckets there are.
    """

    gateway: Name
    serial: Whole
    number: Count
    count: Count
    away: bool = False
    rows: tuple[msgspec.Raw, ...] = ()
    attendances: tuple[Attendance, ...] = ()
    asked: Whole = 0
    buckets: Annotated[tuple[Count, ...], Meta(max_length=DIGESTS)] = ()
    of: Count = 1


class Acknowledgement(msgspec.Struct, frozen=True, omit_defaults=True):
    """A gateway has accepted custody of events, or never will.

    Attributes:
        gateway: The gateway that answers.
        to: The gateway whose custody ends.
        rows: Numbers of that gateway's rows whose custody was accepted.
        refused: Numbers of those that can never be accepted: sending them again does not help.
        reason: Why they are refused.
    """

    gateway: Name
    to: Name
    rows: tuple[Whole, ...]
    refused: tuple[Whole, ...] = ()
    reason: str = ""


class Rollout(msgspec.Struct, frozen=True):
    """Changes of scopes that follow one another.

    Attributes:
        gateway: Who sends them.
        changes: In their order, as `fes.federation.scopes.change.Change`, each a JSON object.
    """

    gateway: Name
    changes: Annotated[tuple[msgspec.Raw, ...], Meta(max_length=CHANGES)] = ()


Signal = Hello | Ask | Table | Acknowledgement | Rollout

TYPES: Final = {Hello: 16, Ask: 17, Table: 18, Acknowledgement: 19, Rollout: 20}
"""The number of each kind of signal."""

_decoders: Final = {number: msgspec.json.Decoder(kind) for kind, number in TYPES.items()}
_encoder: Final = msgspec.json.Encoder()


def is_signal(event: Event) -> bool:
    """Return whether a control event is a signal."""
    number = event.parameter("Type")
    return isinstance(number, int) and number in _decoders


def signal_event(signal: Signal, system: str, service: str) -> Event:
    """Return a signal as an event of the model.

    Args:
        signal: The signal.
        system: System identifier.
        service: The event service where it is sent.
    """
    return Event(
        CONTROL_SUBJECT,
        (
            Field("Type", Type.LONG, TYPES[type(signal)]),
            Field("Source", Type.STRING, service),
            Field("Text", Type.STRING, _encoder.encode(signal).decode()),
        ),
        (Field("FES_System", Type.STRING, system),),
    )


def read_signal(event: Event, system: str) -> Signal:
    """Return the signal that an event contains.

    Args:
        event: A control event for which `is_signal` is true.
        system: System identifier.

    Raises:
        ControlEventError: It is of another system, or its text does not fit its type.
    """
    told = event.attribute("FES_System")
    if told != system:
        raise ControlEventError(f"attribute 'FES_System': {str(told)[:60]!r} is another system")
    decoder = _decoders[int(event.parameter("Type"))]
    text = event.parameter("Text")
    if not isinstance(text, str):
        raise ControlEventError("parameter 'Text' is missing or not a string")
    try:
        signal: Signal = decoder.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ControlEventError(f"parameter 'Text': {error}") from error
    return signal
