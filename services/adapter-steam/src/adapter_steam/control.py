"""Control events on STEAM: a fixed number of strings, each of limited length.

STEAM fixes number and types of an event type's parameters and has no strings of any length. So the
control event's JSON text is cut into pieces; those not needed stay empty.

Source:
    FES thesis, section 6.3.2.
"""

from eventservices.steam import Event, EventType, Notification
from eventservices.steam import Field as Layout
from fes.control import CONTROL_SUBJECT
from fes.errors import AdapterError, CodecError
from fes.model import Event as FesEvent
from fes.model.text import from_json, to_json

PIECES = 16
"""Number of strings of a control event."""

PIECE_LENGTH = 4096
"""Most characters of each string."""

CAPACITY = PIECES * PIECE_LENGTH
"""Most characters of a control event."""

_NAMES = tuple(f"Text{number:02}" for number in range(1, PIECES + 1))

CONTROL_TYPE = EventType(
    CONTROL_SUBJECT, tuple(Layout(name, "string", PIECE_LENGTH) for name in _NAMES)
)
"""Event type of control events."""


def to_steam_control(event: FesEvent) -> Event:
    """Return a control event in the form in which a STEAM node publishes it.

    Raises:
        AdapterError: Its text is too long; nothing is cut off.
    """
    text = to_json(event)
    if len(text) > CAPACITY:
        raise AdapterError(
            f"control event of {len(text)} characters exceeds the limit of {CAPACITY} on STEAM"
        )
    pieces = (text[at * PIECE_LENGTH : (at + 1) * PIECE_LENGTH] for at in range(PIECES))
    return Event(CONTROL_SUBJECT, dict(zip(_NAMES, pieces, strict=True)))


def from_steam_control(notification: Notification) -> FesEvent:
    """Return the control event that a STEAM node received.

    Raises:
        CodecError: It is not a control event; the message states what is wrong.
    """
    pieces = [notification.parameters.get(name, "") for name in _NAMES]
    if not all(isinstance(piece, str) and len(piece) <= PIECE_LENGTH for piece in pieces):
        raise CodecError(f"a control event is {PIECES} strings of {PIECE_LENGTH} characters")
    event = from_json("".join(pieces))
    if event.subject != CONTROL_SUBJECT:
        raise CodecError(f"subject {event.subject[:60]!r} is used in a control event")
    return event
