"""Control events without nesting, for event services without events in events.

The inner event is JSON text, so that a person who watches the service can read it.
"""

from fes.errors import CodecError, ControlEventError
from fes.model import Event, Field, Type
from fes.model.text import from_json, to_json


def flatten(control: Event) -> Event:
    """Return a control event whose inner event is text."""
    return Event(
        control.subject,
        tuple(
            Field(field.id, Type.STRING, to_json(field.value))
            if field.type is Type.EVENT
            else field
            for field in control.parameters
        ),
        control.attributes,
    )


def unflatten(control: Event) -> Event:
    """Return the control event that `flatten` accepted.

    Raises:
        ControlEventError: The inner event's text is not an event.
    """
    return Event(
        control.subject,
        tuple(_revive(field) for field in control.parameters),
        control.attributes,
    )


def _revive(field: Field) -> Field:
    if field.id != "Event" or field.type is not Type.STRING:
        return field
    try:
        return Field(field.id, Type.EVENT, from_json(field.value))
    except CodecError as error:
        raise ControlEventError(f"parameter 'Event': {error}") from error
